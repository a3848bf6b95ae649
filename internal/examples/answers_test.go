package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

const answersFile = "answers.json"

// TestAnswers compares the responses that the pages of the examples show with the engine's.
func TestAnswers(t *testing.T) {
	evaluate := bundle.Evaluator(engine.New().Evaluate)
	answers := map[string]examples.Exchange{}
	for _, example := range examples.All() {
		report, err := evaluate(t.Context(), example.Scenario)
		if err != nil {
			t.Fatalf("%s: %v", example.ID, err)
		}
		answers[example.ID] = answerOf(report)
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(answers); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(answersFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(answersFile); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s differs from the engine's answers (-update): %v", answersFile, err)
	}
}

func answerOf(report playground.Report) examples.Exchange {
	crd := examples.Reply{Document: playground.DocumentCRD, Accepted: report.CRD.Accepted, Output: report.CRD.Output}
	for _, condition := range report.CRD.Conditions {
		if condition.Type == "NonStructuralSchema" || condition.Status == "False" {
			crd.Effects = append(crd.Effects, fmt.Sprintf("The condition %s is %s: %s", condition.Type, condition.Status, condition.Message))
		}
	}
	answer := examples.Exchange{Requests: []examples.Reply{crd}}
	findings := slices.Concat(report.CRD.Findings, report.Conversion.Findings)
	if report.Admission != nil {
		findings = append(findings, report.Admission.Findings...)
	}
	for _, object := range report.Objects {
		findings = append(findings, object.Findings...)
		if !crd.Accepted {
			continue
		}
		answer.Requests = append(answer.Requests, examples.Reply{
			Document: playground.DocumentObject, Accepted: object.Accepted, Output: object.Output, Effects: effectsOf(object),
		})
	}
	for _, f := range findings {
		answer.Findings = append(answer.Findings, examples.Mark{Code: f.Code, Document: f.Document, Range: f.Range, Severity: f.Severity})
	}
	for _, r := range report.CRD.Rules {
		rule := examples.RuleCost{Rule: r.Rule, Cost: r.EstimatedCost, CostLimit: r.CostLimit, Kubernetes: r.MinKubernetes, Needs: r.Needs}
		if r.MinKubernetes != "" && !slices.Contains(answer.Rules, rule) {
			answer.Rules = append(answer.Rules, rule)
		}
	}
	for _, table := range report.Tables[:min(1, len(report.Tables))] {
		dates := slices.DeleteFunc(slices.Clone(table.Columns), func(c playground.Column) bool { return c.Type != "date" || c.Name == "Age" })
		if len(table.Columns) > 2 && len(dates) == 0 {
			answer.Table = table.Get
		}
	}
	return answer
}

// effectsOf describes the changes of an object, except of its metadata.
func effectsOf(object playground.Object) []string {
	var effects []string
	for _, stage := range object.Stages {
		for _, change := range stage.Changes {
			if strings.HasPrefix(change.Path, "metadata") || change.Path == "apiVersion" {
				continue
			}
			verb := map[playground.ChangeOp]string{
				playground.ChangeAdd: "Sets %s to %s: %s", playground.ChangeRemove: "Drops %s, which was %s: %s", playground.ChangeReplace: "Replaces %s by %s: %s",
			}[change.Op]
			effects = append(effects, fmt.Sprintf(verb, change.Path, change.Value, change.Because))
		}
	}
	for _, version := range object.Versions {
		if version.Error != "" {
			effects = append(effects, fmt.Sprintf("Reading at %s fails: %s", version.Name, version.Error))
		}
	}
	return effects
}
