package lsp

import (
	"context"
	"maps"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// A file is an open file. It does not change: an edit makes another file.
type file struct {
	uri     protocol.DocumentUri
	path    string
	version int32
	text    string
	// read divides the source into documents.
	read func() *manifest.Input
	// input is the result of read, and nil before.
	input atomic.Pointer[manifest.Input]
	// outline returns the elements of its documents.
	outline func() map[*manifest.Document][]element
	// atHead returns the documents of the file in the last commit.
	atHead func() *manifest.Input

	// memory remembers the reports on the former texts of the file.
	memory *check.Memory
	// judging guards judged, and makes the requests of an editor wait for the same result.
	judging sync.Mutex
	judged  *judgment
	// mutations holds the changes that no test noticed, since the user asked for them; otherwise nil.
	mutations atomic.Pointer[expect.Mutations]
	// isBuilt reports that kustomize builds objects from the file, as far as is known.
	isBuilt atomic.Bool
}

// A judgment is the result for the documents of a file, for a release and the CRDs that they need.
type judgment struct {
	release string
	in      []*manifest.Document
	// files holds the open files if kustomize builds objects from the file; otherwise it is nil.
	files map[protocol.DocumentUri]*file
	// verdicts and reports have an entry for each document with a CRD, and verdicts also for the policies.
	verdicts map[*manifest.Document]check.Verdict
	reports  map[*manifest.Document]playground.Report
	// built holds the verdicts on the objects that kustomize builds, and skipped the kustomizations that it
	// cannot build.
	built   []check.Verdict
	skipped []check.Skipped
}

// judge judges the documents of the file. After an edit, an editor sends several requests that need it.
func (f *file) judge(ctx context.Context, s snapshot) (*judgment, error) {
	f.judging.Lock()
	defer f.judging.Unlock()
	in, o := s.input(ctx, f), s.checkOpen()
	if last := f.judged; last != nil && last.release == o.Releases[0] && slices.Equal(last.in, in.Documents) && (last.files == nil || maps.Equal(last.files, s.files)) {
		return last, nil
	}
	made := &judgment{o.Releases[0], in.Documents, nil, map[*manifest.Document]check.Verdict{}, map[*manifest.Document]playground.Report{}, nil, nil}
	in, isBuilt := s.build(ctx, f, in)
	if f.isBuilt.Store(isBuilt); isBuilt {
		made.files = s.files
	}
	var access sync.Mutex
	o.After = func(d, _ *manifest.Document, report playground.Report) {
		access.Lock()
		defer access.Unlock()
		made.reports[d] = report
	}
	o.NewEngine = func() check.Engine { return check.Engine{Evaluate: f.memory.Remembering(s.evaluate)} }
	result, err := check.Run(ctx, in, o)
	if err != nil {
		return nil, err
	}
	f.memory.ForgetOthers()
	made.skipped = result.Skipped
	for _, d := range result.Documents {
		made.verdicts[d.Source()] = d.Verdicts[0]
		if d.BuiltBy != "" {
			made.built = append(made.built, d.Verdicts[0])
		}
	}
	f.judged = made
	return made, nil
}

// newFile returns an open file. before is the input of its former text, and nil without one.
func (s *Server) newFile(uri protocol.DocumentUri, version int32, text string, before *manifest.Input, memory *check.Memory, atHead func() *manifest.Input) *file {
	f := &file{uri: uri, path: pathOf(uri), version: version, text: text, memory: memory, atHead: atHead}
	f.read = sync.OnceValue(func() *manifest.Input {
		if f.isGo() {
			return manifest.NewInput()
		}
		in := manifest.NewEdited(before, f.path, text)
		f.input.Store(in)
		return in
	})
	f.outline = sync.OnceValue(func() map[*manifest.Document][]element {
		outlines := map[*manifest.Document][]element{}
		for _, d := range f.read().Documents {
			outlines[d] = outline(d)
		}
		return outlines
	})
	return f
}

func (f *file) isGo() bool { return filepath.Ext(f.path) == ".go" }

// sets reports whether a line of the file may set a field to a value. It does not parse the file.
func (f *file) sets(field, value string) bool {
	for line := range strings.Lines(f.text) {
		if strings.Contains(line, value) && strings.Contains(line, field) {
			return true
		}
	}
	return false
}

// hasCRD reports whether the file describes kinds.
func (f *file) hasCRD() bool {
	for _, d := range f.read().Documents {
		if d.IsCRD {
			return true
		}
	}
	return false
}

// pathOf returns the path of a file: its address, if it is not in the file system.
func pathOf(uri protocol.DocumentUri) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// uriOf returns the address of a path; empty if a path names no file, such as a revision.
func uriOf(path string) protocol.DocumentUri {
	switch {
	case filepath.IsAbs(path):
		path = filepath.ToSlash(path)
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		return (&url.URL{Scheme: "file", Path: path}).String()
	case strings.Contains(path, ":") && !strings.HasPrefix(path, "cluster:"):
		return path
	}
	return ""
}

// replace replaces an open file, or removes it if f is nil.
func (s *Server) replace(uri protocol.DocumentUri, f *file) {
	s.access.Lock()
	defer s.access.Unlock()
	s.files = maps.Clone(s.files)
	if f == nil {
		delete(s.files, uri)
		return
	}
	s.files[uri] = f
}

func (s *Server) didOpen(ctx context.Context, p protocol.DidOpenTextDocumentParams) {
	d := p.TextDocument
	f := s.newFile(d.URI, d.Version, d.Text, nil, new(check.Memory), s.workspace.headOf(pathOf(d.URI)))
	s.replace(d.URI, f)
	s.diagnoseAfter(ctx, f)
}

func (s *Server) didChange(ctx context.Context, p protocol.DidChangeTextDocumentParams) {
	before, ok := s.snapshot().files[p.TextDocument.URI]
	if !ok {
		return
	}
	text := before.text
	for _, c := range p.ContentChanges {
		switch c := c.(type) {
		case protocol.TextDocumentContentChangeEventWhole:
			text = c.Text
		case protocol.TextDocumentContentChangeEvent:
			text = edit.Apply(text, edit.Edit{Range: s.rangeFrom(manifest.NewFile("", text), *c.Range), NewText: c.Text})
		}
	}
	f := s.newFile(before.uri, p.TextDocument.Version, text, before.input.Load(), before.memory, before.atHead)
	f.isBuilt.Store(before.isBuilt.Load())
	s.replace(f.uri, f)
	s.diagnoseAfter(ctx, f)
}

// didSave compares with the last commit again, which may be another, and generates CRDs from Go
// packages again.
func (s *Server) didSave(ctx context.Context, p protocol.DidSaveTextDocumentParams) {
	before, ok := s.snapshot().files[p.TextDocument.URI]
	if !ok {
		return
	}
	s.workspace.forget()
	renewed := s.renew(before)
	if renewed.isGo() { // Its CRDs judge objects in other files.
		s.diagnoseAll(ctx)
		return
	}
	s.diagnoseAfter(ctx, renewed)
}

// renew makes the comparison of an open file with the last commit read it again.
func (s *Server) renew(f *file) *file {
	renewed := s.newFile(f.uri, f.version, f.text, f.input.Load(), f.memory, s.workspace.headOf(f.path))
	renewed.isBuilt.Store(f.isBuilt.Load())
	renewed.mutations.Store(f.mutations.Load())
	s.replace(f.uri, renewed)
	return renewed
}

func (s *Server) didClose(ctx context.Context, p protocol.DidCloseTextDocumentParams) {
	former := s.snapshot()
	closed := former.files[p.TextDocument.URI]
	s.replace(p.TextDocument.URI, nil)
	s.diagnoser.forget(p.TextDocument.URI)
	s.notify(ctx, protocol.ServerTextDocumentPublishDiagnostics, protocol.PublishDiagnosticsParams{
		URI: p.TextDocument.URI, Diagnostics: []protocol.Diagnostic{},
	})
	if closed != nil && former.judgesOthers(closed) { // The file on disk may differ.
		s.diagnoseAll(ctx)
	}
}

// A target is a document of a file with its CRD.
type target struct {
	document *manifest.Document
	// crd is the CRD of the object; nil if it is unknown. For a CRD, it is the document.
	crd *manifest.Document
	// old is the CRD in the same file that crd updates, or nil.
	old *manifest.Document
	// admission is [playground.Scenario.Admission].
	admission string
}

// name returns the name of the document in a scenario.
func (t target) name() playground.Document {
	if t.document == t.crd {
		return playground.DocumentCRD
	}
	return playground.DocumentObject
}

// scenario returns the request that creates the document, or updates the CRD before it.
func (t target) scenario(release string) playground.Scenario {
	s := playground.Scenario{Kubernetes: release, CRD: t.crd.Text}
	if t.old != nil {
		s.OldCRD = t.old.Text
	}
	if t.document != t.crd {
		s.Object, s.Admission = t.document.Text, t.admission
	}
	return s
}

// kind returns the place of the document's kind.
func (t target) kind() manifest.Place { return t.document.Place(t.document.At("kind")) }
