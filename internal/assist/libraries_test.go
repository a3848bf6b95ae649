package assist_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine"
)

// uncallable lists the functions that rules of CRDs cannot call: the authorizer's
// functions, because rules have no authorizer, and the former name of an operator.
var uncallable = []string{
	"allowed", "check", "error", "errored", "fieldSelector", "group", "labelSelector", "name", "namespace", "path", "reason", "resource", "serviceAccount", "subresource",
	"in",
}

var named = regexp.MustCompile(`^[a-zA-Z][\w.]*$`) // Names of operators contain signs.

var call = regexp.MustCompile(`([\w.]+)\(`)

// TestLibraries checks that the cases call every function and macro that rules of CRDs can
// call.
func TestLibraries(t *testing.T) {
	env, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Env(environment.NewExpressions)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Collect(maps.Keys(env.Functions()))
	for _, macro := range env.Macros() {
		names = append(names, macro.Function())
	}
	called := calledNames(t)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if named.MatchString(name) && !slices.Contains(uncallable, name) && !called[name] {
			t.Errorf("no case calls %s", name)
		}
	}
}

// calledNames returns the names that accepted rules of the cases call.
func calledNames(t *testing.T) map[string]bool {
	called := map[string]bool{}
	e := engine.New()
	for _, c := range readCases(t) {
		if !strings.Contains(c.Scenario.CRD, "x-kubernetes-validations") {
			continue
		}
		report, err := e.Evaluate(context.Background(), c.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		if !report.CRD.Accepted {
			continue
		}
		for _, rule := range report.CRD.Rules {
			for _, found := range call.FindAllStringSubmatch(rule.Rule, -1) {
				name := found[1]
				for name != "" {
					called[name] = true
					_, name, _ = strings.Cut(name, ".")
				}
			}
		}
	}
	return called
}
