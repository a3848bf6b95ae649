package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crddiff"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/notes"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/quickfix"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// Library is the release of the Kubernetes libraries. Its minor version is
// playground.NewestMinor.
const Library = "1.37.2"

// An Engine evaluates scenarios. It is safe for concurrent use.
type Engine struct {
	// live permits calls of real conversion webhooks.
	live      conversion.Webhooks
	evaluator *crd.Evaluator
	caches    *caches
}

// New returns an engine with empty caches, which sends no requests.
func New() *Engine { return NewWithWebhooks(conversion.Webhooks{}) }

// NewWithWebhooks returns an engine that may call the permitted conversion webhooks
// if a scenario contains no rules or responses to replace them.
func NewWithWebhooks(live conversion.Webhooks) *Engine {
	return &Engine{live: live, evaluator: crd.NewEvaluator(), caches: newCaches()}
}

// Evaluate evaluates a scenario. Problems in the documents of the scenario are findings
// of the report, not errors. The error is a [playground.InvalidScenarioError], the
// error of ctx, or a failure of the engine.
func (e *Engine) Evaluate(ctx context.Context, s playground.Scenario) (playground.Report, error) {
	return e.evaluate(ctx, s, e.EvaluateCRD, e.classifyChanges)
}

// evaluate evaluates the CRD of a scenario with evaluateCRD, and then its objects. It
// reports the CRD's changes from classify.
func (e *Engine) evaluate(ctx context.Context, s playground.Scenario, evaluateCRD func(context.Context, playground.Scenario) *crd.CRD, classify classifyFunc) (report playground.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("evaluate: panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return report, err
	}
	now, err := ParseNow(s.Now)
	if err != nil {
		return report, err
	}
	if s, err = SetDefaults(s); err != nil {
		return report, err
	}
	restore, err := release.Emulate(s)
	if err != nil {
		return report, err
	}
	defer restore()
	start := time.Now()
	c := evaluateCRD(ctx, s)
	crdDone := time.Now()
	if report, err = e.report(ctx, s, c, now); err != nil {
		return report, err
	}
	if report.CRD.Changes, err = classify(ctx, s, c); err != nil {
		return report, err
	}
	report.Timing = playground.Timing{CRD: milliseconds(crdDone.Sub(start)), Object: milliseconds(time.Since(crdDone))}
	return report, ctx.Err()
}

// report evaluates the objects of s under the evaluated CRD and builds the report. The
// caller must emulate the release of s.
func (e *Engine) report(ctx context.Context, s playground.Scenario, c *crd.CRD, now time.Time) (report playground.Report, err error) {
	converted, err := customresource.NewConversion(c, s.Conversion, e.live)
	if err != nil {
		return report, err
	}
	plugins, err := e.AdmissionPlugins(s)
	if err != nil {
		return report, err
	}
	old := object.ParseOldObjects(s.OldObject)
	objects := object.Evaluate(ctx, object.Target{CRD: c, Conversion: converted, Plugins: plugins, Old: old}, s, now)
	report = playground.Report{
		Kubernetes: playground.Kubernetes{
			Library: Library, Emulated: s.Kubernetes, Approximate: s.Kubernetes != release.Name(playground.NewestMinor),
		},
		CRD:        c.Report,
		Objects:    reportObjects(c, objects, plugins, s),
		Conversion: playground.Conversion{Findings: converted.Findings()},
		Schemas:    []playground.Schema{},
	}
	quickfix.SuggestForConversion(report.Conversion.Findings, s.Conversion, c)
	if report.StoredObjects, err = crddiff.CompareStoredObjects(ctx, c, old, s.Conversion, e.live, now); err != nil {
		return report, err
	}
	for i, stored := range report.StoredObjects {
		report.StoredObjects[i].Findings = quickfix.Explain(stored.Findings)
	}
	if s.Schemas {
		if report.Schemas, err = c.PublishedSchemas(); err != nil {
			return report, err
		}
	}
	if report.Admission, err = e.reportAdmission(s, c, plugins, report.Objects); err != nil {
		return report, err
	}
	report.Tables = printTables(c, objects, now)
	return report, nil
}

// EvaluateCRD returns the evaluated CRD of s, from the cache if possible. s must have
// its defaults (see [SetDefaults]), and the caller must emulate its release.
func (e *Engine) EvaluateCRD(ctx context.Context, s playground.Scenario) *crd.CRD {
	key := newCRDKey(s)
	if cached, ok := e.caches.crd(key); ok {
		return cached
	}
	c := completeReport(e.evaluator.NewRequest(ctx, s).Evaluate())
	if ctx.Err() == nil {
		e.caches.crds.Add(key, c)
	}
	return c
}

// completeReport adds notes, hints, fixes and the comparison with the old CRD to the report
// of c, and returns c.
func completeReport(c *crd.CRD) *crd.CRD {
	// A failure of the notes must not change the verdict.
	_ = upstream.Guard(playground.StageNotes, func() error { notes.Add(c); return nil })
	quickfix.SuggestForCRD(c)
	c.Report.Findings = quickfix.Explain(c.Report.Findings)
	// An error means that the CRDs cannot be compared. The report already explains why.
	_ = upstream.Guard(playground.StageCRDValidate, func() error { return crddiff.Compare(c) })
	return c
}

// reportObjects returns the reports of objects, with hints and fixes.
func reportObjects(c *crd.CRD, objects []object.Evaluated, plugins *admission.Plugins, s playground.Scenario) []playground.Object {
	reports := []playground.Object{}
	for _, o := range objects {
		if o.Doc != nil {
			quickfix.SuggestForObject(o, c, s)
			if plugins != nil {
				quickfix.SuggestForAdmission(o.Report.Findings, plugins.File(), o.Faults, o.Schema)
			}
		}
		o.Report.Findings = quickfix.Explain(o.Report.Findings)
		reports = append(reports, o.Report)
	}
	return reports
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
