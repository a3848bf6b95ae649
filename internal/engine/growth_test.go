//go:build unix

package engine_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
	"github.com/crdlab/crdlab/internal/verdict"
)

// maxGrowth limits the CPU time of a scenario of twice the size, relative to the
// original one. It is 2 for linear and 4 for quadratic time.
const maxGrowth = 3

// A dimension is a family of scenarios. The size of scenario(n) is proportional to n.
// At size, parts with quadratic time dominate the time of an evaluation.
type dimension struct {
	name     string
	size     int
	scenario func(n int) playground.Scenario
}

var dimensions = []dimension{
	{"documents", 50, manyDocuments},
	{"old documents", 50, manyOldDocuments},
	{"fields", 4000, func(n int) playground.Scenario {
		return withSpec("x: {type: object, additionalProperties: {type: integer}}", "  x:\n"+repeat(n, "    f%d: 1\n"))
	}},
	{"schema fields", 1000, func(n int) playground.Scenario {
		return withSpec(repeat(n, "              f%d: {type: integer, default: 1}\n"), "  f1: 1\n")
	}},
	{"unknown fields", 2000, func(n int) playground.Scenario {
		return withSpec("a: {type: integer}", repeat(n, "  u%d: 1\n"))
	}},
	{"unknown fields of items", 2000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, items: {type: object, properties: {a: {type: integer}}}}", "  l:\n"+repeat(n, "  - u%d: 1\n"))
	}},
	{"duplicate fields", 1000, func(n int) playground.Scenario {
		return withSpec("x: {type: object, additionalProperties: {type: integer}}", "  x:\n"+repeat(n, "    f%d: 1\n    f%[1]d: 2\n"))
	}},
	{"list items", 4000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, items: {type: integer}}", "  l:\n"+repeat(n, "  - %d\n"))
	}},
	{"findings in a list", 1000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, items: {type: integer}}", "  l:\n"+repeat(n, "  - x%d\n"))
	}},
	{"findings in a flow list", 1000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, items: {type: integer}}", "  l: ["+repeat(n, "x%d, ")+"]\n")
	}},
	{"findings in JSON", 1000, func(n int) playground.Scenario {
		s := withSpec("l: {type: array, items: {type: integer}}", "")
		s.Object = `{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"l": [` + strings.TrimSuffix(repeat(n, `"ü%d",`), ",") + `]}}`
		return s
	}},
	{"findings of fields", 1000, func(n int) playground.Scenario {
		return withSpec("x: {type: object, additionalProperties: {type: integer}}", "  x:\n"+repeat(n, "    f%d: a\n"))
	}},
	{"failing rules of items", 1000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, maxItems: 10000, items: {type: integer, x-kubernetes-validations: [{rule: self > 100000}]}}", "  l:\n"+repeat(n, "  - %d\n"))
	}},
	{"rules", 100, func(n int) playground.Scenario {
		return withSpec(repeat(n, "              f%d: {type: integer, x-kubernetes-validations: [{rule: self > %[1]d}]}\n"), repeat(n, "  f%d: 0\n"))
	}},
	{"rules of a node", 200, func(n int) playground.Scenario {
		return withSpec("x: {type: integer, x-kubernetes-validations: ["+repeat(n, "{rule: self > %d}, ")+"]}", "  x: 0\n")
	}},
	{"rules that do not compile", 100, func(n int) playground.Scenario {
		return withSpec(repeat(n, "              f%d: {type: integer, x-kubernetes-validations: [{rule: self > x%[1]d}]}\n"), "  f1: 1\n")
	}},
	{"errors of the schema", 1000, func(n int) playground.Scenario {
		return withSpec(repeat(n, "              f%d: {type: wrong}\n"), "  f1: 1\n")
	}},
	{"unknown fields of the CRD", 1000, func(n int) playground.Scenario {
		return withSpec(repeat(n, "              f%d: {type: integer, unknown%[1]d: 1}\n"), "  f1: 1\n")
	}},
	{"versions", 200, manyVersions},
	{"owner references", 1000, func(n int) playground.Scenario {
		return withMetadata("  ownerReferences:\n" + repeat(n, "  - {apiVersion: v1, kind: Pod, name: p, uid: u%d}\n"))
	}},
	{"invalid owner references", 1000, func(n int) playground.Scenario {
		return withMetadata("  ownerReferences:\n" + repeat(n, "  - {apiVersion: v1, kind: Pod, name: '', uid: u%d}\n"))
	}},
	{"labels", 1000, func(n int) playground.Scenario {
		return withMetadata("  labels:\n" + repeat(n, "    l%d: '-'\n"))
	}},
	{"finalizers", 1000, func(n int) playground.Scenario {
		return withMetadata("  finalizers:\n" + repeat(n, "  - f%d\n"))
	}},
	{"changes by defaults", 2000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, items: {type: object, properties: {a: {type: integer, default: 1}}}}", "  l:\n"+repeat(n, "  - {b: %d}\n"))
	}},
	{"pruned fields", 2000, func(n int) playground.Scenario {
		s := withSpec("a: {type: integer}", repeat(n, "  u%d: 1\n"))
		s.FieldValidation = playground.FieldValidationWarn
		return s
	}},
	{"nulls", 2000, func(n int) playground.Scenario {
		return withSpec("x: {type: object, additionalProperties: {type: integer}}", "  x:\n"+repeat(n, "    f%d: null\n"))
	}},
	{"list map", 2000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}", "  l:\n"+repeat(n, "  - {k: a%d}\n"))
	}},
	{"duplicates in a list map", 1000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}", "  l:\n"+repeat(n, "  - {k: a%d}\n  - {k: a%[1]d}\n"))
	}},
	{"update", 1000, func(n int) playground.Scenario {
		s := withSpec("x: {type: object, additionalProperties: {type: integer}}", "  x:\n"+repeat(n, "    f%d: 1\n"))
		s.OldObject = s.Object
		s.Object = strings.ReplaceAll(s.Object, ": 1\n", ": 2\n")
		return s
	}},
	{"apply", 1000, func(n int) playground.Scenario {
		s := withSpec("x: {type: object, additionalProperties: {type: integer}}", "  x:\n"+repeat(n, "    f%d: 1\n"))
		s.Operation = playground.OperationApply
		return s
	}},
	{"changes of the CRD", 1000, func(n int) playground.Scenario {
		s := withSpec(repeat(n, "              f%d: {type: integer}\n"), "  f1: 1\n")
		s.OldCRD = strings.ReplaceAll(s.CRD, "integer", "string")
		return s
	}},
	{"changed rules of the CRD", 100, func(n int) playground.Scenario {
		s := withSpec("x: {type: integer, x-kubernetes-validations: ["+repeat(n, "{rule: self > %d}, ")+"]}", "  x: 1000\n")
		s.OldCRD = strings.ReplaceAll(s.CRD, "self >", "self >= 1 &&")
		return s
	}},
	{"required fields of the CRD", 1000, func(n int) playground.Scenario {
		s := withSpec("x: {type: object, required: ["+repeat(n, "f%d, ")+"]}", "  x: {}\n")
		s.OldCRD = strings.ReplaceAll(s.CRD, "f1", "g1")
		return s
	}},
	{"values of an enum", 1000, func(n int) playground.Scenario {
		s := withSpec("x: {type: string, enum: ["+repeat(n, "f%d, ")+"]}", "  x: x\n")
		s.OldCRD = strings.ReplaceAll(s.CRD, "f1", "g1")
		return s
	}},
	{"conversion rules", 100, func(n int) playground.Scenario {
		s := playground.Scenario{}
		s.CRD = strings.Replace(crdHead, "  versions:\n", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://webhook.example.com/convert'}}}\n  versions:\n  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}\n", 1) + repeat(n, "              f%d: {type: integer}\n")
		s.Object = "apiVersion: example.com/v2\nkind: Thing\nmetadata: {name: a}\nspec:\n" + repeat(n, "  g%d: 1\n")
		s.Conversion = "apiVersion: apis.kcp.io/v1alpha1\nkind: APIConversion\nmetadata: {name: things.example.com}\nspec:\n  conversions:\n  - from: v2\n    to: v1\n    rules:\n" + repeat(n, "    - {field: .spec.g%d, destination: .spec.f%[1]d}\n")
		return s
	}},
	{"policies", 20, func(n int) playground.Scenario {
		s := withSpec("a: {type: integer}", "  a: 1\n")
		s.Admission = strings.TrimPrefix(repeat(n, "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p%d}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: ['*'], operations: [CREATE], resources: [things]}]}\n  validations: [{expression: object.spec.a < 0}]\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b%[1]d}\nspec: {policyName: p%[1]d, validationActions: [Deny]}\n"), "---\n")
		return s
	}},
	{"validations of a policy", 100, func(n int) playground.Scenario {
		s := withSpec("a: {type: integer}", "  a: 1\n")
		s.Admission = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: ['*'], operations: [CREATE], resources: [things]}]}\n  validations:\n" + repeat(n, "  - {expression: 'object.spec.a < 0 - %d'}\n") + "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: {policyName: p, validationActions: [Deny]}\n"
		return s
	}},
	{"printer columns", 500, func(n int) playground.Scenario {
		s := withSpec("a: {type: integer}", "  a: 1\n")
		s.CRD += "    additionalPrinterColumns:\n" + repeat(n, "    - {name: c%d, type: integer, jsonPath: .spec.a}\n")
		return s
	}},
	{"comments", 10000, func(n int) playground.Scenario {
		return withSpec("l: {type: array, items: {type: integer}}", "  l:\n  - x\n"+repeat(n, "  # c%d\n")+"  - y\n")
	}},
	{"long string", 100000, func(n int) playground.Scenario {
		return withSpec("a: {type: integer}", "  a: "+strings.Repeat("ü", n)+"\n")
	}},
}

