//go:build !js

package engine_test

import (
	"context"
	"slices"
	"strconv"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// violation is a rule that an object breaks, and where.
type violation struct {
	Rule, Path, Message string
}

// compareRules fails if the outcome of a rule on a created object is not that
// of upstream's validator, which is given the rules one by one: it tells what
// is wrong but not which rule says so.
func (t *trial) compareRules(document *source.Document, version string, report playground.Report, object playground.Object) {
	skipped := func(r playground.RuleResult) bool {
		return r.Why == playground.WhyBlocked || r.Why == playground.WhyBudget
	}
	content, readable := content(document)
	if !readable || object.Validated == nil || len(object.Rules) == 0 || slices.ContainsFunc(object.Rules, skipped) {
		return
	}
	schema := t.structural(version)
	t.admit(content, schema, version)
	validators := t.ruleValidators(schema, version)
	var want, got []violation
	for _, rule := range report.CRD.Rules {
		if rule.Version != version {
			continue
		}
		errs, _ := validators[place(rule, report)].Validate(context.Background(), nil, schema, content, nil, celconfig.RuntimeCELCostBudget)
		for _, err := range errs {
			want = append(want, violation{rule.ID, plainPath(err.Field), err.Detail})
		}
	}
	for _, r := range object.Rules {
		if r.Outcome == playground.OutcomeFail || r.Outcome == playground.OutcomeError {
			got = append(got, violation{r.ID, plainPath(r.Path), r.Message})
		}
	}
	sortViolations(want)
	sortViolations(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("rules on %s (-upstream +engine):\n%s", object.Name, diff)
	}
}

func sortViolations(v []violation) {
	slices.SortFunc(v, func(a, b violation) int {
		return strings.Compare(a.Rule+a.Path+a.Message, b.Rule+b.Path+b.Message)
	})
}

// plainPath is a path without the differences between the two notations.
func plainPath(path string) string {
	return strings.NewReplacer("<nil>", "", "[", ".", "]", "", `"`, "").Replace(path)
}

// content is an object as a decoder has it that keeps integers; false if it
// cannot be read or its name is yet to be generated.
func content(document *source.Document) (map[string]any, bool) {
	data, err := yaml.YAMLToJSON([]byte(document.Text))
	if err != nil {
		return nil, false
	}
	if document.JSON() {
		data = []byte(document.Text) // or 2.0 would become 2
	}
	var out map[string]any
	if err := utiljson.Unmarshal(data, &out); err != nil || out == nil {
		return nil, false
	}
	_, generated := document.Lookup("metadata", "generateName")
	return out, !generated
}

// admit does to an object what comes before its validation.
func (t *trial) admit(content map[string]any, schema *structuralschema.Structural, version string) {
	pruning.Prune(content, schema, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(content, schema)
	defaulting.Default(content, schema)
	subresources, err := apihelpers.GetSubresourcesForVersion(t.crd, version)
	if err != nil {
		t.Fatal(err)
	}
	if subresources != nil && subresources.Status != nil {
		delete(content, "status")
	}
}

func (t *trial) structural(version string) *structuralschema.Structural {
	validation, err := apihelpers.GetSchemaForVersion(t.crd, version)
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
	schema = schema.DeepCopy()
	if err := defaulting.PruneDefaults(schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// place is the schema path of a rule and its index there.
func place(rule playground.Rule, report playground.Report) string {
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

// ruleValidators has a validator for each rule of a version by its place, made
// once for all objects of a scenario.
func (t *trial) ruleValidators(schema *structuralschema.Structural, version string) map[string]*cel.Validator {
	if validators, ok := t.validators[version]; ok {
		return validators
	}
	validators := map[string]*cel.Validator{}
	for _, place := range rulePlaces(schema, "") {
		only := keepRule(*schema.DeepCopy(), "", place)
		validators[place] = cel.NewValidator(&only, true, celconfig.PerCallLimit)
	}
	t.validators[version] = validators
	return validators
}

// children calls visit for the nodes right below s that stand in objects, with
// their schema paths, and puts back what it returns.
func children(s *structuralschema.Structural, path string, visit func(structuralschema.Structural, string) structuralschema.Structural) {
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

func rulePlaces(s *structuralschema.Structural, path string) []string {
	var places []string
	for i := range s.XValidations {
		places = append(places, path+"#"+strconv.Itoa(i))
	}
	children(s, path, func(child structuralschema.Structural, path string) structuralschema.Structural {
		places = append(places, rulePlaces(&child, path)...)
		return child
	})
	return places
}

// keepRule drops all rules of a schema but the one at place, and of that what
// would report it elsewhere.
func keepRule(s structuralschema.Structural, path, place string) structuralschema.Structural {
	rules := s.XValidations
	s.XValidations = nil
	for i, rule := range rules {
		if path+"#"+strconv.Itoa(i) == place {
			rule.FieldPath = ""
			s.XValidations = append(s.XValidations, rule)
		}
	}
	children(&s, path, func(child structuralschema.Structural, path string) structuralschema.Structural {
		return keepRule(child, path, place)
	})
	return s
}
