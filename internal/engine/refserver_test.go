//go:build !js

package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest"
	"github.com/crdlab/crdlab/internal/enginetest/verdictdiff"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/verdict"
)

// TestReferenceServer evaluates every case with the engine and with the API
// server's own request handlers. Both must agree.
func TestReferenceServer(t *testing.T) {
	reference := newReferenceClient(t)
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			if c.Scenario.Kubernetes != "" {
				t.Skip("the handlers show the newest release")
			}
			report := reportOn(t, c.Scenario)
			compareWithReference(t, reference, c.Scenario, report)
			newRuleValidators(t, c.Scenario, report).compare(t, c.Scenario, report)
		})
	}
}

func newReferenceClient(t *testing.T) *apiclient.Client {
	client, err := enginetest.NewRefClient()
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// compareWithReference fails if the reference server's verdict on s differs from
// the report.
func compareWithReference(t *testing.T, reference *apiclient.Client, s playground.Scenario, report playground.Report) {
	if verdict.IsLimited(report) {
		return // no upstream code ran, or the CRD is not the one that was converted
	}
	v, err := reference.Run(s)
	if _, ok := errors.AsType[*apiclient.UnsupportedError](err); ok {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := v.Normal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := verdict.Of(report).Normal(s)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(want.Objects, func(o verdict.Object) bool { return o.Open }) {
		want.Tables, got.Tables = nil, nil // they depend on the webhook, too
	}
	dropNow(want, s.Now)
	dropNow(got, s.Now)
	if diff := verdictdiff.Describe(want, got); diff != "" {
		t.Errorf("(-reference server +engine):\n%s", diff)
	}
}

// dropNow replaces the time of the request in columns of type string: the
// reference server reads the clock.
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

// crdDocument returns the first CRD of a YAML source, or its first document if
// it has no CRD; nil if it has no document.
func crdDocument(yaml string) *source.Document {
	all := documents(yaml)
	isCRD := func(d *source.Document) bool { kind, _ := d.Lookup("kind"); return kind == "CustomResourceDefinition" }
	if i := slices.IndexFunc(all, isCRD); i >= 0 {
		return all[i]
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// documents returns the documents of a YAML source that are not empty, including
// documents with syntax errors.
func documents(yaml string) []*source.Document {
	file, _ := source.Parse(yaml, source.Limits{})
	if file == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(file.Documents), (*source.Document).Empty)
}
