package expect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Failure is an expectation that is not met, or a finding that nobody expects. Line is
// counted from 1.
type Failure struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Message string `json:"message"`

	// isUnmet reports that the failure is an expectation that is not met.
	isUnmet bool
}

// A Result has the failures of tests.
type Result struct {
	// Releases lists the Kubernetes releases that judged.
	Releases []check.Release `json:"releases"`
	Files    []File          `json:"files"`
	Coverage Coverage        `json:"coverage"`
	// Mutations is nil without a call of [Mutate].
	Mutations *Mutations `json:"mutations,omitempty"`

	test *test
}

// A File has the failures of a file with documents.
type File struct {
	Path      string    `json:"path"`
	Documents int       `json:"documents"`
	Failures  []Failure `json:"failures"`
	// Notes has crdlab's notes about the objects that no expectation names.
	Notes []Note `json:"notes"`

	source *manifest.File
	// cases has a case for each of the documents.
	cases []Case
	// errors holds the errors that --update writes.
	errors []manifest.Finding
}

// A Case is a document with the failures in it.
type Case struct {
	check.Object
	Failures []Failure

	// begin is the line before the document and its comments, counted from 1.
	begin int
}

// Cases returns the documents of the file with their failures. A failure belongs to the last
// document that begins before it.
func (f File) Cases() []Case {
	cases := slices.Clone(f.cases)
	for _, failure := range f.Failures {
		i := len(cases) - 1
		for i > 0 && cases[i].begin >= failure.Line {
			i--
		}
		if i < 0 {
			cases, i = []Case{{Object: check.Object{Path: f.Path, Line: failure.Line}}}, 0
		}
		cases[i].Failures = append(cases[i].Failures, failure)
	}
	return cases
}

// Failed returns the number of files with failures.
func (r *Result) Failed() int {
	n := 0
	for _, f := range r.Files {
		if len(f.Failures) > 0 {
			n++
		}
	}
	return n
}

// FailsIn reports whether a failure is in one of the documents, apart from CRDs. Their files may have others.
func (r *Result) FailsIn(documents []*manifest.Document) bool {
	for _, file := range r.Files {
		for _, f := range file.Failures {
			isIn := func(d *manifest.Document) bool {
				if d.IsGenerated() {
					return d.Place(playground.Range{}).Path() == f.Path
				}
				return !d.IsCRD && d.File.Path == f.Path && d.HasLine(f.Line-1)
			}
			if slices.ContainsFunc(documents, isIn) {
				return true
			}
		}
	}
	return false
}

// Run judges the documents of an input and compares the findings with the expectations in
// their comments. The error is from an engine, or from ctx.
func Run(ctx context.Context, in *manifest.Input, o check.Options) (*Result, error) {
	t := newTest(in, o)
	o.Before, o.After = t.before, t.after
	o.IsStored = func(d *manifest.Document) bool { return t.requests[d].isStored }
	judged, err := check.Run(ctx, in, o)
	if err != nil {
		return nil, err
	}
	for _, d := range judged.Documents {
		t.compare(d)
	}
	for _, object := range judged.WithoutCRD {
		t.fail(object.Path, object.Line, fmt.Sprintf("%s %q has no CRD here", object.Kind, object.Name))
	}
	result := t.result()
	result.Releases, result.test = judged.Releases, t
	return result, nil
}

// Approximate returns the releases whose own libraries did not judge.
func (r *Result) Approximate() []string {
	var names []string
	for _, release := range r.Releases {
		if release.Approximate {
			names = append(names, release.Kubernetes)
		}
	}
	return names
}

// A test holds the files of an input with their expectations, and the objects that requests
// have stored.
type test struct {
	input        *manifest.Input
	releases     []string
	files        []*File
	byPath       map[string]*File
	expectations map[string]expectations
	requests     map[*manifest.Document]request
	judged       map[*manifest.Document]bool

	access  sync.Mutex
	objects map[string]string // by key, as YAML or JSON
	cover   coverage
}

func newTest(in *manifest.Input, o check.Options) *test {
	t := &test{
		input: in, releases: o.Releases, byPath: map[string]*File{}, expectations: map[string]expectations{},
		requests: map[*manifest.Document]request{}, judged: map[*manifest.Document]bool{}, objects: map[string]string{},
	}
	for _, d := range in.Documents {
		path := d.File.Path
		if t.byPath[path] == nil {
			e := parse(d.File)
			t.byPath[path] = &File{Path: path, Failures: slices.Clone(e.problems), source: d.File}
			t.files, t.expectations[path] = append(t.files, t.byPath[path]), e
		}
		t.byPath[path].Documents++
		object := check.Object{Path: path, Line: d.Line + 1, APIVersion: d.APIVersion, Kind: d.Kind.Kind, Namespace: d.Namespace, Name: d.Name}
		t.byPath[path].cases = append(t.byPath[path].cases, Case{Object: object, begin: d.Range.Start.Line})
		t.setRequest(d)
	}
	return t
}

