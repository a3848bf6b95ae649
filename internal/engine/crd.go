package engine

import (
	"context"
	"math"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// crd is all that depends on a CRD's text alone: the CRD's share of the
// report, and, if the CRD is accepted, what serves its objects. It does not
// change once its request has been evaluated.
type crd struct {
	compiler *ruleCache
	report   playground.CRD
	doc      *source.Document // nil if there is no document to judge

	// internal is the CRD as decoded and defaulted; nil if it cannot be.
	internal *apiextensions.CustomResourceDefinition
	// v1 is what the API server would serve; nil if the CRD is refused.
	v1 *apiextensionsv1.CustomResourceDefinition
	// versions are the served or stored versions by name; empty if the CRD is
	// refused.
	versions map[string]*version
	storage  *version
	// unresolvable: the CRD is accepted, but the handler of its objects cannot
	// be set up. Then versions are incomplete and storage may be nil.
	unresolvable bool
	// before is the CRD that is in the cluster before, as far as it takes to
	// read its objects; nil if there is none.
	before func() (*crd, error)
	// published is what a cluster publishes of the CRD. It is built when it is
	// first asked for: few look at it, and it is large.
	published struct {
		sync.Once
		schemas []playground.Schema
		err     error
	}
	// keywords are where nodes of the schemas stand: a playground.Range by
	// schemaNode, for those that objects had values of.
	keywords sync.Map
	// kinds are the types of the objects by version, for who writes them.
	kinds struct {
		sync.Once
		byVersion map[string]*kindSchema
	}
}

// crdRequest is a CRD on its way through the stages.
type crdRequest struct {
	*crd
	parts           Parts
	ctx             context.Context
	fieldValidation string
	operation       string
	old             *apiextensions.CustomResourceDefinition // nil on create
	oldDoc          *source.Document                        // nil on create
	// valid remembers a CRD that upstream found nothing wrong with; nil if it is
	// to be asked in any case.
	valid *validCRDs
	// fewRules is how many rules the CRD may have for all of them to be validated
	// at once; of more, those are that look bad.
	fewRules int
	// preliminary: there are rules that have not been validated.
	preliminary bool
}

// crdStages are the steps of a CRD's request, in the order in which
// the API server and its controllers take them. An error ends the request.
var crdStages = []struct {
	name string
	run  func(*crdRequest) error
}{
	{playground.StageCRDDecode, decodeCRD},
	{playground.StageCRDValidate, validateCRD},
	{playground.StageCRDServe, serveCRD},
}

// newCRDRequest is a request for the CRD of s.
func (e *Engine) newCRDRequest(ctx context.Context, s playground.Scenario) *crdRequest {
	c := &crd{compiler: e.rules, report: emptyCRDReport(), versions: map[string]*version{}}
	return &crdRequest{
		crd: c, parts: e.parts, ctx: ctx, valid: e.valid, fewRules: math.MaxInt,
		fieldValidation: s.FieldValidation, operation: playground.OperationCreate,
	}
}

// evaluate answers what the API server would do with the CRD of s.
func (r *crdRequest) evaluate(s playground.Scenario) *crd {
	if !r.open(s.CRD) || !r.readOld(s.OldCRD) {
		return r.crd
	}
	for _, stage := range crdStages {
		err := upstream.Guard(stage.name, func() error { return stage.run(r) })
		if err != nil {
			r.refuse(stage.name, err)
			break
		}
	}
	r.describe()
	r.addRemedies()
	// What cannot be compared has been refused with upstream's own errors.
	_ = upstream.Guard(playground.StageCRDValidate, r.reportChanges)
	if r.report.Accepted {
		r.report.Output = doneOutput("CustomResourceDefinition", apiextensions.GroupName, r.report.Name, r.operation, r.report.Warnings)
	}
	return r.crd
}

// open parses text and picks the document to judge. It reports what keeps it
// from finding one. A document with a mistake in its syntax goes on to the
// decoder, which says so in the API server's words.
func (r *crdRequest) open(text string) bool {
	file, err := source.Parse(text, finding.CRDText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		r.exceed(err)
		return false
	}
	r.doc, r.report.Candidates = chooseCRD(file)
	if r.doc == nil {
		return false
	}
	if err := finding.CheckText(r.doc); err != nil {
		r.exceed(err)
		return false
	}
	return true
}

// exceed ends the request because the text passes a limit.
func (r *crdRequest) exceed(err error) {
	r.report.Status = playground.Status{Message: err.Error()}
	r.report.Findings = append(r.report.Findings, finding.OfLimit(playground.DocumentCRD, playground.StageCRDDecode, err))
}

// chooseCRD returns the first CustomResourceDefinition of a file, or else its
// first document with any content, so that the decoder says what it is.
func chooseCRD(file *source.File) (*source.Document, []playground.Candidate) {
	candidates := []playground.Candidate{}
	var chosen, other *source.Document
	for _, doc := range file.Documents {
		if doc.Empty() {
			continue
		}
		if other == nil {
			other = doc
		}
		if kind, ok := doc.Lookup("kind"); !ok || kind != "CustomResourceDefinition" {
			continue
		}
		name, _ := doc.Lookup("metadata", "name")
		candidates = append(candidates, playground.Candidate{Name: name, Chosen: chosen == nil, Range: doc.Range})
		if chosen == nil {
			chosen = doc
		}
	}
	if chosen == nil {
		chosen = other
	}
	return chosen, candidates
}

// refuse ends the request with err.
func (r *crdRequest) refuse(stage string, err error) {
	r.report.Status = upstream.StatusOf(err)
	r.report.Output = refusedOutput(err, r.operation, "crd.yaml", r.report.Warnings)
	r.report.Findings = append(r.report.Findings, r.findings(stage, err)...)
}

func emptyCRDReport() playground.CRD {
	report := playground.EmptyCRD()
	report.CostLimit = crdCostLimit
	return report
}
