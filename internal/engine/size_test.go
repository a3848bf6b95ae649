package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

const sizedCRD = `apiVersion: apiextensions.k8s.io/v1
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
        description: "DESCRIPTION"
        properties:
          text: {type: string}
          list: {type: array, items: {type: integer}}
`

const sizedObject = `apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
list: [1, 2, 3]
text: TEXT
`

// sizeResult is the part of a report that depends on the size of a document.
type sizeResult struct {
	Accepted bool
	Status   playground.Status
	Ended    string // the stage that ended the request
	Largest  []playground.FieldSize
	Warning  string
}

// TestObjectSize uses documents that are too long for case files. The statuses are
// from a real API server with etcd.
func TestObjectSize(t *testing.T) {
	const applyWarning = "kubectl apply without --server-side fails: metadata.annotations: Too long: may not be more than 262144 bytes"
	tooLarge := playground.Status{Code: 500, Message: "etcdserver: request is too large"}
	for name, c := range map[string]struct {
		text int
		want sizeResult
	}{
		"small":              {1000, sizeResult{Accepted: true, Status: playground.Status{Code: 201}}},
		"noticeable":         {200_000, sizeResult{Accepted: true, Status: playground.Status{Code: 201}, Largest: largest(200_002)}},
		"for server-side":    {300_000, sizeResult{Accepted: true, Status: playground.Status{Code: 201}, Largest: largest(300_002), Warning: applyWarning}},
		"just small enough":  {finding.SizeLimit - 500, sizeResult{Accepted: true, Status: playground.Status{Code: 201}, Largest: largest(finding.SizeLimit - 498), Warning: applyWarning}},
		"too large":          {finding.SizeLimit - 200, sizeResult{Status: tooLarge, Ended: playground.StageSize, Largest: largest(finding.SizeLimit - 198)}},
		"over the text size": {3 << 20, sizeResult{Status: playground.Status{Message: "the input is longer than 3145728 bytes: 3145810"}, Ended: playground.StageDecode}},
	} {
		t.Run(name, func(t *testing.T) {
			object := strings.Replace(sizedObject, "TEXT", strings.Repeat("x", c.text), 1)
			report := evaluate(t, engine.New(), playground.Scenario{CRD: sizedCRD, Object: object})
			got := report.Objects[0]
			if diff := cmp.Diff(c.want, newSizeResult(got.Accepted, got.Status, got.Size, got.Findings)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if stored := got.Stored != nil; stored != got.Accepted {
				t.Errorf("stored is %v", stored)
			}
		})
	}
}

func TestCRDSize(t *testing.T) {
	const message = "kubectl apply without --server-side fails: metadata.annotations: Too long: may not be more than 262144 bytes"
	path := "spec.versions[0].schema.openAPIV3Schema.description"
	for name, c := range map[string]struct {
		operation   string
		description int
		want        sizeResult
	}{
		"small":               {"", 1000, sizeResult{Accepted: true, Status: playground.Status{Code: 201}}},
		"for server-side":     {"", 300_000, sizeResult{Accepted: true, Status: playground.Status{Code: 201}, Largest: []playground.FieldSize{{Path: path, Bytes: 300_002}}, Warning: message}},
		"applied server-side": {playground.OperationApply, 300_000, sizeResult{Accepted: true, Status: playground.Status{Code: 201}, Largest: []playground.FieldSize{{Path: path, Bytes: 300_002}}}},
		"applied client-side": {playground.CRDOperationClientApply, 300_000, sizeResult{
			Status: playground.Status{Code: 422, Reason: "Invalid", Message: `CustomResourceDefinition.apiextensions.k8s.io "things.example.com" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes`},
			Ended:  playground.StageCRDValidate,
		}},
		"too large": {"", finding.SizeLimit, sizeResult{
			Status: playground.Status{Code: 500, Message: "etcdserver: request is too large"}, Ended: playground.StageCRDSize,
			Largest: []playground.FieldSize{{Path: path, Bytes: finding.SizeLimit + 2}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sizedCRD, "DESCRIPTION", strings.Repeat("x", c.description), 1)
			got := evaluate(t, engine.New(), playground.Scenario{CRD: text, CRDOperation: c.operation}).CRD
			if diff := cmp.Diff(c.want, newSizeResult(got.Accepted, got.Status, got.Size, got.Findings)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func largest(bytes int) []playground.FieldSize {
	return []playground.FieldSize{{Path: "text", Bytes: bytes}}
}

func newSizeResult(accepted bool, status playground.Status, size *playground.Size, findings []playground.Finding) sizeResult {
	result := sizeResult{Accepted: accepted, Status: status}
	if size != nil {
		result.Largest = size.Largest
	}
	for _, f := range findings {
		switch f.Severity {
		case playground.SeverityWarning:
			result.Warning = f.Message
		case playground.SeverityError:
			result.Ended = f.Stage
		}
	}
	return result
}
