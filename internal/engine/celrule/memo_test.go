package celrule

import (
	"reflect"
	"testing"

	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/source"
)

// TestMemoHoldsResultsOfValidator checks that the memo has the result of every rule
// that upstream's validator evaluated, at any depth of the object.
func TestMemoHoldsResultsOfValidator(t *testing.T) {
	rule := func(kind, text string) structuralschema.Structural {
		return structuralschema.Structural{
			Generic:              structuralschema.Generic{Type: kind},
			ValidationExtensions: structuralschema.ValidationExtensions{XValidations: apiextensionsv1.ValidationRules{{Rule: text}}},
		}
	}
	items := rule("integer", "self > 1")
	list := rule("array", "self.size() == 2")
	list.Items = &items
	value := rule("string", "self == oldSelf")
	labels := structuralschema.Structural{
		Generic:              structuralschema.Generic{Type: "object"},
		AdditionalProperties: &structuralschema.StructuralOrBool{Structural: &value},
	}
	root := rule("object", "has(self.list)")
	root.Properties = map[string]structuralschema.Structural{"list": list, "labels": labels}

	validator, node := NewCompiler().Compile(&root, nil)
	object := map[string]any{"list": []any{int64(1), int64(2)}, "labels": map[string]any{"a": "x"}}
	old := map[string]any{"labels": map[string]any{"a": "y"}}
	m := Memo{}
	validator.Validate(WithMemo(t.Context(), m), nil, &root, object, old, celconfig.RuntimeCELCostBudget)

	for _, evaluated := range []struct {
		at        string
		node      *Node
		self, old any
		holds     types.Bool
	}{
		{"root", node, object, old, types.True},
		{"list", node.Properties["list"], object["list"], nil, types.True},
		{"list[0]", node.Properties["list"].Items, int64(1), nil, types.False},
		{"list[1]", node.Properties["list"].Items, int64(2), nil, types.True},
		{"labels[a]", node.Properties["labels"].Additional, "x", "y", types.False},
	} {
		found, ok := m.lookUp(evaluated.node.Rules[0].Program, evaluated.self, evaluated.old)
		if !ok || found.value != evaluated.holds || found.cost == nil || *found.cost == 0 {
			t.Errorf("%s: memo holds %v %+v, want %v and its cost", evaluated.at, ok, found, evaluated.holds)
		}
	}
	if _, ok := m.lookUp(node.Properties["labels"].Additional.Rules[0].Program, "x", "z"); ok {
		t.Error("the memo holds a transition that was not evaluated")
	}
}

// TestUpstreamKeepsCompiledRules checks the unexported field that the memo replaces.
func TestUpstreamKeepsCompiledRules(t *testing.T) {
	if !hasCompiledRules {
		t.Fatal("the Validator of k8s.io/apiextensions-apiserver has no field compiledRules any more: " +
			"adapt compiledRules in memo.go, or each rule is compiled and evaluated twice")
	}
	if compiledRulesField.Type != reflect.TypeFor[[]cel.CompilationResult]() {
		t.Fatalf("the field compiledRules of upstream's Validator has the type %v: adapt compiledRules in memo.go, "+
			"or each rule is compiled and evaluated twice", compiledRulesField.Type)
	}
}

// BenchmarkMemo validates a list of 1,000 numbers and reports its rules, with the memo and
// without it.
func BenchmarkMemo(b *testing.B) {
	items := structuralschema.Structural{
		Generic:              structuralschema.Generic{Type: "integer"},
		ValidationExtensions: structuralschema.ValidationExtensions{XValidations: apiextensionsv1.ValidationRules{{Rule: "self >= 0 && self < 5000"}}},
	}
	root := structuralschema.Structural{Generic: structuralschema.Generic{Type: "object"}, Properties: map[string]structuralschema.Structural{
		"list": {Generic: structuralschema.Generic{Type: "array"}, Items: &items},
	}}
	list := make([]any, 1000)
	for i := range list {
		list[i] = int64(i)
	}
	object := map[string]any{"list": list}
	validator, node := NewCompiler().Compile(&root, nil)
	locate := func(*Node, int, string) source.Location { return source.Location{} }
	for _, name := range []string{"with", "without"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ctx, memo := b.Context(), Memo(nil)
				if name == "with" {
					memo = Memo{}
					ctx = WithMemo(ctx, memo)
				}
				validator.Validate(ctx, nil, &root, object, nil, celconfig.RuntimeCELCostBudget)
				Evaluate(ctx, node, Target{Value: object}, Options{Version: "v1", Memo: memo, Locate: locate})
			}
		})
	}
}
