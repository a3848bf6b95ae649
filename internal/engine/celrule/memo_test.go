package celrule

import (
	"testing"

	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
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

	validator, node := NewCompiler().Compile(&root)
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
