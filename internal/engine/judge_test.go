//go:build !js

package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"

	"github.com/crdlab/crdlab/internal/engine/judge"
	"github.com/crdlab/crdlab/internal/engine/trial"
	"github.com/crdlab/crdlab/internal/engine/verdict"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/limits"
)

// TestJudge evaluates every case with the engine and with the API server's own
// request handlers, which must agree.
func TestJudge(t *testing.T) {
	e, judge := whole.New(), newJudge(t)
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			if c.Scenario.Kubernetes != "" {
				t.Skip("the handlers show the newest release")
			}
			report, err := e.Evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			compareWithJudge(t, judge, c.Scenario, report)
			newRuleJudge(t, c.Scenario, report).compare(t, c.Scenario, report)
		})
	}
}

func newJudge(t *testing.T) *trial.Trial {
	cluster, err := judge.New()
	if err != nil {
		t.Fatal(err)
	}
	return trial.New(cluster, whole.New().Evaluate)
}

// compareWithJudge fails if the judge answers s differently than report does.
func compareWithJudge(t *testing.T, judge *trial.Trial, s playground.Scenario, report playground.Report) {
	if verdict.Limited(report) || isBeta(s) && !report.CRD.Accepted {
		return // upstream's code was not asked, or not about this CRD
	}
	judged, err := judge.Judge(s)
	var unasked *trial.UnaskedError
	if errors.As(err, &unasked) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := judged.Normal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := verdict.Of(report).Normal(s)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(want.Objects, func(o verdict.Object) bool { return o.Open }) {
		want.Tables, got.Tables = nil, nil // they hang on the webhook, too
	}
	dropNow(want, s.Now)
	dropNow(got, s.Now)
	if diff := verdict.Diff(want, got); diff != "" {
		t.Errorf("(-judge +engine):\n%s", diff)
	}
}

// dropNow hides the time of the request where columns of type string show it:
// the judge has that of the clock.
func dropNow(v verdict.Verdict, now string) {
	for _, table := range v.Tables {
		for _, row := range table.Rows {
			for i, cell := range row {
				text, _ := cell.(string)
				if at, err := time.Parse(time.RFC3339, text); err == nil && (text == now || time.Since(at) < time.Hour) {
					row[i] = "<now>"
				}
			}
		}
	}
}

// isBeta says whether the CRD is of v1beta1. That is not served any more, so
// the judge is asked about what it converts to.
func isBeta(s playground.Scenario) bool {
	document := crdDocument(s.CRD)
	if document == nil {
		return false
	}
	version, _ := document.Lookup("apiVersion")
	return version == apiextensionsv1beta1.SchemeGroupVersion.String()
}

// crdDocument is the document of a text that counts; nil if there is none.
func crdDocument(text string) *source.Document {
	all := documents(text)
	isCRD := func(d *source.Document) bool { kind, _ := d.Lookup("kind"); return kind == "CustomResourceDefinition" }
	if i := slices.IndexFunc(all, isCRD); i >= 0 {
		return all[i]
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// documents are the documents of a text that are not empty, readable or not.
func documents(text string) []*source.Document {
	file, _ := source.Parse(text, limits.Limits{})
	if file == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(file.Documents), (*source.Document).Empty)
}
