package site

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	releasesPath        = learnPath + "releases/"
	releasesTitle       = "New in each release"
	releasesDescription = "What changed for CRDs and CEL rules in each Kubernetes release, with examples."
)

// A change is what users notice about CRDs in a Kubernetes release. ids name the examples and
// the errors that show it. The functions of rules are not listed, because the examples show them.
type change struct {
	minor     int
	text, ids string
}

var changes = []change{
	{31, "CRDs may declare selectable fields: the feature gate CustomResourceFieldSelectors is on by default.", "selectable-fields"},
	{32, "Selectable fields are stable, and cannot be switched off.", "selectable-fields"},
	{32, "The warning about a finalizer with a domain, but without a slash, asks for a path.", "finalizer-name"},
	{33, "Validation ratcheting is stable: updates may keep invalid values that they do not change. This now includes updates of the status.", "ratcheting"},
	{33, "A CRD without a version of status.storedVersions is rejected with the steps of a storage migration.", "stored-version-missing migrate-4-remove-too-early"},
	{34, "A CRD with a format that the API server does not know gets a warning.", "unrecognized-format"},
	{34, "Functions for IP addresses and networks have lower estimated costs. 1.33 rejects some CRDs because of them.", "library-cidr library-ip"},
	{34, "The errors about empty messages, paths and line breaks in rules no longer repeat the name of the field.", "cel-empty-field cel-line-break"},
	{35, "The formats k8s-short-name and k8s-long-name are validated.", "format-names"},
	{35, "The message of a failed rule quotes a scalar value, instead of its type.", "transition-counter scope-scalar"},
	{36, "The conditions and the status of a CRD have observedGeneration, the generation of the CRD that they describe.", ""},
	{36, "Mutating admission policies are stable, and on by default.", "admission-mutating-policy"},
	{37, "The estimated cost of a rule counts at most 253 characters for metadata.name, instead of the maximum size of a request.", "rule-name-prefix"},
}

// A release has the changes of a Kubernetes release, and the functions that rules may use since then.
type release struct {
	name      string
	changes   []change
	functions []function
}

// A function is a function or an operator with the examples whose rules need it.
type function struct{ name, ids string }

// releasesOf returns the releases that judge with their own libraries, the newest first.
func releasesOf(lessons []lesson) []release {
	var all []release
	for minor := playground.NewestMinor; minor >= playground.OldestJudgedMinor; minor-- {
		r := release{name: minorName(minor)}
		for _, c := range changes {
			if c.minor == minor {
				r.changes = append(r.changes, c)
			}
		}
		for _, l := range lessons {
			for _, rule := range l.answer.Rules {
				if rule.Kubernetes == r.name {
					r.add(rule.Needs, l.ID)
				}
			}
		}
		all = append(all, r)
	}
	return all
}

// add adds an example of a function.
func (r *release) add(name, id string) {
	i := slices.IndexFunc(r.functions, func(f function) bool { return f.name == name })
	if i < 0 {
		r.functions = append(r.functions, function{name, id})
	} else if !slices.Contains(strings.Fields(r.functions[i].ids), id) {
		r.functions[i].ids += " " + id
	}
}

// summary names the number of changes.
func (r release) summary() string {
	n := len(r.changes) + min(1, len(r.functions))
	if n == 1 {
		return "1 change"
	}
	return strconv.Itoa(n) + " changes"
}

func minorName(minor int) string { return "1." + strconv.Itoa(minor) }

// isNews reports whether the page of the releases has the name of a rule. The names have equal lengths.
func isNews(rule examples.RuleCost) bool {
	return rule.Kubernetes >= minorName(playground.OldestJudgedMinor)
}

// A reference is a link to an example or an error.
type reference struct{ path, title string }

// referencesOf returns the examples and errors with the ids. A test requires that they exist.
func referencesOf(ids string) []reference {
	var all []reference
	for id := range strings.FieldsSeq(ids) {
		i := slices.IndexFunc(errorindex.All(), func(e errorindex.Page) bool { return e.Code == id })
		if i < 0 {
			all = append(all, reference{lessonPath(id), exampleOf(id).Title})
		} else {
			all = append(all, reference{errorPath(errorindex.All()[i]), "Error: " + id})
		}
	}
	return all
}
