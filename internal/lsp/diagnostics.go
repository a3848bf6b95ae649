package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/cluster"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/naming"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/project"
	"github.com/crdlab/crdlab/internal/source"
)

// A diagnoser judges open files in the background.
type diagnoser struct {
	slots chan struct{}

	access  sync.Mutex
	running map[protocol.DocumentUri]*evaluation
	last    map[protocol.DocumentUri]diagnosis
	// spreads holds the changed files after whose evaluation the other open files are judged again.
	// It outlives an evaluation that is canceled, so that the next one does it.
	spreads map[protocol.DocumentUri]bool
	workers sync.WaitGroup
	// isStopped prevents further evaluations.
	isStopped bool
}

// An evaluation judges a version of a file. An edit does not end it at once, so that a user who types
// sees the findings in a version that is not much older.
type evaluation struct {
	version int32
	cancel  context.CancelFunc
	// hasBegun reports that it no longer waits, and isOutdated that the file is to be judged again after it.
	hasBegun, isOutdated bool
}

// longestOutdated is the time after which an edit ends the evaluation of the version before.
const longestOutdated = 3 * time.Second

// A diagnosis has the findings in a version of a file.
type diagnosis struct {
	version  int32
	findings []finding
	// judgesOthers reports that other open files are judged with the documents of the file.
	judgesOthers bool
	// changes holds the findings that the comparison with the last commit adds.
	changes []finding
}

// A finding is a diagnostic of the editor with its fixes.
type finding struct {
	protocol.Diagnostic
	fixes []manifest.Fix
}

func (d *diagnoser) init() {
	d.slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	d.running, d.last = map[protocol.DocumentUri]*evaluation{}, map[protocol.DocumentUri]diagnosis{}
	d.spreads = map[protocol.DocumentUri]bool{}
}

// stop cancels all evaluations, and waits for their end.
func (d *diagnoser) stop() {
	d.access.Lock()
	d.isStopped = true
	for _, e := range d.running {
		e.cancel()
	}
	d.access.Unlock()
	d.workers.Wait()
}

// forget forgets a closed file.
func (d *diagnoser) forget(uri protocol.DocumentUri) {
	d.access.Lock()
	defer d.access.Unlock()
	if e := d.running[uri]; e != nil {
		e.cancel()
	}
	delete(d.running, uri)
	delete(d.last, uri)
	delete(d.spreads, uri)
}

// spread makes the next published evaluation of a file judge the other open files.
func (d *diagnoser) spread(uri protocol.DocumentUri) {
	d.access.Lock()
	defer d.access.Unlock()
	d.spreads[uri] = true
}

// of returns the last diagnosis of a file. isCurrent reports that the file has not changed since.
func (d *diagnoser) of(f *file) (last diagnosis, isCurrent bool) {
	d.access.Lock()
	defer d.access.Unlock()
	last, ok := d.last[f.uri]
	return last, ok && last.version == f.version
}

// diagnoseAfter judges an open file after a change, and then the other open files if they are judged
// with its documents.
func (s *Server) diagnoseAfter(ctx context.Context, f *file) {
	s.diagnoser.spread(f.uri)
	s.diagnose(ctx, f)
}

// diagnoseAll judges all open files.
func (s *Server) diagnoseAll(ctx context.Context) {
	files := s.snapshot().files
	for _, uri := range slices.Sorted(maps.Keys(files)) {
		s.diagnose(ctx, files[uri])
	}
}

// diagnose judges an open file in the background: after the evaluation of the version before, if it runs. An
// evaluation of the same version ends, because what the file is judged with has changed.
func (s *Server) diagnose(ctx context.Context, f *file) {
	s.diagnoser.access.Lock()
	defer s.diagnoser.access.Unlock()
	s.begin(context.WithoutCancel(ctx), f)
}

// begin is diagnose for a caller that holds the diagnoser's access. Only the diagnoser cancels ctx.
func (s *Server) begin(ctx context.Context, f *file) {
	d := &s.diagnoser
	if d.isStopped {
		return
	}
	if e := d.running[f.uri]; e != nil && e.hasBegun && e.version != f.version {
		if !e.isOutdated {
			e.isOutdated = true
			time.AfterFunc(longestOutdated, e.cancel)
		}
		return
	} else if e != nil {
		e.cancel()
	}
	now := s.snapshot()
	running, cancel := context.WithCancel(ctx)
	e := &evaluation{version: f.version, cancel: cancel}
	d.running[f.uri] = e
	d.workers.Go(func() {
		defer cancel()
		if !d.await(running, e, f) {
			return
		}
		_, err := guard("diagnose "+f.path, func() (any, error) { return nil, now.diagnoseNow(running, f) })
		<-d.slots
		if err != nil && running.Err() == nil {
			s.fault(ctx, err)
		}
		d.access.Lock()
		defer d.access.Unlock()
		if d.running[f.uri] != e {
			return
		}
		delete(d.running, f.uri)
		if current := s.snapshot().files[f.uri]; e.isOutdated && current != nil {
			s.begin(ctx, current)
		}
	})
}