const crdHead = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
`

// withSpec returns a scenario whose spec has the given properties and values.
func withSpec(properties, spec string) playground.Scenario {
	if !strings.HasPrefix(properties, " ") {
		properties = "              " + properties + "\n"
	}
	return playground.Scenario{
		CRD:    crdHead + properties,
		Object: "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n" + spec,
	}
}

func withMetadata(metadata string) playground.Scenario {
	return playground.Scenario{
		CRD:    crdHead + "              a: {type: integer}\n",
		Object: "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n" + metadata,
	}
}

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func manyDocuments(n int) playground.Scenario {
	s := withSpec("l: {type: array, items: {type: integer}}", "")
	s.Object = strings.TrimPrefix(repeat(n, "---\napiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a%d}\nspec:\n  l:\n"+strings.Repeat("  - a\n", 20)), "---\n")
	return s
}

// manyVersions returns the update of a CRD with many versions, which all change.
func manyVersions(n int) playground.Scenario {
	const version = "  - {name: v1beta%d, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: integer, default: %[1]d}}}}}}}\n"
	s := withSpec("a: {type: integer, default: 1}", "  a: 1\n")
	s.CRD = strings.Replace(s.CRD, "  versions:\n", "  versions:\n"+repeat(n, version), 1)
	s.OldCRD = strings.ReplaceAll(s.CRD, "integer", "string")
	s.OldCRD = strings.ReplaceAll(s.OldCRD, "default: ", "maxLength: ")
	return s
}

func manyOldDocuments(n int) playground.Scenario {
	s := manyDocuments(n)
	s.OldObject = s.Object
	s.OldCRD = s.CRD
	return s
}

// TestGrowth fails if the CPU time of an evaluation grows faster than the scenario.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a long time: make test-long")
	}
	// Collections at random times would dominate small measurements.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	evaluateWhole(t, dimensions[0].scenario(1))
	for _, d := range dimensions {
		t.Run(d.name, func(t *testing.T) { checkGrowth(t, d) })
	}
}

// checkGrowth compares the shortest times of several evaluations, because other
// processes can only prolong them. It ends as soon as the growth is small enough.
func checkGrowth(t *testing.T, d dimension) {
	half, full := d.scenario(d.size), d.scenario(2*d.size)
	short, long := cpuTime(t, half), cpuTime(t, full)
	for range 12 {
		if long < maxGrowth*short {
			return
		}
		short, long = min(short, cpuTime(t, half)), min(long, cpuTime(t, full))
	}
	t.Errorf("%v for size %d, %v for size %d", short, d.size, long, 2*d.size)
}

// cpuTime returns the CPU time of the process in an evaluation of s.
func cpuTime(t *testing.T, s playground.Scenario) time.Duration {
	runtime.GC()
	before := processTime(t)
	evaluateWhole(t, s)
	return processTime(t) - before
}

// processTime returns the CPU time of the process in user mode.
func processTime(t *testing.T) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano())
}

// evaluateWhole evaluates s without caches, and renders the report.
func evaluateWhole(t *testing.T, s playground.Scenario) {
	s.Now = cases.Now
	report, err := engine.New().Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if verdict.IsLimited(report) {
		t.Fatal("the scenario exceeds a limit of the playground")
	}
	if _, err := ui.Panels(report); err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(report); err != nil {
		t.Fatal(err)
	}
}
