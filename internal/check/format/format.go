// Package format writes the result of a check in the formats of terminals, editors and
// continuous integration.
package format

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/playground"
)

// Options configure a format.
type Options struct {
	// Version is the version of crdlab.
	Version string
	// Verbose lists accepted documents, too.
	Verbose bool
	// Colour permits escape sequences of terminals.
	Colour bool
	// Link returns the address of a page that shows a document and its CRD, or "". It may
	// be nil.
	Link func(check.Document) string
}

// link returns the address of a page that shows a document, or "".
func (o Options) link(d check.Document) string {
	if o.Link == nil {
		return ""
	}
	return o.Link(d)
}

// A Writer writes a result in a format.
type Writer func(io.Writer, *check.Result, Options) error

// Names lists the names of the formats; the first is the default.
var Names = []string{"text", "json", "sarif", "junit", "github", "markdown"}

// Writers maps the names of the formats to the formats.
var Writers = map[string]Writer{
	"text": writeText, "json": writeJSON, "sarif": writeSARIF, "junit": writeJUnit, "github": writeGitHub, "markdown": writeMarkdown,
}

// A group holds the releases with the same verdict on a document.
type group struct {
	check.Verdict
	// releases is empty if all releases have the verdict.
	releases []string
}

// groups returns the different verdicts on a document in the order of the releases.
func groups(d check.Document) []group {
	var all []group
	for _, v := range d.Verdicts {
		release := v.Kubernetes
		v.Kubernetes = ""
		i := slices.IndexFunc(all, func(g group) bool { return reflect.DeepEqual(g.Verdict, v) })
		if i < 0 {
			i = len(all)
			all = append(all, group{Verdict: v})
		}
		all[i].releases = append(all[i].releases, release)
	}
	if len(all) == 1 {
		all[0].releases = nil
	}
	return all
}

// names returns the releases of a group as a prefix or suffix of messages.
func (g group) names() string { return strings.Join(g.releases, ", ") }

// visible returns the findings for people: errors and warnings.
func (g group) visible() []check.Finding {
	return slices.DeleteFunc(slices.Clone(g.Findings), func(f check.Finding) bool {
		return f.Severity != playground.SeverityError && f.Severity != playground.SeverityWarning
	})
}

// reasonInvalid is the reason of the API server for an object with invalid fields.
const reasonInvalid = "Invalid"

// headline returns kubectl's message about a document without the list of the invalid
// fields, which the findings repeat with their places.
func (g group) headline(d check.Document) string {
	switch {
	case g.Unknown != "":
		return fmt.Sprintf("The %s %q is not judged: %s", d.Kind, d.Name, g.Unknown)
	case g.Rejects() && g.Status.Reason == reasonInvalid:
		return fmt.Sprintf("The %s %q is invalid:", d.Kind, d.Name)
	}
	return strings.TrimRight(g.Output, "\n")
}

// title names an object in lists.
func title(o check.Object) string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return fmt.Sprintf("%s %q (%s)", o.Kind, name, o.APIVersion)
}

// releaseNames returns the names of the releases that judged.
func releaseNames(r *check.Result) string {
	var names []string
	for _, release := range r.Releases {
		names = append(names, releaseName(release))
	}
	return strings.Join(names, ", ")
}

// releaseName names a release, and says if its verdicts are approximate.
func releaseName(r check.Release) string {
	if r.Approximate {
		return r.Kubernetes + " (approximate)"
	}
	return r.Kubernetes
}

// counted returns a number with a noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// thousands returns a number with separators.
func thousands(n uint64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
