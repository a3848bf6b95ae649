// Package mcp serves assistants that write CRDs and their objects, in the Model Context
// Protocol. Each tool returns the output of a command of crdlab.
package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"runtime/debug"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/format"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/naming"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// Options configure a server.
type Options struct {
	Version string
	// Programs are the verdict programs of older releases.
	Programs *releases.Programs
	// Roots lists directories whose files are read, in addition to the client's.
	Roots []string
	// Log receives faults of the server.
	Log *log.Logger
}

// Documents are the manifests that a tool reads.
type Documents struct {
	Paths []string `json:"paths,omitempty" jsonschema:"files, and directories whose YAML and JSON files are read; relative to a root, or absolute below one"`
	Text  string   `json:"text,omitempty" jsonschema:"YAML documents, separated by ---, or JSON"`
}

// A source is the field of an input that names documents.
type source struct {
	name string
	Documents
}

// sources implements input. The documents have no other name.
func (d Documents) sources() []source { return []source{{"text", d}} }

// An input has the arguments of a tool.
type input interface{ sources() []source }

// JudgeInput is the input of the tools that judge.
type JudgeInput struct {
	Documents
	Kubernetes string `json:"kubernetes,omitempty" jsonschema:"minor release of Kubernetes, such as 1.34; if absent, the newest"`
}

// ExplainInput is the input of the tool explain.
type ExplainInput struct {
	Documents
	Version   string `json:"version,omitempty" jsonschema:"served version; if absent, the version that kubectl prefers"`
	Field     string `json:"field,omitempty" jsonschema:"path of a field, such as spec.jobs.name; if absent, the whole object"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"lists the fields of the fields, too"`
	Code      string `json:"code,omitempty" jsonschema:"code of a kind of error, such as cel-undefined-field; needs no documents"`
}

// EvaluateInput is the input of the tool evaluate.
type EvaluateInput struct {
	Documents
	Expression string `json:"expression" jsonschema:"CEL expression; self is the object, or the value at the path"`
	At         string `json:"at,omitempty" jsonschema:"path of self in the object, such as spec.jobs[0]"`
}

// SampleInput is the input of the tool sample.
type SampleInput struct {
	Documents
	Version string `json:"version,omitempty" jsonschema:"version of the CRD; if absent, the storage version"`
	Full    bool   `json:"full,omitempty" jsonschema:"includes all fields, optional ones as comments"`
}

// DiffInput is the input of the tool diff.
type DiffInput struct {
	Old     Documents `json:"old" jsonschema:"the CRDs before the change"`
	New     Documents `json:"new" jsonschema:"the CRDs after the change"`
	Objects Documents `json:"objects,omitzero" jsonschema:"stored objects on which the changes are tried"`
}

func (i DiffInput) sources() []source {
	return []source{{"old", i.Old}, {"new", i.New}, {"objects", i.Objects}}
}

// New returns a server with all tools.
func New(o Options) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "crdlab", Version: o.Version}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{},
		Instructions: "The tools answer as a Kubernetes API server does. Check each CRD and object that you write.",
	})
	addTool(s, o, "check", "Judge CRDs, and objects under the CRDs of their kinds: the API server's verdicts and errors, with hints and fixes.", o.check)
	addTool(s, o, "fix", "Return documents after all safe fixes of their errors, and the remaining errors. No file changes.", o.fix)
	addTool(s, o, "test", `Compare the errors with the expectations in comments: # want "regexp" at the end of a line, or # want@+2 "regexp". Documents without expectations must be accepted.`, o.test)
	addTool(s, o, "diff", "List the changes between old and new CRDs: whether each breaks objects or clients, with an object as an example.", o.diff)
	addTool(s, o, "explain", "Explain a field of a CRD as kubectl explain does, or the cause and the fix of a kind of error.", o.explain)
	addTool(s, o, "evaluate", "Evaluate a CEL expression for objects as a rule of their CRD: the value, the values of the subexpressions, and the cost.", grouped(evaluate))
	addTool(s, o, "sample", "Write a sample object of each CRD that meets its schema and rules.", grouped(sample))
	return s
}

