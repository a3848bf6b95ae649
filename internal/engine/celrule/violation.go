package celrule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/source"
)

// explainViolation returns the cause of a violation of rule i that authors rarely expect, or nil:
// an empty value is present, so that has() of it is true, and it is the first value of an immutable
// field.
func (n *instance) explainViolation(i int, location source.Location) *Fault {
	rule := n.rule(i)
	if n.node.Rules[i].UsesOldSelf && n.target.Old == "" && !ptr.Deref(rule.OptionalOldSelf, false) {
		const check = "oldSelf == ''"
		return &Fault{
			Expression: location, Lacks: "whose stored value is empty", Guard: &Guard{check + " || (" + rule.Rule + ")", check},
			Hint: "The stored value is an empty string. For a transition rule, that is a value like any other.",
		}
	}
	traced := n.node.tracedRule(i)
	if traced.program == nil || !strings.Contains(rule.Rule, operators.Has+"(") {
		return nil
	}
	input := n.variables(i)
	for _, field := range traced.testedFields() {
		test := operators.Has + "(" + field + ")"
		if isEmpty(traced.evaluateInstead(field, input)) && traced.evaluateInstead(strings.ReplaceAll(rule.Rule, test, "false"), input) == types.True {
			return &Fault{Hint: fmt.Sprintf("%s is true, because the object has the field, although its value is empty. "+
				"Remove the field from the object, or compare the value in the rule.", test)}
		}
	}
	return nil
}

// testedFields returns the operands of has().
func (t *Traced) testedFields() (fields []string) {
	info := t.checked.NativeRep().SourceInfo()
	finder := faultFinder{text: t.text, info: info}
	for _, macro := range info.MacroCalls() {
		if call := macro.AsCall(); call.FunctionName() == operators.Has {
			fields = append(fields, finder.source(call.Args()[0]))
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// isEmpty reports whether a value is an empty string, list or map.
func isEmpty(value ref.Val) bool {
	sized, ok := value.(traits.Sizer)
	return ok && sized.Size() == types.Int(0)
}
