package crd

import (
	"context"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// CRD is all that depends on a CRD's text alone: the CRD's share of the
// report, and, if the CRD is accepted, what serves its objects. It does not
// change once its request has been evaluated.
type CRD struct {
	compiler *celrule.Compiler
	Report   playground.CRD
	Doc      *source.Document // nil if there is no document to judge

	// Internal is the CRD as decoded and defaulted; nil if it cannot be.
	Internal *apiextensions.CustomResourceDefinition
	// V1 is what the API server would serve; nil if the CRD is refused.
	V1 *apiextensionsv1.CustomResourceDefinition
	// Versions are the served or stored versions by name; empty if the CRD is
	// refused.
	Versions map[string]*Version
	Storage  *Version
	// unresolvable: the CRD is accepted, but the handler of its objects cannot
	// be set up. Then versions are incomplete and storage may be nil.
	Unservable bool
	// Old is the CRD in the cluster before an update, and OldDoc its document; nil
	// on create.
	Old    *apiextensions.CustomResourceDefinition
	OldDoc *source.Document
	// Before is the CRD that is in the cluster before, as far as it takes to
	// read its objects; nil if there is none.
	CompileOld func() (*CRD, error)
	// published is what a cluster publishes of the CRD. It is built when it is
	// first asked for: few look at it, and it is large.
	published struct {
		sync.Once
		schemas []playground.Schema
		err     error
	}
	// keywords are where nodes of the schemas stand: a playground.Range by
	// SchemaNode, for those that objects had values of.
	keywords sync.Map
	// kinds are the types of the objects by version, for who writes them.
	kinds struct {
		sync.Once
		byVersion map[string]*crdschema.Kind
	}
}

// Request is a CRD on its way through the stages.
type Request struct {
	*CRD
	features          feature.Set
	ctx               context.Context
	source, oldSource string
	fieldValidation   string
	operation         string
	// valid remembers a CRD that upstream found nothing wrong with; nil if it is
	// to be asked in any case.
	valid *validMemo
	// FewRules is how many rules the CRD may have for all of them to be validated
	// at once; of more, those are that look bad.
	immediateRules int
	// preliminary: there are rules that have not been validated.
	Preliminary bool
}

// stages are the steps of a CRD's request, in the order in which
// the API server and its controllers take them. An error ends the request.
var stages = []struct {
	name string
	run  func(*Request) error
}{
	{playground.StageCRDDecode, decode},
	{playground.StageCRDValidate, validate},
	{playground.StageCRDServe, serve},
}

// Evaluator evaluates CRDs with caches that its requests share.
type Evaluator struct {
	features feature.Set
	rules    *celrule.Compiler
	valid    *validMemo
}

func NewEvaluator(parts feature.Set) *Evaluator {
	return &Evaluator{parts, celrule.NewCompiler(), &validMemo{}}
}

// NewRequest prepares the request for the CRD of s. Of a CRD with more than
// FewRules rules, only those rules are validated that look bad.
func (e *Evaluator) NewRequest(ctx context.Context, s playground.Scenario, fewRules int) *Request {
	c := &CRD{compiler: e.rules, Report: emptyCRDReport(), Versions: map[string]*Version{}}
	return &Request{
		CRD: c, features: e.features, ctx: ctx, valid: e.valid, immediateRules: fewRules,
		source: s.CRD, oldSource: s.OldCRD, fieldValidation: s.FieldValidation, operation: playground.OperationCreate,
	}
}

// Evaluate runs the request through the stages.
func (r *Request) Evaluate() *CRD {
	if !r.open() || !r.readOld() {
		return r.CRD
	}
	for _, stage := range stages {
		err := upstream.Guard(stage.name, func() error { return stage.run(r) })
		if err != nil {
			r.refuse(stage.name, err)
			break
		}
	}
	r.describe()
	if r.Report.Accepted {
		r.Report.Output = kubectl.FormatSuccess("CustomResourceDefinition", apiextensions.GroupName, r.Report.Name, r.operation, r.Report.Warnings)
	}
	return r.CRD
}

// open parses text and picks the document to judge. It reports what keeps it
// from finding one. A document with a mistake in its syntax goes on to the
// decoder, which says so in the API server's words.
func (r *Request) open() bool {
	file, err := source.Parse(r.source, finding.CRDText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		r.exceed(err)
		return false
	}
	r.Doc, r.Report.Candidates = chooseCRD(file)
	if r.Doc == nil {
		return false
	}
	if err := finding.CheckText(r.Doc); err != nil {
		r.exceed(err)
		return false
	}
	return true
}

// exceed ends the request because the text passes a limit.
func (r *Request) exceed(err error) {
	r.Report.Status = playground.Status{Message: err.Error()}
	r.Report.Findings = append(r.Report.Findings, finding.OfLimit(playground.DocumentCRD, playground.StageCRDDecode, err))
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
func (r *Request) refuse(stage string, err error) {
	r.Report.Status = upstream.StatusOf(err)
	r.Report.Output = kubectl.FormatError(err, r.operation, "crd.yaml", r.Report.Warnings)
	r.Report.Findings = append(r.Report.Findings, r.findings(stage, err)...)
}

func emptyCRDReport() playground.CRD {
	report := playground.EmptyCRD()
	report.CostLimit = CostLimit
	return report
}
