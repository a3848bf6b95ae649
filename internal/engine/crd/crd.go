// Package crd evaluates a CustomResourceDefinition as the API server and its
// controllers do: it decodes, validates, establishes and compiles the CRD.
package crd

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// stages lists the stages of a CRD's request in their order. An error ends the
// request. Each stage is in a file of its name.
var stages = []struct {
	name string
	run  func(*Request) error
}{
	{playground.StageCRDDecode, decode},
	{playground.StageCRDApply, apply},
	{playground.StageCRDValidate, validate},
	{playground.StageCRDSize, checkSize},
	{playground.StageCRDServe, serve},
}

// A CRD is an evaluated CRD: its part of the report and, if the API server accepts
// it, the versions that serve its objects. It depends only on the CRD's YAML, the
// old CRD's YAML, the release, and the parameters of the CRD's request. It does not
// change after its evaluation.
type CRD struct {
	Report playground.CRD
	Doc    *source.Document // nil if the YAML contains no document

	// Internal is the decoded and defaulted CRD. It is nil if decoding fails.
	Internal *apiextensions.CustomResourceDefinition
	// V1 is the CRD as the API server serves it. It is nil for a rejected CRD.
	V1 *apiextensionsv1.CustomResourceDefinition
	// Versions holds all versions of an accepted CRD by name.
	Versions map[string]*Version
	Storage  *Version
	// Unservable marks an accepted CRD whose objects the API server cannot serve.
	// Versions may then be incomplete and Storage may be nil.
	Unservable bool

	// Old is the CRD before an update and OldDoc its document. Both are nil on create.
	Old    *apiextensions.CustomResourceDefinition
	OldDoc *source.Document
	// CompileOld returns the old CRD with the parts that reading its objects requires.
	// It is nil on create and for a rejected CRD.
	CompileOld func() (*CRD, error)

	// violations are those of the rules for structural schemas.
	violations field.ErrorList
	// file is the path of the file that kubectl sends.
	file string
	// operation is the operation of the request.
	operation playground.Operation
	// patch is the patch of a client-side apply, or empty.
	patch string
	// webhookHint explains errors about the conversion webhook of the existing CRD, which
	// apply keeps; otherwise empty.
	webhookHint string
	// unsent is kubectl's own error about the document, or empty.
	unsent   string
	compiler *celrule.Compiler
	derived  derived
}

// A Request is the request that creates, updates or applies a CRD.
type Request struct {
	*CRD
	ctx             context.Context
	scenario        playground.Scenario
	yaml, oldYAML   string
	fieldValidation string
	fieldManager    string
	force           bool
	// stored requests the stored CRD with the owners of its fields.
	stored bool
	// verdictOnly is as in the scenario.
	verdictOnly bool
	now         time.Time
	// existing is the name of a CRD that a create request does not replace, or empty.
	existing string
	// between is the CRD after the first request of a kubectl that migrates managers; nil if it
	// sends only one.
	between *apiextensions.CustomResourceDefinition
	// oldRevision is the resourceVersion in the old CRD's document.
	oldRevision string
	// evaluator has the last decoded CRD. parsed is the file of the document, and edit how it differs from the last one.
	evaluator *Evaluator
	parsed    *source.File
	edit      *source.Edit
	// valid is the last valid CRD if this one differs from it only by change, which is nil if they are the same.
	valid  *decodedCRD
	change *change
	// assumesCost reports that validation did not add up the cost of all rules.
	assumesCost bool
	// decoded is this CRD for the next request; nil if it is not remembered.
	decoded *decodedCRD
	// findings becomes the findings of the report when the request ends.
	findings *finding.Collector
}

// An Evaluator evaluates CRDs with shared caches. It is safe for concurrent use.
type Evaluator struct {
	compiler *celrule.Compiler
	// last is the last decoded CRD. Most keystrokes change one keyword of a schema node: then upstream decodes this node,
	// and the CRD shares all others with the last one. BenchmarkCRDEdit measures it.
	last atomic.Pointer[decodedCRD]
}

// NewEvaluator returns an evaluator with empty caches.
func NewEvaluator() *Evaluator {
	return &Evaluator{compiler: celrule.NewCompiler()}
}

// lastFile returns the last parsed file, or nil.
func (e *Evaluator) lastFile() *source.File {
	if last := e.last.Load(); last != nil {
		return last.file
	}
	return nil
}

// NewRequest returns the request for the CRD of s, which must have its defaults.
func (e *Evaluator) NewRequest(ctx context.Context, s playground.Scenario) *Request {
	r := &Request{
		CRD: newCRD(e.compiler), ctx: ctx, scenario: s, evaluator: e, findings: finding.NewCollector(finding.MaxDescribed),
		yaml: s.CRD, oldYAML: s.OldCRD, fieldValidation: s.FieldValidation, fieldManager: s.CRDFieldManager, force: s.CRDForce,
		stored: s.CRDStored, verdictOnly: s.VerdictOnly, now: requestTime(s.Now),
	}
	r.file, r.operation = s.CRDFile, s.CRDOperation
	return r
}

func newCRD(compiler *celrule.Compiler) *CRD {
	report := playground.EmptyCRD()
	report.CostLimit = CostLimit
	return &CRD{compiler: compiler, Report: report, Versions: map[string]*Version{}, derived: derived{applied: &appliedTypes{}}}
}

// Evaluate runs the request through the stages.
func (r *Request) Evaluate() *CRD {
	defer func() {
		r.addWarnings(r.findings, r.Report.Warnings)
		r.Report.Findings = r.findings.List()
		if r.decoded != nil && r.ctx.Err() == nil {
			r.evaluator.last.Store(r.decoded)
		}
		r.valid, r.decoded = nil, nil // the CRD may keep the request
	}()
	if !r.open() || !r.openOld() {
		return r.CRD
	}
	if f, ok := finding.PartlyRead(playground.DocumentCRD, playground.StageCRDDecode, r.Doc); ok {
		r.findings.Add(f)
	}
	for _, stage := range stages {
		if err := upstream.Guard(stage.name, func() error { return stage.run(r) }); err != nil {
			r.reject(stage.name, err)
			break
		}
	}
	r.describe()
	if r.assumesCost && r.Report.EstimatedCost > CostLimit {
		r.decoded = nil
		return (&Evaluator{compiler: r.compiler}).NewRequest(r.ctx, r.scenario).Evaluate()
	}
	if r.operation != playground.OperationApply {
		r.findings.Add(r.repeatedRuleFindings()...)
	}
	if r.Report.Accepted {
		r.Report.Output = r.formatSuccess(r.Report.Warnings)
	}
	r.checkSent()
	return r.CRD
}

// checkSent replaces the output by kubectl's own error about a document that it does not
// send. kubectl reads all documents that the API server decodes, except for those without
// a type, which the endpoint implies.
func (r *Request) checkSent() {
	_, hasVersion := r.Doc.Lookup("apiVersion")
	_, hasKind := r.Doc.Lookup("kind")
	if r.Internal != nil && hasVersion && hasKind {
		return
	}
	r.unsent = kubectl.File{Name: r.file, Text: r.Doc.Text, Operation: r.operation, FieldValidation: r.fieldValidation}.Unsent()
	r.Report.Output = cmp.Or(r.unsent, r.Report.Output)
}

// reject reports the API server's error as the response to the request.
func (r *Request) reject(stage string, err error) {
	r.Report.Status = upstream.StatusOf(err)
	r.Report.Output = cmp.Or(r.unsent, r.formatError(err, r.Report.Warnings))
	r.addCauses(r.findings, stage, err)
}
