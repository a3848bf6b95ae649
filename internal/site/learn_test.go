package site

import (
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestGoalsNameExamples requires that each id and each group of the tables exists, that no goal is
// empty, and that each example has one place.
func TestGoalsNameExamples(t *testing.T) {
	known, listed := map[string]bool{"": true}, map[string]int{}
	for _, e := range examples.All() {
		known[e.ID], known[e.Group] = true, true
	}
	for _, entry := range goalTable {
		for _, name := range append(strings.Fields(entry.ids), entry.group) {
			if !known[name] {
				t.Errorf("%s: there is no example or group %s", entry.title, name)
			}
		}
	}
	for _, pattern := range patterns {
		if !known[pattern.id] {
			t.Errorf("%s: there is no example %s", pattern.title, pattern.id)
		}
	}
	errors := map[string]bool{}
	for _, e := range errorindex.All() {
		errors[e.Code] = true
	}
	for _, c := range changes {
		for id := range strings.FieldsSeq(c.ids) {
			if !known[id] && !errors[id] {
				t.Errorf("%s: there is no example or error %s", c.text, id)
			}
		}
	}
	for _, g := range catalogue() {
		for _, e := range g.examples {
			listed[e.ID]++
		}
		if len(g.examples) == 0 {
			t.Errorf("%s has no examples", g.title)
		}
	}
	for _, e := range examples.All() {
		if listed[e.ID] != 1 {
			t.Errorf("%s has %d places in the catalogue", e.ID, listed[e.ID])
		}
	}
}

// TestReleasesHaveNews requires that each release has a change or a function.
func TestReleasesHaveNews(t *testing.T) {
	answers, err := examples.Exchanges()
	if err != nil {
		t.Fatal(err)
	}
	var lessons []lesson
	for _, e := range examples.All() {
		lessons = append(lessons, lesson{Example: e, answer: answers[e.ID]})
	}
	var got []string
	for _, r := range releasesOf(lessons) {
		line := r.name + " " + r.summary()
		for _, f := range r.functions {
			line += ", " + f.name + ": " + f.ids
		}
		got = append(got, line)
	}
	want := []string{
		"1.37 1 change",
		"1.36 2 changes",
		"1.35 3 changes, flatten: library-list-functions, sortBy: library-list-functions",
		"1.34 4 changes, isSemver: rule-libraries library-semver",
		"1.33 3 changes, all: library-two-variables",
		"1.32 3 changes, format: references library-format",
		"1.31 2 changes, isIP: rule-libraries library-ip, isCIDR: library-cidr",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// mends has the edits that the sentences of the tour describe: a document, and pairs of an old and
// a new text.
var mends = map[string][]string{
	"crontab-validation":   {"object", `"* * * *"`, `"*/5 * * * *"`, "replicas: 15", "replicas: 10"},
	"structural-any-of":    {"object", "bar: 41", "bar: 42", "name: b\n", "name: ab-2\n"},
	"non-structural-items": {"crd", "type: array\n", "type: array\n            items: {type: object, properties: {foo: {type: string}}}\n"},
	"crontab-rules":        {"object", "replicas: 20", "replicas: 10"},
	"rule-map-has-key":     {"object", "{Ready: 1}", "{Available: 1}"},
	"compile-no-overload":  {"crd", "self == true", "self == 1"},
	"cost-refused":         {"crd", "type: array\n", "type: array\n                maxItems: 10\n", "type: string\n", "type: string\n                  maxLength: 100\n"},
	"transition-rule":      {"object", "level: high", "level: medium"},
	"two-storage-versions": {"crd", "- name: v1\n    served: true\n    storage: true", "- name: v1\n    served: true\n    storage: false"},
	"admission-policy":     {"admission", "salami:", "pineapple: \"2.00\"\n  salami:"},
}

// TestTourCanBeMended requires that each step of the tour is rejected, and accepted after its edits.
func TestTourCanBeMended(t *testing.T) {
	evaluate := bundle.Evaluator(engine.New().Evaluate)
	if len(examples.Tour) != len(mends) {
		t.Fatalf("%d steps, %d mends", len(examples.Tour), len(mends))
	}
	for _, s := range examples.Tour {
		scenario, edits := exampleOf(s.ID).Scenario, mends[s.ID]
		for _, accepted := range []bool{false, true} {
			report, err := evaluate(t.Context(), scenario)
			if err != nil {
				t.Fatal(err)
			}
			rejected := slices.ContainsFunc(report.Objects, func(o playground.Object) bool { return !o.Accepted })
			if got := report.CRD.Accepted && !rejected; got != accepted {
				t.Errorf("%s: accepted %t, want %t: %v", s.ID, got, accepted, report.CRD.Output)
			}
			text := scenario.Text(playground.Document(edits[0]))
			*text = strings.NewReplacer(edits[1:]...).Replace(*text)
		}
	}
}
