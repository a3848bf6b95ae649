package examples_test

import (
	"encoding/csv"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/examples"
)

var update = flag.Bool("update", false, "rewrite the outcomes of the headings")

// headingsFile lists the headings of the Kubernetes documentation that crdlab
// reproduces. For each heading it names the example, the case that tests it,
// the expected outcome, and whether a real API server agrees. A heading without
// an example gives the reason.
const headingsFile = "testdata/headings.tsv"

// Columns of headingsFile.
const (
	documentColumn = iota
	headingColumn
	itemColumn
	exampleColumn
	caseColumn
	outcomeColumn
	serverColumn
	columns
)

func TestHeadings(t *testing.T) {
	rows := readHeadings(t)
	known := newKnown(t)
	want := [][]string{rows[0]}
	for _, row := range rows[1:] {
		want = append(want, known.describe(t, slices.Clone(row)))
	}
	if *update {
		writeHeadings(t, want)
		return
	}
	for i := range rows {
		if !slices.Equal(rows[i], want[i]) {
			t.Errorf("line %d: %q, want %q (-update)", i+1, rows[i], want[i])
		}
	}
}

// TestHeadingsHaveAllCases fails if a case from the documentation is under no
// heading.
func TestHeadingsHaveAllCases(t *testing.T) {
	listed := map[string]bool{}
	for _, row := range readHeadings(t) {
		listed[row[caseColumn]] = true
	}
	for name := range newKnown(t).cases {
		if strings.HasPrefix(name, "docs/") && !listed[name] {
			t.Errorf("no heading has the case %s", name)
		}
	}
}

// known indexes the examples, cases and recordings to which rows refer.
type known struct {
	examples   map[string]bool
	cases      map[string]cases.Case
	recordings map[string]cases.Recording
}

func newKnown(t *testing.T) known {
	const testdata = "../engine/testdata"
	k := known{examples: map[string]bool{}, cases: map[string]cases.Case{}}
	for _, e := range examples.All() {
		k.examples[e.ID] = true
	}
	all, err := cases.Read(testdata)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		k.cases[c.Name] = c
	}
	if k.recordings, err = cases.ReadRecordings(testdata); err != nil {
		t.Fatal(err)
	}
	return k
}

// describe computes the derived columns of a row.
func (k known) describe(t *testing.T, row []string) []string {
	example, name := row[exampleColumn], row[caseColumn]
	if example == "" && name == "" {
		if row[outcomeColumn] == "" {
			t.Errorf("%s: neither an example nor a reason for having none", row[headingColumn])
		}
		return row
	}
	c, ok := k.cases[name]
	if !ok || !k.examples[example] {
		t.Errorf("%s: no example %q or no case %q", row[headingColumn], example, name)
		return row
	}
	if c.Example != "" && c.Example != example {
		t.Errorf("%s: the case %s is of the example %s, not of %s", row[headingColumn], name, c.Example, example)
	}
	row[outcomeColumn] = outcome(t, c)
	row[serverColumn] = "agrees" // or TestRecordings fails
	switch recording := k.recordings[name]; {
	case recording.Unasked != "":
		row[serverColumn] = "not asked: " + recording.Unasked
	case !recording.IsOf(c):
		row[serverColumn] = "not recorded"
	}
	return row
}

// outcome summarizes the expected outcome of a case.
func outcome(t *testing.T, c cases.Case) string {
	type result struct {
		Name     string
		Accepted bool
		Deleted  bool
	}
	var want struct {
		CRD     result
		Objects []result
	}
	want.CRD.Accepted = true // unless the case says otherwise
	if err := yaml.Unmarshal(c.Want, &want); err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	word := func(r result) string {
		switch {
		case r.Deleted:
			return "deleted"
		case r.Accepted:
			return "accepted"
		}
		return "rejected"
	}
	words := []string{"CRD " + word(want.CRD)}
	if want.CRD.Accepted {
		for _, o := range want.Objects {
			words = append(words, strings.TrimSpace(o.Name+" "+word(o)))
		}
	}
	return strings.Join(words, ", ")
}

func readHeadings(t *testing.T) [][]string {
	file, err := os.Open(headingsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma, reader.FieldsPerRecord = '\t', columns
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func writeHeadings(t *testing.T, rows [][]string) {
	file, err := os.Create(headingsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	writer := csv.NewWriter(file)
	writer.Comma = '\t'
	if err := writer.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
}
