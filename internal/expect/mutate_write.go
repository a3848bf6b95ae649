package expect

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A suite collects the tests of a CRD or policy that notice its mutants.
type suite struct {
	// path is that of the file, and texts are its documents, those of an existing file first.
	path  string
	texts []string
	// known is the number of texts of an existing file.
	known int
	// drafts reports that the tests are not added to the suite.
	drafts bool
	// names has the names of objects, each with the field that it tests if that is known.
	names map[string]string
}

// newSuite returns the suite beside the first file with objects of a CRD or for a policy, or beside the CRD or policy.
func newSuite(in *manifest.Input, of *manifest.Document, tests *tests) *suite {
	beside := of.File
	if len(tests.objects) > 0 {
		beside = tests.objects[0].documents[0].File
	}
	s := &suite{path: filepath.Join(filepath.Dir(beside.Path), of.Name+".constraints.yaml"), names: map[string]string{}}
	for _, d := range in.Documents {
		s.names[d.Name] = "?"
		if d.File.Path == s.path && len(s.texts) == 0 {
			s.texts, s.known = []string{strings.TrimSpace(d.File.Text) + "\n"}, 1
		}
	}
	return s
}

// text returns the content of the file.
func (s *suite) text() string { return strings.Join(s.texts, "---\n") }

// draft returns a test of a mutant. The text is empty if this test does not notice the mutant, which happens if the value
// at a constraint has no line of its own.
func (w *worker) draft(ctx context.Context, t *trial, telling *mutant.Telling, changed *mutant.Trial) (text string, documents []*manifest.Document, err error) {
	told := *telling
	if told.Effect == playground.WitnessChanged && told.Old == "" {
		if told.Object, err = w.withStored(ctx, t, strings.TrimSpace(told.Object)); err != nil {
			return "", nil, err
		}
	}
	text, errors, err := w.withWants(ctx, t, t.documents(told, unnamedObject))
	if err != nil {
		return "", nil, err
	}
	// A rule may depend on the name: then the test keeps that of the search.
	named, others, err := w.withWants(ctx, t, t.documents(told, t.suite.nameOf(t.mutant, telling)))
	if err != nil {
		return "", nil, err
	}
	if errors == others {
		text = named
	}
	added := manifest.NewInput()
	added.Add(fmt.Sprintf("%s#%d", t.suite.path, len(t.suite.texts)), text)
	only := t.tests.with(added.Documents)
	// A test that fails on the CRD itself would seem to notice every mutant.
	unchanged, err := Run(ctx, only, w.options)
	if err != nil || unchanged.Failed() > 0 {
		return "", nil, err
	}
	isNoticed, err := w.notices(ctx, t, only, changed)
	if err != nil || !isNoticed {
		return "", nil, err
	}
	return text, added.Documents, nil
}

// documents returns the documents of a test: an object, after the one that it updates.
func (t *trial) documents(told mutant.Telling, name string) string {
	text := "# Notices " + inOneLine(t.Change) + " " + t.Place() + ".\n"
	if told.Old != "" {
		operation := "update"
		if told.Status {
			operation = "status"
		}
		text += renamed(told.Old, name) + "---\n# crdlab: " + operation + "\n"
	}
	return text + renamed(told.Object, name)
}

// withWants returns documents with the expectations of their errors under the unchanged CRD, and the number of errors.
func (w *worker) withWants(ctx context.Context, t *trial, documents string) (text string, errors int, err error) {
	in := manifest.NewInput()
	in.Add(t.suite.path, documents)
	for _, d := range in.Documents {
		d.File.Writable = true
	}
	result, err := Run(ctx, t.tests.with(in.Documents), w.options)
	if err != nil {
		return "", 0, err
	}
	for _, file := range result.Files {
		if file.Path == t.suite.path {
			errors = len(file.errors)
		}
	}
	updated, err := result.Update()
	for _, u := range updated {
		if u.Path == t.suite.path {
			documents = u.Text
		}
	}
	return documents, errors, err
}