// await waits until an evaluation may begin. It reports false if the evaluation is canceled before.
func (d *diagnoser) await(ctx context.Context, e *evaluation, f *file) bool {
	if f.isGo() {
		select {
		case <-time.After(goPause):
		case <-ctx.Done():
			return false
		}
	}
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	d.access.Lock()
	defer d.access.Unlock()
	e.hasBegun = true
	return true
}

// diagnoseNow judges a file and publishes the findings. The comparison of a CRD with the last
// commit takes longer than the rest, so its findings follow; the former ones stay until then.
func (s snapshot) diagnoseNow(ctx context.Context, f *file) error {
	findings, err := s.findings(ctx, f)
	if err != nil {
		return err
	}
	targets := s.targets(ctx, f)
	if f.hasCRD() {
		former, _ := s.diagnoser.of(f)
		s.publish(ctx, f, findings, former.changes)
		if len(former.changes) == 0 && !slices.ContainsFunc(targets, func(t target) bool { return s.former(f, t) != nil }) {
			return nil
		}
	}
	changes := []finding{}
	for _, t := range targets {
		changed, err := s.sinceHead(ctx, f, t)
		if err != nil {
			return err
		}
		changes = append(changes, changed...)
	}
	s.publish(ctx, f, findings, changes)
	return nil
}

// publish sends the findings in a version of a file to the editor. If the file has changed, it also begins
// to judge the other open files, before the editor can respond. Those that were edited since are judged
// with the file already.
func (s snapshot) publish(ctx context.Context, f *file, findings, changes []finding) {
	judgesOthers := s.judgesOthers(f)
	d := &s.diagnoser
	d.access.Lock()
	defer d.access.Unlock()
	now := s.Server.snapshot().files
	if ctx.Err() != nil || now[f.uri] == nil {
		return
	}
	judgedOthers := d.last[f.uri].judgesOthers
	d.last[f.uri] = diagnosis{f.version, findings, judgesOthers, changes}
	diagnostics := []protocol.Diagnostic{}
	from, by := movement(f.text, now[f.uri].text)
	for _, found := range slices.Concat(findings, changes) {
		if found.Range.Start.Line >= from {
			found.Range.Start.Line += uint32(by) //nolint:gosec // an overflow subtracts
			found.Range.End.Line += uint32(by)   //nolint:gosec // an overflow subtracts
		}
		diagnostics = append(diagnostics, found.Diagnostic)
	}
	s.notify(ctx, protocol.ServerTextDocumentPublishDiagnostics, protocol.PublishDiagnosticsParams{
		URI: f.uri, Version: new(uint32(f.version)), Diagnostics: diagnostics, //nolint:gosec // versions are not negative
	})
	spreads := d.spreads[f.uri] && (judgesOthers || judgedOthers)
	if now[f.uri].version == f.version { // Otherwise a later version may be the first with such documents.
		delete(d.spreads, f.uri)
	}
	if !spreads {
		return
	}
	for _, uri := range slices.Sorted(maps.Keys(s.files)) {
		if uri != f.uri && now[uri] == s.files[uri] {
			s.begin(context.WithoutCancel(ctx), s.files[uri])
		}
	}
}

// movement returns the line of a text from which a later version has the same lines, and how far they moved.
func movement(before, after string) (from uint32, by int) {
	old, lines := strings.Split(before, "\n"), strings.Split(after, "\n")
	same := 0
	for same < min(len(old), len(lines)) && old[len(old)-1-same] == lines[len(lines)-1-same] {
		same++
	}
	return uint32(len(old) - same), len(lines) - len(old) //nolint:gosec // lines are not negative
}

