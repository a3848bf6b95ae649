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

// A Requirement describes the Kubernetes releases that accept a rule.
type Requirement struct {
	// Minor is the oldest release that accepts the rule, or 0 if the rule compiles on
	// no release.
	Minor int
	// Needs names the function, operator or field that older releases lack. It is
	// empty if Minor is the oldest supported release.
	Needs string
}

// ruleFields lists the fields that were added to rules after Kubernetes 1.25, with
// the first release that accepts them without a feature gate
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

// findRequirements returns the requirement of each rule of a node. compiled holds
// the results with all CEL libraries. Most rules compile on the oldest release, so
// that only the others are compiled on further releases. A release compiles new
// rules with the libraries of its predecessor, to permit a rollback.
func findRequirements(s *structuralschema.Structural, declType *apiservercel.DeclType, compiled []cel.CompilationResult) []Requirement {
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

// searchRequirement finds the first release on which rule i compiles, given that it
// does not compile on the oldest one. It returns the release after the newest one if
// the rule needs a later library.
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
		r.Needs = missingName(err.Detail)
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

// missingNamePatterns capture the name in a message of the CEL compiler about an
// environment that lacks it.
var missingNamePatterns = []*regexp.Regexp{
	regexp.MustCompile(`undeclared reference to '([^']+)'`),
	regexp.MustCompile(`found no matching overload for '([^']+)'`),
	regexp.MustCompile(`unsupported syntax '([^']+)'`),
	regexp.MustCompile(`undefined field '([^']+)'`),
}

func missingName(message string) string {
	for _, pattern := range missingNamePatterns {
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
