package assist_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// assistTimeout is the deadline of an assist request. The first request builds the types.
const assistTimeout = time.Minute

const assistCRD = `apiVersion: apiextensions.k8s.io/v1
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
            properties: {replicas: {type: integer}}
            x-kubernetes-validations: [{rule: self.replicas > 0}]
`

const assistObject = `apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec: {replicas: 1}
`

// TestAssistOnEveryRelease sends each kind of assist request for each release.
// A request that locks the release twice would never return.
func TestAssistOnEveryRelease(t *testing.T) {
	e := engine.New()
	for minor := playground.OldestMinor; minor <= playground.NewestMinor; minor++ {
		release := fmt.Sprintf("1.%d", minor)
		t.Run(release, func(t *testing.T) {
			for name, q := range assistRequests(release) {
				returned := make(chan error, 1)
				go func() {
					_, err := assist.New(e).Respond(context.Background(), q)
					returned <- err
				}()
				select {
				case err := <-returned:
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				case <-time.After(assistTimeout):
					t.Fatalf("%s: no response within %v", name, assistTimeout)
				}
			}
		})
		if t.Failed() {
			return // A request that hangs also blocks its successors.
		}
	}
}

// assistRequests returns requests of each kind for a release, by name.
func assistRequests(release string) map[string]playground.AssistRequest {
	s := playground.Scenario{Kubernetes: release, CRD: assistCRD, Object: assistObject}
	inCRD := playground.Cursor{Scenario: s, Document: playground.DocumentCRD, Position: playground.Position{Line: 17, Character: 50}}
	inObject := playground.Cursor{Scenario: s, Document: playground.DocumentObject, Position: playground.Position{Line: 3, Character: 8}}
	trial := playground.Expression{Expression: "self.replicas", Path: "spec"}
	inConsole := playground.Cursor{Scenario: s, Trial: &trial, Position: playground.Position{Character: 7}}
	return map[string]playground.AssistRequest{
		"completion in the CRD":            {Complete: &inCRD},
		"completion in the object":         {Complete: &inObject},
		"completion in the console":        {Complete: &inConsole},
		"hover in the CRD":                 {Hover: &inCRD},
		"hover in the object":              {Hover: &inObject},
		"hover in the console":             {Hover: &inConsole},
		"sample":                           {Sample: &playground.SampleRequest{CRD: s.CRD}},
		"format":                           {Format: &playground.FormatRequest{Text: s.Object}},
		"evaluation":                       {Try: &playground.TryRequest{Scenario: s, Trial: trial}},
		"evaluation at a position":         {Try: &playground.TryRequest{Scenario: s, Trial: trial, Position: &inObject.Position}},
		"evaluation for an unknown object": {Try: &playground.TryRequest{Scenario: s, Trial: playground.Expression{Expression: "self", Object: 7}}},
	}
}
