// Package crdtest serves the Go library crdtest.
package crdtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// protocol is the version of the protocol with the library. A library accepts its own version
// only. New fields that a library may ignore keep the version.
const protocol = 1

// The messages of the protocol. The library has the same types. A request has one of the
// fields Test, Open and Judge.
type (
	hello struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
	}
	request struct {
		Releases []string `json:"releases"`
		// Approximate permits releases without a program of their own.
		Approximate bool          `json:"approximate"`
		Test        *testRequest  `json:"test"`
		Open        *openRequest  `json:"open"`
		Judge       *judgeRequest `json:"judge"`
	}
	// A testRequest runs the tests of manifests, as the command test does.
	testRequest struct {
		Paths []string `json:"paths"`
		// Mutate also runs the tests on changed CRDs, if they pass.
		Mutate bool `json:"mutate"`
	}
	// An openRequest judges CRDs, in Text or at Path, and keeps them for later requests.
	openRequest struct {
		Text string `json:"text"`
		Path string `json:"path"`
	}
	// A judgeRequest judges a request for an object under one of the opened CRDs.
	judgeRequest struct {
		CRDs      int                  `json:"crds"`
		Object    string               `json:"object"`
		Stored    string               `json:"stored"`
		Operation playground.Operation `json:"operation"`
	}
	response struct {
		// Error is the reason why there is no result.
		Error string        `json:"error,omitempty"`
		Tests []expect.File `json:"tests,omitempty"`
		// Approximate lists the releases without a program of their own, for Tests.
		Approximate []string `json:"approximate,omitempty"`
		// Mutations is nil unless all tests passed and the request mutates.
		Mutations *mutations `json:"mutations,omitempty"`
		CRDs      int        `json:"crds"`
		Verdicts  []verdict  `json:"verdicts,omitempty"`
	}
	mutations struct {
		// Share is that of the noticed changes, 0 to 1.
		Share   float64 `json:"share"`
		Summary string  `json:"summary"`
		// Missed describes the changes that no test notices, each with its place and an object.
		Missed []string `json:"missed"`
	}
	verdict struct {
		Name        string          `json:"name"`
		Kubernetes  string          `json:"kubernetes"`
		Approximate bool            `json:"approximate"`
		Accepted    bool            `json:"accepted"`
		Errors      []string        `json:"errors"`
		Explained   []string        `json:"explained"`
		Warnings    []string        `json:"warnings"`
		Stored      json.RawMessage `json:"stored,omitempty"`
	}
)

// Options hold what judges.
type Options struct {
	// Version is the version of the program.
	Version string
	// Missing returns an error if a release cannot judge but approximately, or nil.
	Missing func(releases []string) error
	// Check returns the options of a check by releases.
	Check func(releases []string) check.Options
	// Compare returns a comparison of a CRD with changed ones.
	Compare func() mutant.Compare
}

// A service handles the requests of a library, one after the other.
type service struct {
	Options
	engine check.Engine
	// crds holds the CRDs of each openRequest, in the order of the requests.
	crds [][]*manifest.Document
}

// Serve reads requests from in until its end, and writes the responses to out, one JSON value
// in each line. Faults of a request are responses, not errors.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) error {
	s := &service{Options: options, engine: options.Check(nil).NewEngine()}
	requests, responses := json.NewDecoder(in), json.NewEncoder(out)
	if err := responses.Encode(hello{protocol, s.Version}); err != nil {
		return err
	}
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		answer, err := s.respond(ctx, r)
		if err != nil {
			answer = response{Error: err.Error()}
		}
		if err := responses.Encode(answer); err != nil {
			return err
		}
	}
}

func (s *service) respond(ctx context.Context, r request) (response, error) {
	if len(r.Releases) == 0 {
		r.Releases = []string{release.Name(playground.NewestMinor)}
	}
	for _, name := range r.Releases {
		if _, err := release.ParseMinor(name); name == "" || err != nil {
			return response{}, fmt.Errorf("unknown release %q: crdlab supports %s to %s", name,
				release.Name(playground.OldestMinor), release.Name(playground.NewestMinor))
		}
	}
	if err := s.Missing(r.Releases); err != nil && !r.Approximate {
		return response{}, err
	}
	switch {
	case r.Test != nil:
		return s.test(ctx, r.Releases, *r.Test)
	case r.Open != nil:
		return s.open(ctx, r.Releases, *r.Open)
	case r.Judge != nil:
		return s.judge(ctx, r.Releases, *r.Judge)
	}
	return response{}, errors.New("unknown request")
}

func (s *service) test(ctx context.Context, releases []string, r testRequest) (response, error) {
	in := load.Reader{}.Read(ctx, r.Paths)
	if err := unusable(in); err != nil {
		return response{}, err
	}
	result, err := expect.Run(ctx, in, s.Check(releases))
	if err != nil {
		return response{}, err
	}
	answer := response{Tests: result.Files, Approximate: result.Approximate()}
	if r.Mutate && result.Failed() == 0 {
		found, err := expect.Mutate(ctx, in, s.Check(releases), expect.MutateOptions{Compare: s.Compare, Progress: func(int, int) {}})
		if err != nil {
			return response{}, err
		}
		answer.Mutations = &mutations{found.Percent() / 100, found.Summary(), []string{}}
		for _, m := range found.Missed {
			answer.Mutations.Missed = append(answer.Mutations.Missed, m.Describe())
		}
	}
	return answer, nil
}

