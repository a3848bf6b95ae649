package celvalue_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
)

func TestReads(t *testing.T) {
	tests := []struct {
		expression, path string
		want             bool
	}{
		{"self.a <= self.b", "a", true},
		{"self.a <= self.b", "c", false},
		{"self.a.b > 1", "a", true},
		{"self.a == oldSelf.a", "a.b", true},
		{"size(self.jobs) > 1", "jobs", true},
		{"size(self.jobs) > 1", "jobs.*.name", false},
		{"self.jobs.size() > 1", "jobs.*.name", false},
		{"self.jobs.all(j, j.name != '')", "jobs.*.name", true},
		{"self.jobs.all(j, j.name != '')", "jobs.*.size", false},
		{"self.jobs.all(j, j.parts.exists(p, p.kind == j.name))", "jobs.*.parts.*.kind", true},
		{"self.jobs[0].name == ''", "jobs.*.name", true},
		{"self.labels['x'] == ''", "labels.*", true},
		{"self.labels.all(k, v, v.on)", "labels.*.on", true},
		{"self.limits[self.choice] > 1", "choice", true},
		{"has(self.a)", "a", true},
		{"!has(self.a) || self.?b.orValue(1) > 0", "b", true},
		{"self.x__dash__y > 1", "x-y", true},
		{"cel.bind(v, self.a.b, v.c > 1 && v.c < 5)", "a.b.c", true},
		{"self in [1, 2]", "", true},
		{"'a' in self.tags", "tags.*", true},
		{"[self.a, self.b].exists(v, v > 1)", "b", true},
		{"1 < 2", "a", false},
		{"self.a <", "a", false},
	}
	for _, test := range tests {
		path := strings.FieldsFunc(test.path, func(r rune) bool { return r == '.' })
		if got := celvalue.Reads(test.expression, path); got != test.want {
			t.Errorf("Reads(%q, %q) = %v", test.expression, test.path, got)
		}
	}
}

func TestOperands(t *testing.T) {
	tests := []struct {
		expression string
		paths      [][]string
		literals   []any
	}{
		{"!has(self.image) || self.image != 'latest'", [][]string{{"image"}}, []any{"latest"}},
		{"self.jobs.all(j, size(j.name) < 5 && j.load < 1.5)", [][]string{{"jobs"}, {"jobs", "*", "name"}, {"jobs", "*", "load"}}, []any{int64(5), 1.5}},
		{"self.a == oldSelf.a", [][]string{{"a"}}, nil},
		{"self.a <", nil, nil},
	}
	for _, test := range tests {
		paths, literals := celvalue.Operands(test.expression)
		if !reflect.DeepEqual(paths, test.paths) || !reflect.DeepEqual(literals, test.literals) {
			t.Errorf("Operands(%q) = %v, %v", test.expression, paths, literals)
		}
	}
}

func TestSelections(t *testing.T) {
	tests := []struct {
		expression, path, want string
	}{
		{"self.a <= self.b", "a", "self.[a] <= self.b"},
		{"self.a.a <= self.a", "a", "self.[a].a <= self.[a]"},
		{"self.a.a <= self.a", "a.a", "self.a.[a] <= self.a"},
		{"has(self.a) && self.?a.orValue(0) > oldSelf.a", "a", "has(self.[a]) && self.?[a].orValue(0) > oldSelf.[a]"},
		{"'é' != self.\n  a && self.b == 'self.a'", "a", "'é' != self.\n  [a] && self.b == 'self.a'"},
		{"self.jobs.all(j, j.name != '' && self.jobs.exists_one(k, k.name == j.name))", "jobs.*.name", "self.jobs.all(j, j.[name] != '' && self.jobs.exists_one(k, k.[name] == j.[name]))"},
		{"self.jobs[0].name == self.name", "jobs.*.name", "self.jobs[0].[name] == self.name"},
		{"self.x__dash__y > 1", "x-y", "self.[x__dash__y] > 1"},
		{"self.a <", "a", "self.a <"},
	}
	for _, test := range tests {
		got, done := "", 0
		for _, offset := range celvalue.Selections(test.expression, strings.Split(test.path, ".")) {
			end := offset + len(regexp.MustCompile(`^\w+`).FindString(test.expression[offset:]))
			got += test.expression[done:offset] + "[" + test.expression[offset:end] + "]"
			done = end
		}
		if got += test.expression[done:]; got != test.want {
			t.Errorf("Selections(%q, %q): %s", test.expression, test.path, got)
		}
	}
}
