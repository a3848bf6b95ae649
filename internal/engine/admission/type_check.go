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

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// TypeFindings returns the warnings that a
// controller of the API server writes to status.typeChecking of the policies.
// Only the types of the CRD are known, so parameters of other kinds are not
// checked.
func (p *Plugins) TypeFindings(crd *apiextensionsv1.CustomResourceDefinition, served []string) ([]playground.Finding, error) {
	checker := &validating.TypeChecker{SchemaResolver: crdSchemas{crd, served}, RestMapper: crdMapper(crd, served)}
	// Names of types end with the time of the check (generateUniqueTypeName).
	typeName := regexp.MustCompile(`\b(` + regexp.QuoteMeta(crd.Spec.Names.Kind) + `)\d+\b`)
	var findings []playground.Finding
	for _, policy := range p.typed {
		for _, w := range checker.Check(policy.Object) {
			message := typeName.ReplaceAllString(strings.TrimSpace(w.Warning), "$1")
			findings = append(findings, finding.Warning(playground.DocumentAdmission, playground.StageAdmit, policy.Range(fieldSteps(w.FieldRef)...), message))
		}
	}
	return findings, nil
}

// fieldSteps splits a path such as spec.validations[0].expression.
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

// crdMapper returns a mapper for the resources of a CRD.
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

// crdSchemas resolves the kinds of a CRD from its published OpenAPI document, like
// resolver.ClientDiscoveryResolver.
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
