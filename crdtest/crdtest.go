// Package crdtest tests CustomResourceDefinitions and their rules as a Kubernetes API server
// applies them, without an API server.
//
// The verdicts come from the program crdlab, which contains the code of the API server.
// Install it with
//
//	go install github.com/crdlab/crdlab/cmd/crdlab@latest
//
// The package finds the program in PATH, or at the path in the environment variable
// CRDLAB_BIN. It starts the program once for each test binary, and has no dependencies: the
// versions of your own Kubernetes libraries do not affect the verdicts.
//
// [New] tests objects in Go code, and [Run] tests manifests with expectations in comments:
//
//	func TestCronTab(t *testing.T) {
//		crdtest.New(t, crdtest.Path("../config/crd/crontabs.yaml")).
//			Accepts(&v1.CronTab{...}).
//			Rejects(crdtest.Path("testdata/fast.yaml"), "spec.replicas: Invalid value: 15")
//	}
//
//	func TestManifests(t *testing.T) {
//		crdtest.Run(t, "testdata/...", crdtest.CRDs("../config/crd"))
//	}
//
// # Documents
//
// A parameter of the type any is a document in one of these forms:
//
//   - [Path]: a file. For CRDs, it may be a directory.
//   - string, []byte: YAML or JSON.
//   - Any other value: the package encodes it as JSON. A Go type of your API needs its
//     TypeMeta, because the object must have an apiVersion and a kind.
//
// # Versions
//
// The package follows semantic versioning: within a major version, code that compiles keeps
// compiling, and keeps its meaning. Kubernetes determines the verdicts and the wording of
// errors, which may change with the releases that crdlab supports. Select a release with
// [Releases] to keep them.
package crdtest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Path is the path of a file with a document, relative to the directory of the test.
type Path string

// An Option configures [New] and [Run].
type Option func(*options)

type options struct {
	releases    []string
	approximate bool
	crds        []string
	// noticed is the share of changed constraints that tests must notice; 0 to change none.
	noticed float64
}

// Releases selects the Kubernetes releases that judge, such as "1.31". Each of them must meet
// all expectations. The default is the newest release that crdlab supports. Without the program
// of an older release, the test fails: "crdlab releases add 1.31" installs it.
func Releases(names ...string) Option {
	return func(o *options) { o.releases = append(o.releases, names...) }
}

// Approximate permits releases without a program of their own. The newest libraries judge
// instead, with the feature gates and the CEL environment of the release, and the test logs
// that its verdicts are approximate.
func Approximate() Option { return func(o *options) { o.approximate = true } }

// CRDs adds files or directories with CRDs to the manifests of [Run]. Their documents are
// tested, too.
func CRDs(paths ...string) Option {
	return func(o *options) { o.crds = append(o.crds, paths...) }
}

// Mutate makes [Run] change each constraint of the CRDs a little, as "crdlab test --mutate" does. The test fails if the
// manifests notice less than a share of these changes, such as 0.9, and names those that they do not notice.
func Mutate(noticed float64) Option { return func(o *options) { o.noticed = noticed } }

func newOptions(all []Option) options {
	var o options
	for _, option := range all {
		option(&o)
	}
	return o
}

// request returns a request with the options about releases.
func (o options) request(r request) request {
	r.Releases, r.Approximate = o.releases, o.approximate
	return r
}

// CRD tests objects under CRDs. A failed expectation marks the test as failed and continues
// with the next one.
type CRD struct {
	t       testing.TB
	id      int
	options options
	stored  string
	// operation is the operation of the request; empty means to create the object, or to
	// update the stored object.
	operation string
}

// New returns a test of objects under one or several CRDs, in the form of a document. An
// object belongs to the CRD of its kind. The test fails immediately if the API server would
// reject a CRD.
func New(t testing.TB, crd any, with ...Option) *CRD {
	t.Helper()
	o := newOptions(with)
	open := &openRequest{}
	if path, ok := crd.(Path); ok {
		open.Path = relative(string(path))
	} else {
		open.Text = encode(t, crd)
	}
	response := ask(t, o.request(request{Open: open}))
	for _, v := range response.Verdicts {
		if v.Approximate {
			logApproximate(t, v.Kubernetes)
		}
		if !v.Accepted {
			t.Fatalf("Kubernetes %s rejects the CRD %s:%s", v.Kubernetes, v.Name, lines(v.explained()))
		}
	}
	return &CRD{t: t, id: response.CRDs, options: o}
}

func logApproximate(t testing.TB, release string) {
	t.Helper()
	t.Logf("the verdicts of Kubernetes %s are approximate: crdlab has no program of this release", release)
}

// Stored returns a test of updates: the requests replace the stored object, and transition
// rules have it as oldSelf. The stored object itself need not be valid.
func (c *CRD) Stored(object any) *CRD {
	c.t.Helper()
	updates := *c
	updates.stored = encode(c.t, object)
	return &updates
}

// Status returns a test of updates of the subresource status of the stored object.
func (c *CRD) Status() *CRD {
	updates := *c
	updates.operation = "updateStatus"
	return &updates
}

// Accepts expects the request for an object to be accepted.
func (c *CRD) Accepts(object any) *CRD {
	c.t.Helper()
	for _, v := range c.Judge(object) {
		if !v.Accepted {
			c.t.Errorf("Kubernetes %s rejects %s:%s", v.Kubernetes, nameOf(v), lines(v.explained()))
		}
	}
	return c
}

