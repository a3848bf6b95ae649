package errorindex

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Change replaces parts of a file of a scenario.
type Change struct {
	// File is the name of the file, as in an example.
	File string
	// Diff has old parts, whose lines begin with "- ", and their replacements, whose lines begin with
	// "+ ". Each old part occurs once in the file, and may be a part of a line. Without a new part, it is
	// removed, and has whole lines. A new part without an old one is added at the end.
	Diff string
}

// fixedFile is the last file of a page whose error no quick fix removes. It has the names of files,
// each before its diff.
const fixedFile = "fixed"

var (
	fileDiff = regexp.MustCompile(`(?m)^(\w\S+)\n((?:[-+] .*\n)+)`)
	hunk     = regexp.MustCompile(`((?:- .*\n)*)((?:\+ .*\n)*)`)
	sign     = regexp.MustCompile(`(?m)^[-+] `)
)

func applyChanges(scenario playground.Scenario, changes []Change) (playground.Scenario, error) {
	for _, c := range changes {
		var text string // Parameters change one by one, so their file begins empty.
		if document := scenario.Text(examples.Documents[c.File]); document != nil {
			text = *document
		}
		for _, sides := range hunk.FindAllStringSubmatch(c.Diff, -1) {
			old, added := sign.ReplaceAllString(sides[1], ""), sign.ReplaceAllString(sides[2], "")
			if old == "" {
				text += added
				continue
			}
			if added != "" {
				old, added = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(added, "\n")
			}
			if strings.Count(text, old) != 1 {
				return scenario, fmt.Errorf("%s: want once: %s", c.File, old)
			}
			text = strings.Replace(text, old, added, 1)
		}
		if err := examples.Set(&scenario, txtar.File{Name: c.File, Data: []byte(text)}); err != nil {
			return scenario, fmt.Errorf("%s: %w", c.File, err)
		}
	}
	return scenario, nil
}