// addTool adds a tool that returns plain text. answer receives the documents of its sources.
func addTool[In input](s *sdk.Server, o Options, name, description string, answer func(context.Context, In, []*manifest.Input) (string, error)) {
	closed := false
	tool := &sdk.Tool{Name: name, Description: description, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
	sdk.AddTool(s, tool, func(ctx context.Context, r *sdk.CallToolRequest, in In) (result *sdk.CallToolResult, _ any, err error) {
		defer func() {
			if p := recover(); p != nil {
				o.Log.Printf("crdlab: %s: panic: %v\n%s", name, p, debug.Stack())
				err = fmt.Errorf("crdlab failed: %v", p)
			}
		}()
		roots, pending := o.roots(r, in)
		if pending != nil {
			return pending, nil, nil
		}
		var inputs []*manifest.Input
		var problems []string
		for _, source := range in.sources() {
			read, unusable := roots.read(source)
			inputs, problems = append(inputs, read), append(problems, unusable...)
		}
		text, err := answer(ctx, in, inputs)
		if err != nil {
			return nil, nil, errors.New(bounded(strings.Join(append(problems, err.Error()), "\n")))
		}
		text = strings.Join(append(problems, text), "\n")
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: bounded(text)}}}, nil, nil
	})
}

// maxAnswer is the largest size of an answer in bytes, without the line that says that it was cut.
const maxAnswer = 64 << 10

func bounded(text string) string {
	if len(text) <= maxAnswer {
		return text
	}
	return strings.ToValidUTF8(text[:maxAnswer], "") + fmt.Sprintf("\n[cut: the answer has %d bytes; ask for less]\n", len(text))
}

func (o Options) check(ctx context.Context, in JudgeInput, inputs []*manifest.Input) (string, error) {
	result, err := check.Run(ctx, inputs[0], o.judging(in))
	if err != nil {
		return "", err
	}
	return o.written(format.Check(result, format.Options{Verbose: true}))
}

func (o Options) fix(ctx context.Context, in JudgeInput, inputs []*manifest.Input) (string, error) {
	fixed, result, err := check.Fix(ctx, inputs[0], o.judging(in))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, file := range fixed {
		fmt.Fprintf(&out, "%s, fixed (%d):\n```\n%s\n```\n", file.File.Path, file.Fixes, strings.TrimRight(file.Text, "\n"))
	}
	rest, err := o.written(format.Check(result, format.Options{}))
	return out.String() + rest, err
}

func (o Options) test(ctx context.Context, in JudgeInput, inputs []*manifest.Input) (string, error) {
	result, err := expect.Run(ctx, inputs[0], o.judging(in))
	if err != nil {
		return "", err
	}
	return o.written(format.Test(result, nil, true))
}

func (o Options) diff(ctx context.Context, _ DiffInput, inputs []*manifest.Input) (string, error) {
	result, err := upgrade.Compare(ctx, o.newEngine(), inputs[0], inputs[1], inputs[2], upgrade.Options{Conditions: naming.Conditions})
	switch {
	case err != nil:
		return "", err
	case len(result.CRDs) == 0:
		return "", errNoCRD
	}
	return o.written(format.Diff(result, nil, true, upgrade.Breaks))
}

var errNoCRD = errors.New("there is no CRD in these documents")

// grouped returns an answer for the CRDs of an input with their objects.
func grouped[In input](answer func(context.Context, []check.Group, In) (string, error)) func(context.Context, In, []*manifest.Input) (string, error) {
	return func(ctx context.Context, in In, inputs []*manifest.Input) (string, error) {
		groups, _ := check.Groups(inputs[0])
		if len(groups) == 0 {
			return "", errNoCRD
		}
		return answer(ctx, groups, in)
	}
}

func (o Options) explain(ctx context.Context, in ExplainInput, inputs []*manifest.Input) (string, error) {
	if in.Code == "" {
		return grouped(o.explainField)(ctx, in, inputs)
	}
	var codes []string
	for _, page := range errorindex.All() {
		if page.Code == in.Code {
			return fmt.Sprintf("%s\n\nCause: %s\nFix: %s\n", page.Message, page.Cause, page.Fix), nil
		}
		codes = append(codes, page.Code)
	}
	slices.Sort(codes)
	return "", fmt.Errorf("%q: no such code; the codes are %s", in.Code, strings.Join(codes, ", "))
}

func (o Options) judging(in JudgeInput) check.Options {
	return check.Options{
		Releases: []string{cmp.Or(in.Kubernetes, release.Name(playground.NewestMinor))}, FieldValidation: playground.FieldValidationStrict,
		NewEngine: o.newEngine, Conditions: naming.Conditions,
	}
}

// newEngine returns an engine that evaluates with the programs of older releases.
func (o Options) newEngine() check.Engine {
	e := engine.New()
	return check.Engine{Evaluate: o.Programs.NewEvaluator(e).Evaluate, Forget: e.ForgetCRDs}
}

func (o Options) written(r format.Report) (string, error) {
	var out bytes.Buffer
	err := r.Write(&out, "text", o.Version)
	return out.String(), err
}
