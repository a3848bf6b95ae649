package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

const thingCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {l: {type: array, items: {type: integer}}}}}}
`

// thingOf returns an object with a list of strings, which is an error for each of them.
func thingOf(name string, wrong int) string {
	return fmt.Sprintf("apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: %s}\nl: [%s]\n", name, strings.Repeat("a, ", wrong))
}

func evaluateThing(t *testing.T, s playground.Scenario) playground.Report {
	t.Helper()
	if s.CRD == "" {
		s.CRD = thingCRD
	}
	report, err := engine.New().Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// summary counts findings by severity, and returns the message about omitted findings.
func summary(findings []playground.Finding) string {
	counts := map[playground.Severity]int{}
	for _, f := range findings {
		if f.Reason == playground.ReasonOmitted {
			return fmt.Sprintf("%d errors, %d warnings, %s", counts[playground.SeverityError], counts[playground.SeverityWarning], f.Message)
		}
		counts[f.Severity]++
	}
	return fmt.Sprintf("%d errors, %d warnings", counts[playground.SeverityError], counts[playground.SeverityWarning])
}

func TestOmittedFindings(t *testing.T) {
	unknown := &strings.Builder{}
	for i := range 600 {
		fmt.Fprintf(unknown, "u%d: 1\n", i)
	}
	for name, c := range map[string]struct {
		scenario playground.Scenario
		want     string
	}{
		"few errors":  {playground.Scenario{Object: thingOf("a", 500)}, "500 errors, 0 warnings"},
		"many errors": {playground.Scenario{Object: thingOf("a", 700)}, "500 errors, 0 warnings, 200 more findings are not listed"},
		"errors after many warnings": {
			playground.Scenario{Object: thingOf("a", 2) + unknown.String(), FieldValidation: playground.FieldValidationWarn},
			"2 errors, 498 warnings, 102 more findings are not listed",
		},
		"one error too many": {playground.Scenario{Object: thingOf("a", 501)}, "500 errors, 0 warnings, 1 more finding is not listed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary(evaluateThing(t, c.scenario).Objects[0].Findings); got != c.want {
				t.Errorf("got %s; want %s", got, c.want)
			}
		})
	}
}

// TestOmittedFindingsKeepVerdict checks that the response of the API server names the
// errors whose findings are omitted.
func TestOmittedFindingsKeepVerdict(t *testing.T) {
	object := evaluateThing(t, playground.Scenario{Object: thingOf("a", 700)}).Objects[0]
	for _, s := range []string{object.Status.Message, object.Output} {
		if !strings.Contains(s, "l[699]: Invalid value") {
			t.Errorf("the last error is missing in a message of %d bytes", len(s))
		}
	}
	for _, stage := range object.Stages {
		if stage.Name == playground.StageValidate && (stage.Findings != 700 || stage.Outcome != playground.OutcomeFail) {
			t.Errorf("the stage has %d findings and the outcome %s", stage.Findings, stage.Outcome)
		}
	}
}

// TestOmittedFindingsOfDocuments checks that all documents share the limit, and that
// each of them has some findings.
func TestOmittedFindingsOfDocuments(t *testing.T) {
	var documents []string
	for i := range 20 {
		documents = append(documents, thingOf(fmt.Sprintf("a%d", i), 300))
	}
	s := playground.Scenario{Object: strings.Join(documents, "---\n"), Operation: playground.OperationCreate}
	s.OldObject, s.OldCRD = s.Object, strings.ReplaceAll(thingCRD, "integer", "string")
	report := evaluateThing(t, s)
	requested, stored := 0, 0
	for i, object := range report.Objects {
		requested += len(object.Findings)
		stored += len(report.StoredObjects[i].Findings)
		if len(object.Findings) < 4 || len(report.StoredObjects[i].Findings) < 4 {
			t.Errorf("document %d has %d findings, and %d as a stored object", i, len(object.Findings), len(report.StoredObjects[i].Findings))
		}
	}
	const most = 500 + 20 // and a finding about omitted ones for each document
	if requested > most || stored > most {
		t.Errorf("%d findings in all objects, and %d in all stored objects", requested, stored)
	}
}

func TestOmittedFindingsOfCRD(t *testing.T) {
	properties := &strings.Builder{}
	for i := range 700 {
		fmt.Fprintf(properties, "f%d: {type: wrong}, ", i)
	}
	crd := evaluateThing(t, playground.Scenario{CRD: strings.Replace(thingCRD, "properties: {", "properties: {"+properties.String(), 1)}).CRD
	if got := summary(crd.Findings); !strings.HasPrefix(got, "500 errors, 0 warnings, ") {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(crd.Status.Message, "properties[f699].type") {
		t.Errorf("the last error is missing in a message of %d bytes", len(crd.Status.Message))
	}
}