// withStored returns an object with the expectation of the value that the API server stores at the constraint, or in the
// nearest value that contains it.
func (w *worker) withStored(ctx context.Context, t *trial, object string) (string, error) {
	s := w.scenario(t.document.Text)
	s.Object = object
	report, err := w.evaluate(ctx, s)
	if err != nil || len(report.Objects) != 1 {
		return object, err
	}
	var stored any
	if json.Unmarshal(report.Objects[0].Stored, &stored) != nil {
		return object, nil
	}
	file, err := source.Parse(object, source.DefaultLimits)
	if err != nil || len(file.NonEmpty()) != 1 {
		return object, nil
	}
	path := valuePath(t.Field)
	for ; len(path) > 0; path = path[:len(path)-1] {
		at, isWritten := file.NonEmpty()[0].At(path...)
		value, isStored := lookup(stored, path)
		_, isItem := path[len(path)-1].(int) // its line is that of its first field
		if !isWritten || !isStored || isItem {
			continue
		}
		lines := strings.Split(object, "\n")
		lines[at.Key().Start.Line] += " # stored: " + encoded(value)
		return strings.Join(lines, "\n"), nil
	}
	return object, nil
}

// valuePath returns the path of a field, such as spec.ports[].name, at the first item of each list.
func valuePath(field string) []any {
	path := []any{}
	for _, name := range strings.FieldsFunc(field, func(r rune) bool { return r == '.' }) {
		name, isList := strings.CutSuffix(name, "[]")
		if path = append(path, name); isList {
			path = append(path, 0)
		}
	}
	return path
}

// nameOf returns a new name for an object that notices a mutant, such as size-maximum-refused.
func (s *suite) nameOf(m mutant.Mutant, t *mutant.Telling) string {
	keyword, _, _ := strings.Cut(m.Change, ":")
	keyword, _, _ = strings.Cut(strings.TrimPrefix(keyword, "x-kubernetes-"), " ")
	verdict := "accepted"
	switch {
	case t.Effect == playground.WitnessChanged:
		verdict = "stored"
	case !t.Accepted:
		verdict = "refused"
	}
	// Another field of the same name has its parents before it, as far as they tell the two apart.
	steps := strings.Split(m.Field, ".")
	base := ""
	for i := range slices.Backward(steps) {
		field := strings.Join(steps[i:], "-")
		base = strings.Trim(unnamed.ReplaceAllString(strings.ToLower(field+"-"+keyword+"-"+verdict), "-"), "-")
		if of, isTaken := s.names[base]; !isTaken || of == m.Field {
			break
		}
	}
	name := base
	for i := 2; s.isTaken(name); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	s.names[name] = m.Field
	return name
}

func (s *suite) isTaken(name string) bool {
	_, isTaken := s.names[name]
	return isTaken
}

// unnamed matches what a name must not contain.
var unnamed = regexp.MustCompile(`[^a-z0-9]+`)

// unnamedObject is the name of the objects of the search.
const unnamedObject = "example"

// renamed returns an object of the search with another name, and one line break at its end.
func renamed(object, name string) string {
	return strings.TrimSpace(strings.Replace(object, "\nmetadata:\n  name: "+unnamedObject+"\n", "\nmetadata:\n  name: "+name+"\n", 1)) + "\n"
}

// inOneLine returns the beginning of a text, which may be a rule of many lines.
func inOneLine(text string) string {
	const most = 160
	if line := []rune(strings.Join(strings.Fields(text), " ")); len(line) > most {
		return string(line[:most]) + "…"
	}
	return strings.Join(strings.Fields(text), " ")
}

// notices reports whether the tests of an input notice a mutant. Their files may have other documents.
func (w *worker) notices(ctx context.Context, t *trial, in *manifest.Input, changed *mutant.Trial) (bool, error) {
	o := w.options
	o.NewEngine = func() check.Engine { return check.Engine{Evaluate: changed.Evaluate} }
	result, err := Run(ctx, in, o)
	if err != nil {
		return false, err
	}
	// A changed policy has other lines, so that its own expectations tell nothing.
	return result.FailsIn(slices.DeleteFunc(slices.Clone(in.Documents), func(d *manifest.Document) bool { return d == t.document })), nil
}
