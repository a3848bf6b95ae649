package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A diagnoser judges open files in the background. A newer edit of a file cancels the judgment
// of the one before.
type diagnoser struct {
	ctx   context.Context
	end   context.CancelFunc
	slots chan struct{}

	access  sync.Mutex
	running map[protocol.DocumentUri]context.CancelFunc
	last    map[protocol.DocumentUri]diagnosis
	workers sync.WaitGroup
}

// A diagnosis has the findings in a version of a file.
type diagnosis struct {
	version  int32
	findings []finding
}

// A finding is a diagnostic of the editor with its fixes.
type finding struct {
	protocol.Diagnostic
	target target
	fixes  []playground.Fix
}

func (d *diagnoser) init(ctx context.Context) {
	d.ctx, d.end = context.WithCancel(ctx)
	d.slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	d.running, d.last = map[protocol.DocumentUri]context.CancelFunc{}, map[protocol.DocumentUri]diagnosis{}
}

func (d *diagnoser) stop() {
	d.end()
	d.workers.Wait()
}

// begin returns the context of a judgment, and cancels the one before.
func (d *diagnoser) begin(uri protocol.DocumentUri) context.Context {
	d.access.Lock()
	defer d.access.Unlock()
	if cancel := d.running[uri]; cancel != nil {
		cancel()
	}
	ctx, cancel := context.WithCancel(d.ctx)
	d.running[uri] = cancel
	return ctx
}

// forget forgets a closed file.
func (d *diagnoser) forget(uri protocol.DocumentUri) {
	d.access.Lock()
	defer d.access.Unlock()
	if cancel := d.running[uri]; cancel != nil {
		cancel()
	}
	delete(d.running, uri)
	delete(d.last, uri)
}

// of returns the diagnosis of a file, unless it has changed since.
func (d *diagnoser) of(f *file) (diagnosis, bool) {
	d.access.Lock()
	defer d.access.Unlock()
	last, ok := d.last[f.uri]
	return last, ok && last.version == f.version
}

// diagnoseAfter judges an open file after a change. If it has CRDs, it judges all open files,
// because their objects may belong to them.
func (s *Server) diagnoseAfter(ctx context.Context, f *file) {
	if f.hasCRD() {
		s.diagnoseAll(ctx)
		return
	}
	s.diagnose(ctx, f)
}

func (s *Server) diagnoseAll(ctx context.Context) {
	files := s.snapshot().files
	for _, uri := range slices.Sorted(maps.Keys(files)) {
		s.diagnose(ctx, files[uri])
	}
}

// diagnose judges an open file in the background.
func (s *Server) diagnose(_ context.Context, f *file) {
	now := s.snapshot()
	ctx := s.diagnoser.begin(f.uri)
	s.diagnoser.workers.Go(func() {
		select {
		case s.diagnoser.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		defer func() { <-s.diagnoser.slots }()
		result, err := guard("diagnose "+f.path, func() (any, error) { return now.findings(ctx, f) })
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.fault(ctx, err)
		default:
			s.publish(ctx, f, result.([]finding))
		}
		for _, problem := range s.workspace.problems() {
			s.notify(ctx, protocol.ServerWindowLogMessage, protocol.LogMessageParams{Type: protocol.MessageTypeWarning, Message: "crdlab: " + problem.Error()})
		}
	})
}

// publish sends the findings in a version of a file to the editor.
func (s *Server) publish(ctx context.Context, f *file, findings []finding) {
	s.diagnoser.access.Lock()
	defer s.diagnoser.access.Unlock()
	if ctx.Err() != nil {
		return
	}
	s.diagnoser.last[f.uri] = diagnosis{f.version, findings}
	diagnostics := []protocol.Diagnostic{}
	for _, found := range findings {
		diagnostics = append(diagnostics, found.Diagnostic)
	}
	s.notify(ctx, protocol.ServerTextDocumentPublishDiagnostics, protocol.PublishDiagnosticsParams{
		URI: f.uri, Version: new(uint32(f.version)), Diagnostics: diagnostics, //nolint:gosec // versions are not negative
	})
}

