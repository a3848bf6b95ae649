package format

import (
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestExcerpt marks the range of a finding in lines with wide characters, tabs and long
// lines.
func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		name   string
		source string
		place  playground.Range
		want   string
	}{
		{"tabs", "\tname: x", at(2, 7, 2, 8), "    3 | \tname: x\n      | \t      ^\n"},
		{"two code units", "a: 𝒳, b: c", at(2, 9, 2, 10), "    3 | a: 𝒳, b: c\n      |         ^\n"},
		{"several lines", "a: b", at(2, 3, 4, 0), "    3 | a: b\n      |    ^\n"},
		{"the end of a line", "a:", at(2, 2, 2, 2), "    3 | a:\n      |   ^\n"},
		{"beyond the line", "a:", at(2, 29, 2, 39), "    3 | a:\n      |   ^\n"},
		{"an empty line", " ", at(2, 0, 2, 1), ""},
		{
			"a long line", strings.Repeat("a", 100) + strings.Repeat("b", 200), at(2, 100, 2, 110),
			"    3 | …" + strings.Repeat("a", 80) + strings.Repeat("b", 79) + "…\n      | " + strings.Repeat(" ", 81) + "^^^^^^^^^^\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := manifest.NewFile("a.yaml", "\n\n"+c.source+"\n\n")
			finding := manifest.Finding{Place: manifest.Place{File: file, Range: c.place}, Severity: playground.SeverityError}
			if got := written(finding, Options{}); !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "|") {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func at(line, character, endLine, endCharacter int) playground.Range {
	return playground.Range{Start: playground.Position{Line: line, Character: character}, End: playground.Position{Line: endLine, Character: endCharacter}}
}

func TestColours(t *testing.T) {
	finding := manifest.Finding{
		Place: manifest.Place{File: manifest.NewFile("a.yaml", "a"), Range: at(0, 0, 0, 1)}, Severity: playground.SeverityWarning,
		Message: "odd", Hint: "even",
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
func written(f manifest.Finding, o Options) string {
	var out strings.Builder
	writeText(&out, &check.Result{
		Releases: []check.Release{{Kubernetes: "1.37"}},
		Documents: []check.Document{{
			Object:   check.Object{Kind: "A", Name: "b"},
			Verdicts: []check.Verdict{{Kubernetes: "1.37", Status: playground.Status{Reason: reasonInvalid}, Findings: []manifest.Finding{f}}},
		}},
	}, o)
	return out.String()
}