// unusable returns an error that lists the problems of files.
func unusable(in *manifest.Input) error {
	var all []error
	for _, p := range in.Problems {
		all = append(all, p)
	}
	return errors.Join(all...)
}

// readText returns the objects in YAML or JSON. Errors have the given name.
func readText(ctx context.Context, name, text string) (*manifest.Input, error) {
	in := load.Reader{Stdin: strings.NewReader(text)}.Read(ctx, []string{"-"})
	for _, p := range in.Problems {
		return nil, fmt.Errorf("%s: %w", name, p.Err)
	}
	return in, nil
}

func (s *service) open(ctx context.Context, releases []string, o openRequest) (response, error) {
	in, err := s.readCRDs(ctx, o)
	if err != nil {
		return response{}, err
	}
	var crds []*manifest.Document
	answer := response{CRDs: len(s.crds)}
	for _, d := range in.Documents {
		if !d.IsCRD {
			continue
		}
		crds = append(crds, d)
		verdicts, err := s.verdicts(ctx, releases, named(crds, d.Name), d.Name, judgeRequest{})
		if err != nil {
			return response{}, err
		}
		answer.Verdicts = append(answer.Verdicts, verdicts...)
	}
	if len(crds) == 0 {
		return response{}, errors.New("there is no CustomResourceDefinition")
	}
	s.crds = append(s.crds, crds)
	return answer, nil
}

func (s *service) readCRDs(ctx context.Context, o openRequest) (*manifest.Input, error) {
	if o.Path == "" {
		return readText(ctx, "the CRD", o.Text)
	}
	in := load.Reader{}.Read(ctx, []string{o.Path})
	return in, unusable(in)
}

func (s *service) judge(ctx context.Context, releases []string, j judgeRequest) (response, error) {
	if j.CRDs < 0 || j.CRDs >= len(s.crds) {
		return response{}, errors.New("unknown CRDs")
	}
	in, err := readText(ctx, "the object", j.Object)
	if err != nil {
		return response{}, err
	}
	if len(in.Documents) != 1 {
		return response{}, fmt.Errorf("want one object with apiVersion and kind, got %d", len(in.Documents))
	}
	object := in.Documents[0]
	for _, crd := range s.crds[j.CRDs] {
		if crd.Described == object.Kind {
			verdicts, err := s.verdicts(ctx, releases, named(s.crds[j.CRDs], crd.Name), object.Name, j)
			return response{Verdicts: verdicts}, err
		}
	}
	return response{}, fmt.Errorf("no CRD describes the kind %s of the group %q", object.Kind.Kind, object.Kind.Group)
}

// named returns the CRDs of a name.
func named(crds []*manifest.Document, name string) []*manifest.Document {
	return slices.DeleteFunc(slices.Clone(crds), func(d *manifest.Document) bool { return d.Name != name })
}

// request returns the request for the last of several CRDs of one name, and the one that judges
// their objects. Each CRD updates the accepted one before it.
func (s *service) request(ctx context.Context, kubernetes string, crds []*manifest.Document) (last, inForce playground.Scenario, err error) {
	var requests []playground.Scenario
	var updates bundle.Updates
	for _, crd := range crds {
		last = playground.Scenario{Kubernetes: kubernetes, CRD: crd.Text}
		if old := updates.Updated(); old >= 0 {
			last.OldCRD = requests[old].CRD
		}
		if len(crds) == 1 {
			return last, last, nil
		}
		report, err := s.engine.Evaluate(ctx, last)
		if err != nil {
			return last, inForce, err
		}
		requests, updates = append(requests, last), append(updates, report.CRD.Accepted)
	}
	return last, requests[updates.InForce()], nil
}

// verdicts returns the verdict of each release on the object of a request under CRDs of one
// name, or on the last of them if there is no object.
func (s *service) verdicts(ctx context.Context, releases []string, crds []*manifest.Document, name string, j judgeRequest) ([]verdict, error) {
	var all []verdict
	for _, kubernetes := range releases {
		scenario, inForce, err := s.request(ctx, kubernetes, crds)
		if err != nil {
			return nil, err
		}
		if j.Object != "" {
			scenario = inForce
			scenario.Object, scenario.OldObject, scenario.Operation = j.Object, j.Stored, j.Operation
		}
		report, err := s.engine.Evaluate(ctx, scenario)
		if err != nil {
			return nil, err
		}
		v := verdict{Name: name, Kubernetes: report.Kubernetes.Emulated, Approximate: report.Kubernetes.Approximate}
		if scenario.Object == "" {
			v.Accepted = report.CRD.Accepted
			v.addFindings(report.CRD.Findings)
		} else if err := v.setObject(report); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (v *verdict) setObject(report playground.Report) error {
	if len(report.Objects) != 1 {
		return errors.New("there is nothing to judge")
	}
	o := report.Objects[0]
	if len(o.DependsOn) > 0 {
		return fmt.Errorf("the verdict depends on %s", strings.Join(o.DependsOn, " and "))
	}
	v.Accepted, v.Stored = o.Accepted, o.Stored
	v.addFindings(o.Findings)
	return nil
}

// addFindings adds the errors and warnings in the words of kubectl.
func (v *verdict) addFindings(findings []playground.Finding) {
	for _, f := range findings {
		plain := manifest.Plain(f)
		text := plain.Text()
		switch f.Severity {
		case playground.SeverityError:
			v.Errors, v.Explained = append(v.Errors, text), append(v.Explained, plain.Explained())
		case playground.SeverityWarning:
			v.Warnings = append(v.Warnings, text)
		}
	}
}
