//go:build !js

package revisions_test

import (
	"testing"

	"github.com/crdlab/crdlab/internal/enginetest/generate"
	"github.com/crdlab/crdlab/internal/enginetest/revisions"
)

// crd has a field of each type, below an object, a list and a map.
const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {name: {type: string}, color: {type: string}}}}}}
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [name]
            properties:
              name: {type: string}
              day: {type: string, format: date}
              color: {type: string, enum: [red, green]}
              replicas: {type: integer, minimum: 1, maximum: 10}
              ratio: {type: number}
              paused: {type: boolean}
              tags: {type: array, items: {type: string}}
              jobs: {type: array, items: {type: object, properties: {command: {type: string}, retries: {type: integer, default: 3}}}}
              labels: {type: object, additionalProperties: {type: string, maxLength: 10}}
`

// object is an object of the CRD with all fields.
const object = `
apiVersion: example.com/v1
kind: Thing
metadata: {name: example}
spec: {name: a, color: red, replicas: 2, ratio: 0.5, paused: true, tags: [a, b], jobs: [{command: c}], labels: {a: b}, day: "2026-01-02"}
`

// TestCheck checks the classes of random changes against the API server's handlers. The
// program in conformance/revisions checks more of them.
func TestCheck(t *testing.T) {
	seed, ok := generate.NewSeed("things", crd, object, "")
	if !ok {
		t.Fatal("the CRD is unsuitable")
	}
	generator := generate.New([]generate.Seed{seed}, 1)
	checker, err := revisions.New(30)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if err := checker.Check(generator.Revision(i)); err != nil {
			t.Fatal(err)
		}
	}
	tally := checker.Tally()
	t.Logf("%d pairs: %d break, %d may break, %d are compatible; %d witnesses; %d of %d tries accepted; %d pairs rejected",
		tally.Pairs, tally.Breaks, tally.MayBreak, tally.Compatible, tally.Witnesses, tally.Accepted, tally.Tries, tally.Rejected)
	for _, wrong := range tally.Wrong {
		t.Errorf("%s: %s\nthe old CRD:\n%s\nthe new CRD:\n%s\nthe object:\n%s", wrong.Revision.Change, wrong.Reason, wrong.Revision.Old, wrong.Revision.New, wrong.Object)
	}
	if tally.Breaks < 20 || tally.Compatible < 10 || tally.Accepted < 100 {
		t.Error("the pairs no longer test each class")
	}
}
