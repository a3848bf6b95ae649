// Package judged replaces the newest release's verdict in a report by the verdict of an
// older Kubernetes release, given by its own libraries.
package judged

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// A Newest is the verdict of the newest release on a scenario, to compare others
// with.
type Newest struct {
	scenario playground.Scenario
	verdict  verdict.Verdict // normalized
}

// NewNewest returns the verdict in a report of the newest release.
func NewNewest(report playground.Report, s playground.Scenario) (Newest, error) {
	v, err := verdict.Of(report).Normal(s)
	if err != nil {
		return Newest{}, fmt.Errorf("normalize the newest release's verdict: %w", err)
	}
	return Newest{s, v}, nil
}

// ExceedsStorage reports whether etcd's limit rejects the CRD or an object. The limit is
// the same in all releases, but the programs have no etcd.
func ExceedsStorage(report playground.Report) bool {
	isSize := func(f playground.Finding) bool {
		return f.Severity == playground.SeverityError && (f.Stage == playground.StageCRDSize || f.Stage == playground.StageSize)
	}
	return slices.ContainsFunc(report.CRD.Findings, isSize) ||
		slices.ContainsFunc(report.Objects, func(o playground.Object) bool { return slices.ContainsFunc(o.Findings, isSize) })
}

// Differences returns the differences of an older release's verdict from the newest
// release. It compares objects only if both releases accept the CRD.
func (n Newest) Differences(older verdict.Verdict) ([]playground.Difference, error) {
	older, err := older.Normal(n.scenario)
	if err != nil {
		return nil, fmt.Errorf("normalize a verdict: %w", err)
	}
	c := &comparison{differences: []playground.Difference{}, document: playground.DocumentCRD}
	c.responses(older.CRD.Response, n.verdict.CRD.Response)
	if !older.CRD.Accepted() || !n.verdict.CRD.Accepted() {
		return c.differences, nil
	}
	c.document = playground.DocumentObject
	for i := range min(len(older.Objects), len(n.verdict.Objects)) {
		c.object = i
		c.objects(older.Objects[i], n.verdict.Objects[i])
	}
	c.object = 0
	if c.accepts(older) == c.accepts(n.verdict) {
		c.tables(older.Tables, n.verdict.Tables)
	}
	return c.differences, nil
}

// A comparison collects differences.
type comparison struct {
	differences []playground.Difference
	document    playground.Document
	object      int
}

func (c *comparison) add(part playground.DifferencePart, field string, older, newest any) {
	c.differences = append(c.differences, playground.Difference{
		Document: c.document, Object: c.object, Part: part, Field: field, Value: jsonvalue.Encode(older), Newest: jsonvalue.Encode(newest),
	})
}

// accepts returns the number of accepted objects.
func (c *comparison) accepts(v verdict.Verdict) (accepted int) {
	for _, object := range v.Objects {
		if object.Accepted() {
			accepted++
		}
	}
	return accepted
}

func (c *comparison) responses(older, newest verdict.Response) {
	switch {
	case older.Accepted() != newest.Accepted():
		c.add(playground.PartVerdict, "", statusOf(older), statusOf(newest))
	case older.Code != newest.Code || older.Reason != newest.Reason || older.Message != newest.Message || !equal(older.Causes, newest.Causes):
		c.add(playground.PartMessage, "", statusOf(older), statusOf(newest))
	}
	if !slices.Equal(older.Warnings, newest.Warnings) {
		c.add(playground.PartWarnings, "", nonNil(older.Warnings), nonNil(newest.Warnings))
	}
}

func (c *comparison) objects(older, newest verdict.Object) {
	if older.Open || newest.Open {
		return // the responses of a webhook decide
	}
	c.responses(older.Response, newest.Response)
	if !older.Accepted() || !newest.Accepted() {
		return
	}
	sortManagers(older.Stored)
	sortManagers(newest.Stored)
	c.stored(older.Stored, newest.Stored)
	if equal(older.Stored, newest.Stored) && !equal(withoutManagers(older.Versions), withoutManagers(newest.Versions)) || !equal(older.Scale, newest.Scale) {
		c.add(playground.PartRead, "", reads(older), reads(newest))
	}
}

// sortManagers sorts the entries of metadata.managedFields, whose order depends on the
// clock.
func sortManagers(object any) {
	entries, _ := verdict.Metadata(object)["managedFields"].([]any)
	slices.SortFunc(entries, func(a, b any) int { return bytes.Compare(jsonvalue.Encode(a), jsonvalue.Encode(b)) })
}

// reads returns the responses to GET requests.
func reads(o verdict.Object) any {
	return map[string]any{"versions": o.Versions, "scale": o.Scale}
}

// withoutManagers returns readings without metadata.managedFields, which the stored
// object has, too.
func withoutManagers(versions map[string]verdict.Reading) map[string]verdict.Reading {
	for _, reading := range versions {
		delete(verdict.Metadata(reading.Object), "managedFields")
	}
	return versions
}

// stored adds the fields of the stored objects that differ.
func (c *comparison) stored(older, newest any) {
	for _, change := range jsonvalue.Diff(older, newest, nil) {
		before, _ := jsonvalue.At(older, change.Path)
		after, _ := jsonvalue.At(newest, change.Path)
		c.add(playground.PartStored, jsonvalue.PathString(change.Path), before, after)
	}
}

func (c *comparison) tables(older, newest []verdict.Table) {
	if equal(older, newest) {
		return
	}
	for _, o := range older {
		i := slices.IndexFunc(newest, func(t verdict.Table) bool { return t.Version == o.Version })
		if i < 0 || equal(o, newest[i]) {
			continue
		}
		c.add(playground.PartTable, o.Version, o, newest[i])
	}
}

func statusOf(r verdict.Response) playground.Status {
	return playground.Status{Code: r.Code, Reason: r.Reason, Message: r.Message}
}

// equal reports whether two values have the same JSON.
func equal(a, b any) bool { return string(jsonvalue.Encode(a)) == string(jsonvalue.Encode(b)) }

func nonNil(list []string) []string { return append([]string{}, list...) }

// SetSince sets the first release from which on each difference does not exist. The
// map holds the differences of the releases after the judged one, by minor version;
// a release that did not judge the scenario is absent.
func SetSince(differences []playground.Difference, minor int, later map[int][]playground.Difference) {
	for i := range differences {
		differences[i].Since = since(differences[i], minor, later)
	}
}

func since(d playground.Difference, minor int, later map[int][]playground.Difference) string {
	for next := minor + 1; next < playground.NewestMinor; next++ {
		known, ok := later[next]
		if !ok {
			return ""
		}
		remains := func(other playground.Difference) bool {
			return other.Document == d.Document && other.Object == d.Object && other.Part == d.Part && other.Field == d.Field
		}
		if !slices.ContainsFunc(known, remains) {
			return fmt.Sprintf("1.%d", next)
		}
	}
	return fmt.Sprintf("1.%d", playground.NewestMinor)
}