// setRequest sets the request for a document from its comment. The default is to create it.
func (t *test) setRequest(d *manifest.Document) {
	t.requests[d] = request{operation: playground.OperationCreate}
	for line, words := range t.expectations[d.File.Path].operations {
		if !d.HasLine(line) {
			continue
		}
		r, err := parseRequest(words, d.IsCRD)
		if err != nil {
			t.fail(d.File.Path, line+1, fmt.Sprintf("# crdlab: %v", err))
			continue
		}
		t.requests[d] = r
	}
}

func (t *test) fail(path string, line int, message string) {
	file := t.byPath[path]
	if file == nil {
		file = &File{Path: path}
		t.byPath[path], t.files = file, append(t.files, file)
	}
	file.Failures = append(file.Failures, Failure{Path: path, Line: line, Message: message})
}

// failUnmet adds an expectation that is not met to the failures.
func (t *test) failUnmet(path string, line int, message string) {
	failures := &t.byPath[path].Failures
	*failures = append(*failures, Failure{path, line, message, true})
}

// before adds the request for a document and the stored object to its scenario.
func (t *test) before(d *manifest.Document, s *playground.Scenario) {
	t.access.Lock()
	defer t.access.Unlock()
	if d.IsCRD {
		t.requests[d].applyCRD(s)
		return
	}
	t.requests[d].apply(s, t.objects[key(d, s.Kubernetes)])
}

// after stores the object of an accepted request, and compares it with the expected fields.
func (t *test) after(d, crd *manifest.Document, report playground.Report) {
	t.access.Lock()
	defer t.access.Unlock()
	if d.IsCRD {
		t.cover.addRules(d, report)
		return
	}
	name := key(d, report.Kubernetes.Emulated)
	if t.requests[d].isStored {
		t.objects[name] = d.Text
		return
	}
	if len(report.Objects) == 0 {
		return
	}
	o := report.Objects[0]
	t.cover.addResults(crd, report)
	t.noteRemaining(d, o)
	switch {
	case !o.Accepted:
		t.failStored(d)
		return
	case o.Deleted:
		delete(t.objects, name)
	default:
		t.objects[name] = string(o.Stored)
	}
	t.compareStored(d, o)
}

// defaultNamespace is the namespace of an object without a namespace.
const defaultNamespace = "default"

// key identifies an object in the cluster of a release.
func key(d *manifest.Document, release string) string {
	return strings.Join([]string{release, d.File.Path, d.Kind.Group, d.Kind.Kind, cmp.Or(d.Namespace, defaultNamespace), d.Name}, "\x00")
}

// compare compares the findings of a document with the expectations.
func (t *test) compare(d check.Document) {
	t.judged[d.Source()] = true
	if t.requests[d.Source()].isStored {
		return
	}
	for _, v := range d.Verdicts {
		if v.Unknown != "" {
			t.fail(d.Path, d.Line, fmt.Sprintf("%s %q is not judged: %s", d.Kind, d.Name, v.Unknown))
			continue
		}
		for _, f := range v.Findings {
			t.compareFinding(d, v, f)
		}
	}
}

func (t *test) compareFinding(d check.Document, v check.Verdict, f manifest.Finding) {
	matched := false
	for _, w := range t.expectations[f.Path()].wants {
		if w.line == f.Line()-1 && w.pattern.MatchString(f.Text()) {
			w.met[v.Kubernetes], matched = true, true
		}
	}
	if !matched {
		t.noteFinding(d, f)
	}
	// The API server's note that it skipped the rules follows from other errors.
	if f.Severity != playground.SeverityError || f.Code == playground.CodeRulesNotChecked {
		return
	}
	if file := t.byPath[f.Path()]; file != nil {
		file.errors = append(file.errors, f)
	}
	if !matched {
		t.fail(d.Path, f.Line(), fmt.Sprintf("unexpected on Kubernetes %s: %s", v.Kubernetes, f.Explained()))
	}
}

// failWants adds the expected findings that a release lacks to the failures.
func (t *test) failWants(file *File) {
	for _, w := range t.expectations[file.Path].wants {
		for _, message := range w.problems(t.releases) {
			t.failUnmet(file.Path, w.written+1, message)
		}
	}
}

// problems describes the releases without such a finding.
func (w *want) problems(releases []string) []string {
	var all []string
	for _, release := range releases {
		if !w.met[release] {
			all = append(all, fmt.Sprintf("no finding on Kubernetes %s in line %d matches %q", release, w.line+1, w.pattern))
		}
	}
	return all
}

func (t *test) result() *Result {
	r := &Result{Files: []File{}, Coverage: t.cover.result()}
	for _, file := range t.files {
		t.failWants(file)
		slices.SortStableFunc(file.Failures, func(a, b Failure) int { return a.Line - b.Line })
		file.Failures = slices.Compact(file.Failures)
		if file.Failures == nil {
			file.Failures = []Failure{}
		}
		file.Notes = sortedNotes(file.Notes)
		r.Files = append(r.Files, *file)
	}
	return r
}
