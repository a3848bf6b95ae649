package admission

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/playground"
)

// TypeFindings implements [engine.Plugins]: the warnings that a controller of
// the API server puts into status.typeChecking of the policies. The only types
// that are known are those of the CRD; parameters of other kinds are not
// checked.
func (c *Control) TypeFindings(crd *apiextensionsv1.CustomResourceDefinition, served []string) ([]playground.Finding, error) {
	checker := &validating.TypeChecker{SchemaResolver: crdSchemas{crd, served}, RestMapper: crdMapper(crd, served)}
	// The names of types end with the time of the check (generateUniqueTypeName).
	typeName := regexp.MustCompile(`\b(` + regexp.QuoteMeta(crd.Spec.Names.Kind) + `)\d+\b`)
	t := &admissionText{}
	for _, p := range c.typed {
		for _, w := range checker.Check(p.object) {
			at := rangeOrKind(p.doc, fieldSteps(w.FieldRef)...)
			t.note(playground.SeverityWarning, at, typeName.ReplaceAllString(strings.TrimSpace(w.Warning), "$1"))
		}
	}
	return t.findings, nil
}

// fieldSteps are the steps of a path such as spec.validations[0].expression.
func fieldSteps(path string) []any {
	var steps []any
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		if i, err := strconv.Atoi(part); err == nil {
			steps = append(steps, i)
		} else {
			steps = append(steps, part)
		}
	}
	return steps
}

// crdMapper knows the resources of a CRD.
func crdMapper(crd *apiextensionsv1.CustomResourceDefinition, served []string) meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	scope := meta.RESTScopeRoot
	if crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		scope = meta.RESTScopeNamespace
	}
	for _, version := range served {
		gv := schema.GroupVersion{Group: crd.Spec.Group, Version: version}
		mapper.AddSpecific(gv.WithKind(crd.Spec.Names.Kind), gv.WithResource(crd.Spec.Names.Plural), gv.WithResource(crd.Spec.Names.Singular), scope)
	}
	return mapper
}

// crdSchemas resolves the kinds of a CRD by what is published of it, as
// resolver.ClientDiscoveryResolver does.
type crdSchemas struct {
	crd    *apiextensionsv1.CustomResourceDefinition
	served []string
}

func (s crdSchemas) ResolveSchema(kind schema.GroupVersionKind) (*spec.Schema, error) {
	if kind.Group != s.crd.Spec.Group || kind.Kind != s.crd.Spec.Names.Kind || !slices.Contains(s.served, kind.Version) {
		return nil, fmt.Errorf("%v: %w", kind, resolver.ErrSchemaNotFound)
	}
	document, err := builder.BuildOpenAPIV3(s.crd, kind.Version, builder.Options{IncludeSelectableFields: true})
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(document.Components.Schemas)
	if err != nil {
		return nil, err
	}
	schemas := map[string]*spec.Schema{}
	if err := json.Unmarshal(data, &schemas); err != nil {
		return nil, err
	}
	for name, candidate := range schemas {
		var kinds []schema.GroupVersionKind
		if err := candidate.Extensions.GetObject("x-kubernetes-group-version-kind", &kinds); err != nil {
			return nil, err
		}
		if slices.Contains(kinds, kind) {
			return resolver.PopulateRefs(func(ref string) (*spec.Schema, bool) {
				found, ok := schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
				return found, ok
			}, name)
		}
	}
	return nil, fmt.Errorf("%v: %w", kind, resolver.ErrSchemaNotFound)
}
