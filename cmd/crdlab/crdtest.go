package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/minors"
	"github.com/crdlab/crdlab/internal/playground"
)

// crdtestProtocol is the version of the protocol with the Go library crdtest. A library
// accepts its own version only. New fields that a library may ignore keep the version.
const crdtestProtocol = 1

func newCRDTest() *cobra.Command {
	var flags programFlags
	command := &cobra.Command{
		Use:   "crdtest",
		Short: "Serve the Go library crdtest",
		Long: `Serve the Go library crdtest: read requests from standard input, and write the responses to
standard output, one JSON value in each line.`,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) {
			programs := minors.Open(flags.path())
			defer programs.Close()
			return statusAccepted, newCRDTester(programs).serve(command.Context(), command.InOrStdin(), command.OutOrStdout())
		}),
	}
	flags.addDirectory(command.Flags())
	return command
}

// The messages of the protocol. The library has the same types. A request has one of the
// fields Test, Open and Judge.
type (
	crdtestHello struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
	}
	crdtestRequest struct {
		Releases []string `json:"releases"`
		// Approximate permits releases without a program of their own.
		Approximate bool          `json:"approximate"`
		Test        *crdtestTest  `json:"test"`
		Open        *crdtestOpen  `json:"open"`
		Judge       *crdtestJudge `json:"judge"`
	}
	// A crdtestTest runs the tests of manifests, as the command test does.
	crdtestTest struct {
		Paths []string `json:"paths"`
	}
	// A crdtestOpen judges CRDs, in Text or at Path, and keeps them for later requests.
	crdtestOpen struct {
		Text string `json:"text"`
		Path string `json:"path"`
	}
	// A crdtestJudge judges a request for an object under one of the opened CRDs.
	crdtestJudge struct {
		CRDs      int                  `json:"crds"`
		Object    string               `json:"object"`
		Stored    string               `json:"stored"`
		Operation playground.Operation `json:"operation"`
	}
	crdtestResponse struct {
		// Error is the reason why there is no result.
		Error string        `json:"error,omitempty"`
		Tests []expect.File `json:"tests,omitempty"`
		// Approximate lists the releases without a program of their own, for Tests.
		Approximate []string         `json:"approximate,omitempty"`
		CRDs        int              `json:"crds"`
		Verdicts    []crdtestVerdict `json:"verdicts,omitempty"`
	}
	crdtestVerdict struct {
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

// A crdtester handles the requests of a library, one after the other.
type crdtester struct {
	engine   judge
	programs *minors.Programs
	// crds holds the CRDs of each crdtestOpen, in the order of the requests.
	crds [][]*manifest.Document
}

func newCRDTester(programs *minors.Programs) *crdtester {
	return &crdtester{engine: newJudge(programs), programs: programs}
}

// serve responds to requests until the end of the input.
func (c *crdtester) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	requests, responses := json.NewDecoder(in), json.NewEncoder(out)
	if err := responses.Encode(crdtestHello{crdtestProtocol, version}); err != nil {
		return err
	}
	for {
		var request crdtestRequest
		if err := requests.Decode(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		response, err := c.respond(ctx, request)
		if err != nil {
			response = crdtestResponse{Error: err.Error()}
		}
		if err := responses.Encode(response); err != nil {
			return err
		}
	}
}

func (c *crdtester) respond(ctx context.Context, r crdtestRequest) (crdtestResponse, error) {
	if len(r.Releases) == 0 {
		r.Releases = []string{release.Name(playground.NewestMinor)}
	}
	for _, name := range r.Releases {
		if _, err := release.ParseMinor(name); name == "" || err != nil {
			return crdtestResponse{}, fmt.Errorf("unknown release %q: crdlab supports %s to %s", name,
				release.Name(playground.OldestMinor), release.Name(playground.NewestMinor))
		}
	}
	if err := missingError(c.programs.Missing(r.Releases), "the option crdtest.Approximate()"); err != nil && !r.Approximate {
		return crdtestResponse{}, err
	}
	switch {
	case r.Test != nil:
		return c.test(ctx, r.Releases, r.Test.Paths)
	case r.Open != nil:
		return c.open(ctx, r.Releases, *r.Open)
	case r.Judge != nil:
		return c.judge(ctx, r.Releases, *r.Judge)
	}
	return crdtestResponse{}, errors.New("unknown request")
}

func (c *crdtester) test(ctx context.Context, releases []string, paths []string) (crdtestResponse, error) {
	in := manifest.Reader{}.Read(ctx, paths)
	if err := unusable(in); err != nil {
		return crdtestResponse{}, err
	}
	flags := judgeFlags{releases: releases, validate: "strict"}
	result, err := expect.Run(ctx, in, flags.options(c.programs, newProgress(io.Discard), nil))
	if err != nil {
		return crdtestResponse{}, err
	}
	return crdtestResponse{Tests: result.Files, Approximate: result.Approximate()}, nil
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
	in := manifest.Reader{Stdin: strings.NewReader(text)}.Read(ctx, []string{"-"})
	for _, p := range in.Problems {
		return nil, fmt.Errorf("%s: %w", name, p.Err)
	}
	return in, nil
}

func (c *crdtester) open(ctx context.Context, releases []string, o crdtestOpen) (crdtestResponse, error) {
	in, err := c.readCRDs(ctx, o)
	if err != nil {
		return crdtestResponse{}, err
	}
	var crds []*manifest.Document
	response := crdtestResponse{CRDs: len(c.crds)}
	for _, d := range in.Documents {
		if !d.IsCRD {
			continue
		}
		crds = append(crds, d)
		verdicts, err := c.verdicts(ctx, releases, playground.Scenario{CRD: d.Text}, d.Name)
		if err != nil {
			return crdtestResponse{}, err
		}
		response.Verdicts = append(response.Verdicts, verdicts...)
	}
	if len(crds) == 0 {
		return crdtestResponse{}, errors.New("there is no CustomResourceDefinition")
	}
	c.crds = append(c.crds, crds)
	return response, nil
}

func (c *crdtester) readCRDs(ctx context.Context, o crdtestOpen) (*manifest.Input, error) {
	if o.Path == "" {
		return readText(ctx, "the CRD", o.Text)
	}
	in := manifest.Reader{}.Read(ctx, []string{o.Path})
	return in, unusable(in)
}

func (c *crdtester) judge(ctx context.Context, releases []string, j crdtestJudge) (crdtestResponse, error) {
	if j.CRDs < 0 || j.CRDs >= len(c.crds) {
		return crdtestResponse{}, errors.New("unknown CRDs")
	}
	in, err := readText(ctx, "the object", j.Object)
	if err != nil {
		return crdtestResponse{}, err
	}
	if len(in.Documents) != 1 {
		return crdtestResponse{}, fmt.Errorf("want one object with apiVersion and kind, got %d", len(in.Documents))
	}
	object := in.Documents[0]
	for _, crd := range c.crds[j.CRDs] {
		if crd.Described == object.Kind {
			s := playground.Scenario{CRD: crd.Text, Object: j.Object, OldObject: j.Stored, Operation: j.Operation}
			verdicts, err := c.verdicts(ctx, releases, s, object.Name)
			return crdtestResponse{Verdicts: verdicts}, err
		}
	}
	return crdtestResponse{}, fmt.Errorf("no CRD describes the kind %s of the group %q", object.Kind.Kind, object.Kind.Group)
}

// verdicts returns the verdict of each release on the object of a scenario, or on its CRD
// if there is none.
func (c *crdtester) verdicts(ctx context.Context, releases []string, s playground.Scenario, name string) ([]crdtestVerdict, error) {
	var all []crdtestVerdict
	for _, s.Kubernetes = range releases {
		report, err := c.engine.Evaluate(ctx, s)
		if err != nil {
			return nil, err
		}
		v := crdtestVerdict{Name: name, Kubernetes: report.Kubernetes.Emulated, Approximate: report.Kubernetes.Approximate}
		if s.Object == "" {
			v.Accepted = report.CRD.Accepted
			v.addFindings(report.CRD.Findings)
		} else if err := v.setObject(report); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (v *crdtestVerdict) setObject(report playground.Report) error {
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
func (v *crdtestVerdict) addFindings(findings []playground.Finding) {
	for _, f := range findings {
		plain := check.Plain(f)
		text := plain.Text()
		switch f.Severity {
		case playground.SeverityError:
			v.Errors, v.Explained = append(v.Errors, text), append(v.Explained, plain.Explained())
		case playground.SeverityWarning:
			v.Warnings = append(v.Warnings, text)
		}
	}
}
