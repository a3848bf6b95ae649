package format

import (
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestExcerpt marks the range of a finding in lines with wide characters, tabs and long
// lines.
func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		name   string
		source string
		place  check.Place
		want   string
	}{
		{"tabs", "\tname: x", check.Place{Line: 3, Column: 8, EndLine: 3, EndColumn: 9}, "    3 | \tname: x\n      | \t      ^\n"},
		{"two code units", "a: 𝒳, b: c", check.Place{Line: 3, Column: 10, EndLine: 3, EndColumn: 11}, "    3 | a: 𝒳, b: c\n      |         ^\n"},
		{"several lines", "a: b", check.Place{Line: 3, Column: 4, EndLine: 5, EndColumn: 1}, "    3 | a: b\n      |    ^\n"},
		{"the end of a line", "a:", check.Place{Line: 3, Column: 3, EndLine: 3, EndColumn: 3}, "    3 | a:\n      |   ^\n"},
		{"beyond the line", "a:", check.Place{Line: 3, Column: 30, EndLine: 3, EndColumn: 40}, "    3 | a:\n      |   ^\n"},
		{"an empty line", " ", check.Place{Line: 3, Column: 1, EndLine: 3, EndColumn: 2}, ""},
		{
			"a long line", strings.Repeat("a", 100) + strings.Repeat("b", 200), check.Place{Line: 3, Column: 101, EndLine: 3, EndColumn: 111},
			"    3 | …" + strings.Repeat("a", 80) + strings.Repeat("b", 79) + "…\n      | " + strings.Repeat(" ", 81) + "^^^^^^^^^^\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			finding := check.Finding{Place: c.place, Severity: playground.SeverityError, Source: c.source}
			if got := written(finding, Options{}); !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "|") {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestColours(t *testing.T) {
	finding := check.Finding{
		Place: check.Place{Path: "a.yaml", Line: 1, Column: 1, EndLine: 1, EndColumn: 2}, Severity: playground.SeverityWarning,
		Message: "odd", Source: "a", Hint: "even", Related: []check.Related{}, Fixes: []string{},
	}
	const want = "\x1b[1mThe A \"b\" is invalid:\x1b[0m\n" +
		"  \x1b[1ma.yaml:1:1:\x1b[0m \x1b[33mwarning: \x1b[0modd\n" +
		"\x1b[2m    1\x1b[0m \x1b[2m|\x1b[0m a\n      \x1b[2m|\x1b[0m \x1b[33m^\x1b[0m\n" +
		"      \x1b[36mhint:\x1b[0m even\n\n" +
		"1 document: 0 accepted, 1 rejected (Kubernetes 1.37)\n"
	if got := written(finding, Options{Colour: true}); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// written returns the report of an object that is rejected for one finding.
func written(f check.Finding, o Options) string {
	var out strings.Builder
	writeText(&out, &check.Result{
		Releases: []check.Release{{Kubernetes: "1.37"}},
		Documents: []check.Document{{
			Object:   check.Object{Kind: "A", Name: "b"},
			Verdicts: []check.Verdict{{Kubernetes: "1.37", Status: playground.Status{Reason: reasonInvalid}, Findings: []check.Finding{f}}},
		}},
	}, o)
	return out.String()
}