// findings judges a file, and returns the findings there.
func (s snapshot) findings(ctx context.Context, f *file) ([]finding, error) {
	if f.isGo() {
		return s.findingsInGo(ctx, f)
	}
	if settings, _ := project.SettingsAt(filepath.Dir(f.path)); filepath.IsAbs(f.path) && settings.Ignores(f.path) {
		return []finding{s.note(manifest.Place{File: manifest.NewFile(f.path, f.text)}, "Not judged: ignored by "+project.SettingsFile)}, nil
	}
	judged, err := f.judge(ctx, s)
	if err != nil {
		return nil, err
	}
	var all []finding
	for _, p := range f.read().Problems {
		if exceeded := (*source.LimitError)(nil); errors.As(p.Err, &exceeded) {
			all = append(all, s.note(manifest.Place{File: manifest.NewFile(f.path, f.text)}, "Not judged: "+exceeded.Error()))
		}
	}
	notesApproximate := false
	for _, t := range s.targets(ctx, f) {
		if t.crd == nil && !cluster.HasKind(t.document.APIVersion, t.document.Kind.Kind) {
			all = append(all, s.note(t.kind(), "Not judged, because no CRD of this kind is known.\nAdd its path to the setting crdlab.crds, or set crdlab.fromCluster."))
		}
		verdict, isJudged := judged.verdicts[t.document]
		if !isJudged {
			continue
		}
		if verdict.Unknown != "" {
			all = append(all, s.about(t, "Not judged, because "+verdict.Unknown+"."))
		}
		if verdict.Approximate && !notesApproximate {
			notesApproximate = true
			all = append(all, s.about(t, fmt.Sprintf("The newest libraries judge in place of Kubernetes %s, so the verdict is approximate.\n\"crdlab releases\" lists the programs of older releases.", verdict.Kubernetes)))
		}
		for _, found := range verdict.Findings {
			if found.File == t.document.File && contains(t.document.Range, found.Range.Start) {
				all = append(all, s.found(found))
			}
		}
	}
	all = append(all, s.unnoticed(f)...)
	for _, skipped := range judged.skipped {
		if skipped.Path == f.path {
			all = append(all, s.note(manifest.Place{File: manifest.NewFile(f.path, f.text)}, "This file is "+skipped.Reason))
		}
	}
	for _, verdict := range judged.built {
		for _, found := range verdict.Findings {
			if found.Path() == f.path {
				all = append(all, s.found(found))
			}
		}
	}
	return all, nil
}

// severities maps severities to the protocol's.
var severities = map[playground.Severity]protocol.DiagnosticSeverity{
	playground.SeverityError:   protocol.DiagnosticSeverityError,
	playground.SeverityWarning: protocol.DiagnosticSeverityWarning,
	playground.SeverityInfo:    protocol.DiagnosticSeverityInformation,
}

// found returns a finding for the editor.
func (s snapshot) found(f manifest.Finding) finding {
	d := s.diagnostic(f)
	for _, r := range f.Related {
		if place := s.location(r.Place); place != nil {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: *place, Message: r.Message})
		}
	}
	return finding{d, f.Fixes}
}

// diagnostic returns a finding without its related places.
func (s snapshot) diagnostic(f manifest.Finding) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range: s.rangeIn(f.File, f.Range), Severity: new(severities[f.Severity]), Source: new("crdlab"), Message: strings.TrimSpace(f.Short() + "\n" + f.Hint),
	}
	if f.Code != "" {
		d.Code = &protocol.IntegerOrString{Value: f.Code}
		if s.settings.PageURL != "" {
			d.CodeDescription = &protocol.CodeDescription{HRef: strings.TrimSuffix(s.settings.PageURL, "/") + "/errors/" + f.Code}
		}
	}
	return d
}

// note returns a note at a place.
func (s snapshot) note(at manifest.Place, message string) finding {
	return s.found(manifest.Finding{Place: at, Severity: playground.SeverityInfo, Message: message})
}

// about returns a note about the verdict on a document, at its kind.
func (s snapshot) about(t target, message string) finding {
	note := manifest.Finding{Place: t.kind(), Severity: playground.SeverityInfo, Message: message}
	if t.crd != nil && t.crd != t.document {
		note.Related = []manifest.Related{{Place: t.crd.Place(t.crd.At("kind")), Message: "CRD"}}
	}
	return s.found(note)
}

// newest is the release whose libraries crdlab itself contains.
var newest = fmt.Sprintf("1.%d", playground.NewestMinor)

// checkOptions returns the options with which the release of the settings judges.
func (s snapshot) checkOptions() check.Options {
	return check.Options{
		Releases: []string{cmp.Or(s.settings.Release, newest)}, NewEngine: func() check.Engine { return check.Engine{Evaluate: s.evaluate} },
		Conditions: naming.Conditions,
	}
}

// checkOpen returns the same options without the verdicts on CRDs in closed files that define no object.
func (s snapshot) checkOpen() check.Options {
	o, isOpen := s.checkOptions(), s.openPaths()
	o.Needs = func(d *manifest.Document) bool { return !d.IsCRD || isOpen[d.File.Path] || d.BuiltBy != "" }
	return o
}