// findings judges the documents of a file.
func (s snapshot) findings(ctx context.Context, f *file) ([]finding, error) {
	all := []finding{}
	if f.isGo() {
		return s.findingsInGo(ctx, f), nil
	}
	for _, t := range s.targets(ctx, f) {
		if t.crd == nil {
			if !s.options.IsBuiltIn(t.document) {
				all = append(all, s.withoutCRD(t))
			}
			continue
		}
		found, err := s.judge(ctx, f, t)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// judge returns the findings in a document, and what an update of its version in the last commit
// would add.
func (s snapshot) judge(ctx context.Context, f *file, t target) ([]finding, error) {
	scenario := t.scenario(s.settings.Release)
	report, err := s.options.Evaluate(ctx, scenario)
	if err != nil {
		return nil, err
	}
	created := findingsOf(report, t)
	all := []finding{}
	for _, found := range created {
		if t.documentOf(found.Document) == t.document {
			all = append(all, s.found(t, found))
		}
	}
	if s.settings.ComparesWithHead != nil && !*s.settings.ComparesWithHead {
		return all, nil
	}
	changed, err := s.sinceHead(ctx, f, t, scenario, created)
	return append(all, changed...), err
}

// findingsOf returns the findings in a report on a document.
func findingsOf(report playground.Report, t target) []playground.Finding {
	if t.document == t.crd {
		return playground.Readable(report.CRD.Findings)
	}
	if len(report.Objects) == 0 {
		return nil
	}
	return playground.Readable(report.Objects[0].Findings)
}

// severities maps severities to those of the protocol.
var severities = map[playground.Severity]protocol.DiagnosticSeverity{
	playground.SeverityError:   protocol.DiagnosticSeverityError,
	playground.SeverityWarning: protocol.DiagnosticSeverityWarning,
	playground.SeverityInfo:    protocol.DiagnosticSeverityInformation,
}

// found returns a finding in a document for the editor.
func (s snapshot) found(t target, f playground.Finding) finding {
	file, at := t.document.Source(f.Range)
	plain := check.Plain(f)
	message := plain.Short()
	if f.Hint != "" {
		message += "\n" + f.Hint
	}
	d := protocol.Diagnostic{
		Range: s.rangeIn(file, at), Severity: new(severities[f.Severity]), Source: new("crdlab"), Message: message,
	}
	if f.Code != "" {
		d.Code = &protocol.IntegerOrString{Value: f.Code}
		if s.settings.PageURL != "" {
			d.CodeDescription = &protocol.CodeDescription{HRef: strings.TrimSuffix(s.settings.PageURL, "/") + "/errors/" + f.Code}
		}
	}
	for _, r := range f.Related {
		other := t.documentOf(r.Document)
		if other == nil {
			continue
		}
		if place := s.location(other, r.Range); place != nil {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: *place, Message: r.Message})
		}
	}
	fixes := f.Fixes
	if t.document.Origin != nil {
		fixes = nil // They change the generated document, not its source.
	}
	return finding{Diagnostic: d, target: t, fixes: fixes}
}

// withoutCRD tells that an object is not judged.
func (s snapshot) withoutCRD(t target) finding {
	kind := t.document.At("kind")
	return finding{target: t, Diagnostic: protocol.Diagnostic{
		Range: s.rangeIn(t.document.File, t.document.InFile(kind)), Severity: new(protocol.DiagnosticSeverityInformation), Source: new("crdlab"),
		Message: "Not judged, because no CRD of this kind is known.\nAdd its path to the setting crdlab.crds, or set crdlab.fromCluster.",
	}}
}

// findingsInGo judges the CRDs that the package of a Go file on disk generates, and returns the
// findings and mistakes in the file.
func (s snapshot) findingsInGo(ctx context.Context, f *file) []finding {
	all := []finding{}
	if !strings.Contains(f.text, "+kubebuilder:") || s.options.Generate == nil {
		return all
	}
	directory := filepath.Dir(f.path)
	reader := manifest.Reader{Directory: directory, Generate: func(ctx context.Context, pattern string) (*manifest.Package, error) {
		return s.options.Generate(ctx, directory, pattern)
	}}
	in := reader.Read(ctx, []string{"./..."})
	isHere := func(path string) bool { return path == f.path || filepath.Join(directory, path) == f.path }
	for _, p := range in.Packages {
		for _, m := range p.Mistakes {
			if isHere(m.File.Path) {
				all = append(all, finding{Diagnostic: protocol.Diagnostic{
					Range: s.rangeIn(m.File, m.Range), Severity: new(severities[m.Severity]), Source: new("crdlab"),
					Message: strings.TrimSuffix(m.Message+"\n"+m.Hint, "\n"),
				}})
			}
		}
	}
	for _, d := range in.Documents {
		t := target{d, d}
		report, err := s.options.Evaluate(ctx, t.scenario(s.settings.Release))
		if err != nil {
			break
		}
		for _, found := range findingsOf(report, t) {
			if file, _ := d.Source(found.Range); isHere(file.Path) {
				all = append(all, s.found(t, found))
			}
		}
	}
	return all
}