// Rejects expects the request for an object to be rejected. Each error must contain one of
// the messages, and each message must occur in an error. Without messages, any error is
// expected. An error has kubectl's words: the path of the field, a colon and the reason.
func (c *CRD) Rejects(object any, messages ...string) *CRD {
	c.t.Helper()
	for _, v := range c.Judge(object) {
		if v.Accepted {
			c.t.Errorf("Kubernetes %s accepts %s", v.Kubernetes, nameOf(v))
			continue
		}
		if len(messages) > 0 && !match(v.Errors, messages) {
			c.t.Errorf("Kubernetes %s rejects %s with the errors%s\nwant errors that contain%s", v.Kubernetes, nameOf(v), lines(v.explained()), lines(messages))
		}
	}
	return c
}

// unchecked begins the error that follows others: because of them, the API server has not
// evaluated the rules. Nobody needs to expect it.
const unchecked = "<nil>: Invalid value: "

// match reports whether each error contains a message, and each message occurs in an error.
func match(errors, messages []string) bool {
	isExpected := func(e string) bool {
		return strings.HasPrefix(e, unchecked) || slices.ContainsFunc(messages, func(message string) bool { return strings.Contains(e, message) })
	}
	isMet := func(message string) bool {
		return slices.ContainsFunc(errors, func(e string) bool { return strings.Contains(e, message) })
	}
	return all(errors, isExpected) && all(messages, isMet)
}

func all(values []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !holds(v) })
}

// A Verdict is the verdict of a Kubernetes release on a request.
type Verdict struct {
	// Name is the name of the object.
	Name string `json:"name"`
	// Kubernetes is the release, such as "1.37".
	Kubernetes string `json:"kubernetes"`
	// Approximate reports that crdlab lacks the program of this release. The libraries of
	// the newest release have judged with the feature gates of this one.
	Approximate bool     `json:"approximate"`
	Accepted    bool     `json:"accepted"`
	Errors      []string `json:"errors"`
	// Explained has the errors with their hints and the titles of their fixes.
	Explained []string `json:"explained"`
	Warnings  []string `json:"warnings"`
	// Stored is the object in the storage, with its defaults and without its pruned fields;
	// empty if the request is rejected.
	Stored json.RawMessage `json:"stored"`
}

// Judge returns the verdict of each release on the request for an object, for tests of
// warnings and of the stored object. The test fails immediately if there is no verdict.
func (c *CRD) Judge(object any) []Verdict {
	c.t.Helper()
	judge := &judgeRequest{CRDs: c.id, Object: encode(c.t, object), Stored: c.stored, Operation: c.operation}
	return ask(c.t, c.options.request(request{Judge: judge})).Verdicts
}

// Run tests the manifests at a path as the command "crdlab test" does: the errors must equal
// the expectations in comments, such as
//
//	replicas: 15 # want "less than or equal to 10"
//
// The path is a file, or a directory with all its subdirectories; a suffix "/..." changes
// nothing. Each file is a subtest.
func Run(t *testing.T, path string, with ...Option) {
	t.Helper()
	o := newOptions(with)
	test := &testRequest{Mutate: o.noticed > 0}
	for _, p := range append(slices.Clone(o.crds), path) {
		test.Paths = append(test.Paths, relative(strings.TrimSuffix(p, "/...")))
	}
	response := ask(t, o.request(request{Test: test}))
	if len(response.Tests) == 0 {
		t.Fatalf("%s has no manifests", path)
	}
	for _, release := range response.Approximate {
		logApproximate(t, release)
	}
	for _, file := range response.Tests {
		t.Run(file.Path, func(t *testing.T) {
			for _, f := range file.Failures {
				t.Errorf("%s:%d: %s", f.Path, f.Line, f.Message)
			}
		})
	}
	if o.noticed > 0 && !t.Failed() {
		checkMutations(t, o.noticed, response.Mutations)
	}
}

// checkMutations fails if the tests notice too few changes.
func checkMutations(t testing.TB, noticed float64, m *mutations) {
	t.Helper()
	switch {
	case m == nil:
		t.Fatal("this version of the program crdlab does not support crdtest.Mutate")
	case m.Share < noticed:
		t.Errorf("%s; want at least %.1f %%\n%s", m.Summary, 100*noticed, strings.Join(m.Missed, "\n"))
	}
}

// encode returns a document as YAML or JSON.
func encode(t testing.TB, document any) string {
	t.Helper()
	switch d := document.(type) {
	case Path:
		content, err := os.ReadFile(string(d))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	case string:
		return d
	case []byte:
		return string(d)
	}
	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatalf("encode a document: %v", err)
	}
	return string(encoded)
}

// explained returns the errors as Explained has them; an older program has no Explained.
func (v Verdict) explained() []string {
	if len(v.Explained) < len(v.Errors) {
		return v.Errors
	}
	return v.Explained
}

func nameOf(v Verdict) string {
	if v.Name == "" {
		return "the object"
	}
	return fmt.Sprintf("%q", v.Name)
}

// lines returns errors as lines of a message.
func lines(errors []string) string {
	var text strings.Builder
	for _, e := range errors {
		text.WriteString("\n    " + strings.ReplaceAll(e, "\n", "\n    "))
	}
	return text.String()
}
