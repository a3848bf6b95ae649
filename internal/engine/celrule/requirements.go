package celrule

import (
	"regexp"
	"sort"

	"github.com/google/cel-go/common/operators"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
)

// requirement is the oldest release that accepts a rule; minor is 0 if none
// does.
type Requirement struct {
	Minor int
	// What the releases before lack; empty if minor is the oldest one.
	Needs string
}

// ruleFields are the fields of a rule that came after rules themselves, with
// the release that first takes them without a feature gate set
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/).
var ruleFields = []struct {
	name  string
	minor int
	used  func(apiextensionsv1.ValidationRule) bool
}{
	{"messageExpression", 27, func(r apiextensionsv1.ValidationRule) bool { return r.MessageExpression != "" }},
	{"reason", 28, func(r apiextensionsv1.ValidationRule) bool { return r.Reason != nil }},
	{"fieldPath", 28, func(r apiextensionsv1.ValidationRule) bool { return r.FieldPath != "" }},
	{"optionalOldSelf", 30, func(r apiextensionsv1.ValidationRule) bool { return r.OptionalOldSelf != nil }},
}

// ruleRequirements are those of the rules of a node, which compiled is the
// outcome of on all that the libraries have. Most rules compile on the oldest
// release, and only others are tried on further ones. A release compiles new
// rules with what the one before has, so that it can be rolled back.
func ruleRequirements(s *structuralschema.Structural, declType *apiservercel.DeclType, compiled []cel.CompilationResult) []Requirement {
	requirements := make([]Requirement, len(compiled))
	oldest := compileOn(s, declType, playground.OldestMinor)
	for i, result := range compiled {
		if compileError(result) != nil {
			continue
		}
		r := Requirement{Minor: playground.OldestMinor}
		if i < len(oldest) && compileError(oldest[i]) != nil {
			r = searchRequirement(s, declType, i)
		}
		for _, field := range ruleFields {
			if field.used(s.XValidations[i]) && field.minor > r.Minor {
				r = Requirement{field.minor, field.name}
			}
		}
		requirements[i] = r
	}
	return requirements
}

// searchRequirement finds the release on which rule i first compiles, which is
// not the oldest. It is the one after the newest for what is too new for that.
func searchRequirement(s *structuralschema.Structural, declType *apiservercel.DeclType, i int) Requirement {
	single := *s
	single.XValidations = apiextensionsv1.ValidationRules{s.XValidations[i]}
	failure := func(minor int) *apiservercel.Error {
		results := compileOn(&single, declType, minor)
		if len(results) != 1 {
			return nil
		}
		return compileError(results[0])
	}
	const next = playground.OldestMinor + 1
	minor := next + sort.Search(playground.NewestMinor+1-next, func(n int) bool { return failure(next+n) == nil })
	r := Requirement{Minor: minor}
	if err := failure(minor - 1); err != nil {
		r.Needs = lacking(err.Detail)
	}
	return r
}

func compileOn(s *structuralschema.Structural, declType *apiservercel.DeclType, minor int) []cel.CompilationResult {
	results, _ := cel.Compile(s, declType, celconfig.PerCallLimit,
		environment.MustBaseEnvSet(release.Version(minor-1)), cel.NewExpressionsEnvLoader())
	return results
}

func compileError(result cel.CompilationResult) *apiservercel.Error {
	if result.Error != nil {
		return result.Error
	}
	return result.MessageExpressionError
}

// lackingPatterns find in a message of CEL's compiler what an environment
// does not have.
var lackingPatterns = []*regexp.Regexp{
	regexp.MustCompile(`undeclared reference to '([^']+)'`),
	regexp.MustCompile(`found no matching overload for '([^']+)'`),
	regexp.MustCompile(`unsupported syntax '([^']+)'`),
	regexp.MustCompile(`undefined field '([^']+)'`),
}

func lacking(message string) string {
	for _, pattern := range lackingPatterns {
		found := pattern.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		if operator, ok := operators.FindReverse(found[1]); ok {
			return operator
		}
		return found[1]
	}
	return ""
}
