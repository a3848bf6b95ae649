//go:build !js

package engine_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A violation is a rule that an object violates, with the path.
type violation struct {
	Rule, Path, Message string
}

// ruleValidators compares the outcomes of single rules with upstream's validator.
// Each validator has one rule only, because upstream's errors do not name the
// rule.
type ruleValidators struct {
	crd      *apiextensionsv1.CustomResourceDefinition // nil if it is rejected
	versions map[string]*ruleVersion
}

// A ruleVersion holds the schema of a version and a validator for each of its
// rules, by [rulePlace].
type ruleVersion struct {
	schema     *structuralschema.Structural
	validators map[string]*cel.Validator
	hasStatus  bool
}

func newRuleValidators(t *testing.T, s playground.Scenario, report playground.Report) *ruleValidators {
	j := &ruleValidators{versions: map[string]*ruleVersion{}}
	if !report.CRD.Accepted {
		return j
	}
	j.crd = &apiextensionsv1.CustomResourceDefinition{}
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	object, _, err := apiserver.Codecs.UniversalDecoder(apiextensions.SchemeGroupVersion).Decode([]byte(crdDocument(s.CRD).Text), &kind, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := apiserver.Scheme.Convert(object, j.crd, nil); err != nil {
		t.Fatal(err)
	}
	return j
}

// compare fails if the outcome of a rule differs from upstream's outcome.
func (j *ruleValidators) compare(t *testing.T, s playground.Scenario, report playground.Report) {
	skipped := func(r playground.RuleResult) bool {
		return r.Why == playground.WhyBlocked || r.Why == playground.WhyBudget
	}
	for i, document := range documents(s.Object) {
		if j.crd == nil || i >= len(report.Objects) {
			return
		}
		object := report.Objects[i]
		if object.Validated == nil || len(object.Rules) == 0 || slices.ContainsFunc(object.Rules, skipped) {
			continue
		}
		_, name, _ := strings.Cut(object.APIVersion, "/")
		version := j.version(t, name)
		content, old, ok := version.validated(document, object, s.OldObject)
		if !ok {
			continue
		}
		if diff := cmp.Diff(version.violations(report, name, content, old), reportedViolations(object)); diff != "" {
			t.Errorf("rules on %s (-upstream +engine):\n%s", object.Name, diff)
		}
	}
}

// violations returns the violations that upstream finds in an object. If old is
// not nil, the object replaces it.
func (v *ruleVersion) violations(report playground.Report, version string, content, old map[string]any) []violation {
	var before any
	var options []cel.Option
	if old != nil {
		before = old
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(content, old, &model.Structural{Structural: v.schema})))
	}
	var found []violation
	for _, rule := range report.CRD.Rules {
		if rule.Version != version {
			continue
		}
		errs, _ := v.validators[rulePlace(rule, report)].Validate(context.Background(), (*field.Path)(nil), v.schema, content, before, celconfig.RuntimeCELCostBudget, options...)
		for _, err := range errs {
			found = append(found, violation{rule.ID, plainPath(err.Field), err.Detail})
		}
	}
	return sorted(found)
}

func reportedViolations(object playground.Object) []violation {
	var found []violation
	for _, r := range object.Rules {
		if r.Outcome == playground.OutcomeFail || r.Outcome == playground.OutcomeError {
			found = append(found, violation{r.ID, plainPath(r.Path), r.Message})
		}
	}
	return sorted(found)
}

func sorted(v []violation) []violation {
	slices.SortFunc(v, func(a, b violation) int {
		return strings.Compare(a.Rule+a.Path+a.Message, b.Rule+b.Path+b.Message)
	})
	return v
}

// plainPath returns a path without the differences between the two notations.
func plainPath(path string) string {
	return strings.NewReplacer("<nil>", "", "[", ".", "]", "", `"`, "").Replace(path)
}

// validated returns the object that the request validates and the object that it
// replaces. It is false if they depend on more than the schema.
func (v *ruleVersion) validated(document *source.Document, object playground.Object, olds string) (content, old map[string]any, ok bool) {
	content, ok = v.decode(document)
	if _, generated := document.Lookup("metadata", "generateName"); !ok || generated || object.Operation == playground.OperationApply {
		return nil, nil, false
	}
	if object.Operation == playground.OperationCreate {
		if v.hasStatus {
			delete(content, "status")
		}
		return content, nil, true
	}
	for _, document := range documents(olds) {
		name, _ := document.Lookup("metadata", "name")
		if apiVersion, _ := document.Lookup("apiVersion"); name != object.Name || apiVersion != object.APIVersion {
			continue
		}
		if old, ok = v.decode(document); !ok {
			break
		}
		unstructured.RemoveNestedField(old, "metadata", "managedFields") // the engine and kubectl do not show it
		if object.Operation == playground.OperationScale {
			content = nil // the document only names the object
			if err := utiljson.Unmarshal(object.Validated, &content); err != nil {
				return nil, nil, false
			}
			return content, old, true
		}
		return v.merge(content, old, object.Operation), old, true
	}
	return nil, nil, false
}

