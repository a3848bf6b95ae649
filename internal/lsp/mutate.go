package lsp

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// mutate makes a small change to each constraint of the CRD at a line, runs the tests in the folders on the changed CRD,
// and marks the constraints whose changes no test notices.
func (s snapshot) mutate(ctx context.Context, a commandArguments) (any, error) {
	t, err := s.chosen(ctx, a)
	if err != nil {
		return nil, err
	}
	if t.document != t.crd {
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: "there is no CRD in this line"}
	}
	defer s.working(ctx, "Changing constraints of "+t.crd.Name)()
	in, o := s.testsOf(ctx, t.crd), s.checkOptions()
	tested, err := expect.Run(ctx, in, o)
	if err != nil {
		return nil, err
	}
	if tested.FailsIn(in.Documents) {
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: "the tests fail: only tests that pass can notice a change"}
	}
	mutations, err := expect.Mutate(ctx, in, o, expect.MutateOptions{
		Compare: func() mutant.Compare { return engine.New().Compare }, Of: t.crd, Drafts: true, Progress: func(int, int) {},
	})
	if err != nil {
		return nil, err
	}
	f := s.Server.snapshot().files[a.text]
	if f == nil || f.text != s.files[a.text].text {
		return nil, &jsonrpc2.Error{Code: codeContentModified, Message: "The CRD has changed meanwhile."}
	}
	f.mutations.Store(mutations)
	s.diagnose(ctx, f)
	if s.client.refreshesLenses {
		_ = s.conn.Call(ctx, string(protocol.ServerWorkspaceCodeLensRefresh), nil, nil) // A closed connection needs no refresh.
	}
	result := testResult{Summary: mutations.Summary(), Failures: []failure{}}
	for _, m := range mutations.Missed {
		result.Failures = append(result.Failures, failure{m.Line, fmt.Sprintf("no test notices %s %s", m.Change, m.Place())})
	}
	s.notify(ctx, string(protocol.ServerWindowShowMessage), protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: "crdlab: " + result.Summary})
	return result, nil
}

// testsOf returns a CRD with the objects of its kind in the folders, as the editor shows them, and with the policies.
func (s snapshot) testsOf(ctx context.Context, crd *manifest.Document) *manifest.Input {
	kind := crd.Described
	reader := load.Reader{Wants: func(text string) bool { return strings.Contains(text, kind.Group) && strings.Contains(text, kind.Kind) }}
	texts := map[string]string{}
	for _, f := range s.files {
		texts[f.path] = f.text
	}
	all := reader.Read(ctx, s.workspace.allFolders()).WithTexts(texts)
	in := manifest.NewInput()
	in.Documents = append(check.Policies(all), crd)
	for _, d := range all.Documents {
		if d.Kind == kind {
			in.Documents = append(in.Documents, d)
		}
	}
	return in
}

// unnoticed returns notes about the constraints of the CRDs in a file whose changes no test notices, each with a fix that
// adds a test. It has one for each constraint.
func (s snapshot) unnoticed(f *file) []finding {
	mutations := f.mutations.Load()
	if mutations == nil {
		return nil
	}
	var all []finding
	known := map[playground.Range]bool{}
	for _, m := range mutations.Missed {
		if known[m.At] {
			continue
		}
		known[m.At] = true
		note := manifest.Finding{
			Place: manifest.Place{File: manifest.NewFile(f.path, f.text), Range: m.At}, Severity: playground.SeverityInfo,
			Message: fmt.Sprintf("No test notices %s %s", m.Change, m.Place()), Hint: strings.TrimSpace(m.Excerpt) + "\n" + m.Verdict,
		}
		_, err := os.Stat(m.TestPath)
		if m.Test != "" && (err == nil || s.client.creates) {
			note.Fixes = []manifest.Fix{{
				Title:   "Add a test that notices " + m.Change,
				Resolve: func(context.Context) []manifest.Edit { return s.Server.snapshot().addTest(m.TestPath, m.Test) },
			}}
		}
		all = append(all, s.found(note))
	}
	return all
}

// addTest returns the edit that adds a test to the end of a file, which may not exist.
func (s snapshot) addTest(path, test string) []manifest.Edit {
	file := manifest.NewFile(path, "")
	if text, err := os.ReadFile(path); err == nil {
		file = manifest.NewFile(path, string(text))
		file.Writable = true
	}
	for _, open := range s.files {
		if open.path == path {
			file = manifest.NewFile(path, open.text)
		}
	}
	fix := expect.AddTest(file.Text, test)
	return []manifest.Edit{{Place: manifest.Place{File: file, Range: fix.Range}, NewText: fix.NewText}}
}
