//go:build js

package celrule

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// TestCompileOnce checks which changes compile a rule of the modules again. Native builds
// have no memo.
func TestCompileOnce(t *testing.T) {
	compile := func(maxLength int64, loader cel.EnvLoader, rules ...apiextensionsv1.ValidationRule) []cel.CompilationResult {
		t.Helper()
		s := &structuralschema.Structural{
			Generic: structuralschema.Generic{Type: "object"},
			Properties: map[string]structuralschema.Structural{"name": {
				Generic:         structuralschema.Generic{Type: "string"},
				ValueValidation: &structuralschema.ValueValidation{MaxLength: new(maxLength)},
			}},
			ValidationExtensions: structuralschema.ValidationExtensions{XValidations: rules},
		}
		results, err := cel.Compile(s, model.SchemaDeclType(s, false), celconfig.PerCallLimit,
			environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), loader)
		if err != nil || len(results) != len(rules) {
			t.Fatalf("%d results, error %v", len(results), err)
		}
		return results
	}
	stored := cel.StoredExpressionsEnvLoader()
	rule := apiextensionsv1.ValidationRule{Rule: "self.name.contains('x')", FieldPath: ".name"}
	edited := apiextensionsv1.ValidationRule{Rule: "self.name != 'x'"}
	first := compile(10, stored, rule)[0]

	results := compile(10, stored, edited, rule)
	if results[1] != first {
		t.Errorf("the rule beside an edited rule is compiled again: %+v, want %+v", results[1], first)
	}
	if results[0].Program == nil || results[0].Program == first.Program {
		t.Error("the edited rule is not compiled")
	}
	longer := compile(2000, stored, rule)[0]
	if longer.Program == first.Program || longer.MaxCost <= first.MaxCost {
		t.Errorf("the cost is %d after a change of the type, want more than %d", longer.MaxCost, first.MaxCost)
	}
	if compile(10, cel.NewExpressionsEnvLoader(), rule)[0].Program == first.Program {
		t.Error("the rule is not compiled for another environment")
	}
	capture := &environmentCapture{}
	compile(10, capture, rule)
	if _, issues := capture.env.Compile(rule.Rule); issues.Err() != nil {
		t.Errorf("the loader captures an environment without self: %v", issues)
	}
	rule.FieldPath = ""
	if path := compile(10, stored, rule)[0].NormalizedRuleFieldPath; path != "" {
		t.Errorf("the field path is %q after its removal", path)
	}
}