// merge returns content with the fields of old that the operation does not update.
func (v *ruleVersion) merge(content, old map[string]any, operation string) map[string]any {
	from, to := old, content
	if operation == playground.OperationUpdateStatus {
		from, to = content, runtime.DeepCopyJSON(old)
	} else if !v.hasStatus {
		return content
	}
	delete(to, "status")
	if status, ok := from["status"]; ok {
		to["status"] = runtime.DeepCopyJSONValue(status)
	}
	return to
}

// decode returns a document pruned and defaulted, with integers as int64.
func (v *ruleVersion) decode(document *source.Document) (map[string]any, bool) {
	data, err := yaml.YAMLToJSON([]byte(document.Text))
	if err != nil {
		return nil, false
	}
	if document.JSON() {
		data = []byte(document.Text) // or 2.0 would become 2
	}
	var content map[string]any
	if err := utiljson.Unmarshal(data, &content); err != nil || content == nil {
		return nil, false
	}
	pruning.Prune(content, v.schema, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(content, v.schema)
	defaulting.Default(content, v.schema)
	return content, true
}

// version compiles the rules of a version once for all objects.
func (j *ruleValidators) version(t *testing.T, name string) *ruleVersion {
	if known, ok := j.versions[name]; ok {
		return known
	}
	validation, err := apihelpers.GetSchemaForVersion(j.crd, name)
	if err != nil {
		t.Fatal(err)
	}
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(validation, internal, nil); err != nil {
		t.Fatal(err)
	}
	schema, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	v := &ruleVersion{schema: schema.DeepCopy(), validators: map[string]*cel.Validator{}}
	if err := defaulting.PruneDefaults(v.schema); err != nil {
		t.Fatal(err)
	}
	for _, place := range rulePlaces(v.schema, "") {
		only := keepRule(*v.schema.DeepCopy(), "", place)
		v.validators[place] = cel.NewValidator(&only, true, celconfig.PerCallLimit)
	}
	subresources, err := apihelpers.GetSubresourcesForVersion(j.crd, name)
	v.hasStatus = err == nil && subresources != nil && subresources.Status != nil
	j.versions[name] = v
	return v
}

// rulePlace returns the schema path of a rule and its index in that schema.
func rulePlace(rule playground.Rule, report playground.Report) string {
	index := 0
	for _, other := range report.CRD.Rules {
		if other.ID == rule.ID {
			break
		}
		if other.Version == rule.Version && other.SchemaPath == rule.SchemaPath {
			index++
		}
	}
	return rule.SchemaPath + "#" + strconv.Itoa(index)
}

// replaceChildren calls visit for the child schemas of s, with their schema paths, and
// replaces each child by the result.
func replaceChildren(s *structuralschema.Structural, path string, visit func(structuralschema.Structural, string) structuralschema.Structural) {
	join := func(step string) string { return strings.TrimPrefix(path+"."+step, ".") }
	if s.Items != nil {
		*s.Items = visit(*s.Items, join("items"))
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		*s.AdditionalProperties.Structural = visit(*s.AdditionalProperties.Structural, join("additionalProperties"))
	}
	for name, property := range s.Properties {
		s.Properties[name] = visit(property, join("properties["+name+"]"))
	}
}

// rulePlaces returns the places of all rules of a schema.
func rulePlaces(s *structuralschema.Structural, path string) []string {
	var places []string
	for i := range s.XValidations {
		places = append(places, path+"#"+strconv.Itoa(i))
	}
	replaceChildren(s, path, func(child structuralschema.Structural, path string) structuralschema.Structural {
		places = append(places, rulePlaces(&child, path)...)
		return child
	})
	return places
}

// keepRule removes all rules of a schema except the one at place, and the
// fieldPath of that rule, which would change the path of its error.
func keepRule(s structuralschema.Structural, path, place string) structuralschema.Structural {
	rules := s.XValidations
	s.XValidations = nil
	for i, rule := range rules {
		if path+"#"+strconv.Itoa(i) == place {
			rule.FieldPath = ""
			s.XValidations = append(s.XValidations, rule)
		}
	}
	replaceChildren(&s, path, func(child structuralschema.Structural, path string) structuralschema.Structural {
		return keepRule(child, path, place)
	})
	return s
}
