package object

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/warning"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// Request is an object on its way through the stages.
type Request struct {
	parts           feature.Set
	ctx             context.Context
	crd             *crd.CRD
	Doc             *source.Document
	now             time.Time
	fieldValidation string
	operation       string
	fieldManager    string
	force           bool
	user            user.Info
	replicas        int32 // that scale asks for
	olds            oldObjects
	conversion      *conversion
	Version         *crd.Version // whose endpoint the request goes to
	stages          []stage
	// review is what admission plugins do; nil if the scenario has no admission.
	review feature.Review
	// requestName and requestNamespace are those that the plugins are told, as
	// they were before the plugins could change the object.
	requestName, requestNamespace string

	Object *unstructured.Unstructured
	// meta is the metadata as decoded; nil if the object has none.
	meta *metav1.ObjectMeta
	// strict are the unknown and duplicate fields found so far.
	strict []strictError
	// invalid are the errors of validation found so far.
	invalid field.ErrorList
	// Old is what an update replaces, as the request's version has it, and
	// oldStored the same as persisted; nil on create.
	Old, oldStored *unstructured.Unstructured
	// stored is the object as persisted; nil unless accepted.
	stored *unstructured.Unstructured
	// deleted says that the request removes the object.
	deleted bool

	// memory is what the rules evaluated to.
	memory celrule.Memo
	// before is the object as it was at the last snapshot.
	before map[string]any
	// decoded and reads are the stored object as read at the storage version,
	// and at others by their names, once it was.
	decoded *unstructured.Unstructured
	reads   readObject

	Report playground.Object
	stage  *playground.Stage // the one that runs
}

// Evaluated is the outcome of the request for one object.
type Evaluated struct {
	Report playground.Object
	// read holds the object as a client reads it; nil if its text passes a limit.
	read readObject
	Doc  *source.Document // nil if the text passes a limit
	// Schema is the schema of the requested version; nil if there is none.
	Schema *structuralschema.Structural
	// Old is the object before an update; nil on create.
	Old map[string]any
}

// Evaluate runs the request for each object of s.
func Evaluate(ctx context.Context, p feature.Set, c *crd.CRD, conv *conversion, plugins feature.Plugins, s playground.Scenario, now time.Time) (objects []Evaluated) {
	file, err := source.Parse(s.Object, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return append(objects, Evaluated{Report: exceededObject(stagesOf(s), err)})
	}
	for _, r := range NewRequests(ctx, p, c, conv, plugins, s, now, file) {
		if ctx.Err() != nil {
			break
		}
		r.Evaluate(p.Supports(s))
		if plugins != nil {
			r.Report.Admission = r.review.Report(r.reviewed())
		}
		objects = append(objects, r.evaluated())
	}
	return objects
}

func (r *Request) evaluated() Evaluated {
	out := Evaluated{Report: r.Report, read: r.returned(), Doc: r.Doc}
	if r.Version != nil {
		out.Schema = r.Version.Schema
	}
	if r.Old != nil {
		out.Old = r.Old.Object
	}
	return out
}

// NewRequests are the requests for the documents of a file that are not empty.
func NewRequests(ctx context.Context, p feature.Set, c *crd.CRD, conv *conversion, plugins feature.Plugins, s playground.Scenario, now time.Time, file *source.File) []*Request {
	var requests []*Request
	olds := readOldObjects(c, s.OldObject)
	for _, doc := range file.Documents {
		if doc.Empty() {
			continue
		}
		r := &Request{reads: readObject{}, parts: p, crd: c, Doc: doc, now: now, fieldValidation: s.FieldValidation, operation: s.Operation, fieldManager: s.FieldManager, force: s.Force, user: feature.Requester(s), replicas: s.Replicas, olds: olds, conversion: conv, stages: stagesOf(s), Report: emptyReport()}
		r.Report.Operation = s.Operation
		r.ctx = warning.WithWarningRecorder(ctx, &warningRecorder{request: r})
		if plugins != nil {
			r.review = plugins.Review()
		}
		requests = append(requests, r)
	}
	return requests
}

// exceededObject reports a text that passes a limit.
func exceededObject(stages []stage, err error) playground.Object {
	object := emptyReport()
	f := finding.OfLimit(playground.DocumentObject, playground.StageDecode, err)
	object.Findings = append(object.Findings, f)
	object.Status = playground.Status{Message: err.Error()}
	object.Range = f.Range
	object.Stages = skippedStages(stages, "a limit of the playground is exceeded")
	object.Stages[0].Outcome = playground.OutcomeFail
	return object
}

// Evaluate judges the object, unless the engine lacks what it takes.
func (r *Request) Evaluate(judges bool) {
	r.Report.Range = r.Doc.Range
	r.Report.APIVersion, _ = r.Doc.Lookup("apiVersion")
	r.Report.Kind, _ = r.Doc.Lookup("kind")
	r.Report.Name, _ = r.Doc.Lookup("metadata", "name")
	r.Report.Namespace, _ = r.Doc.Lookup("metadata", "namespace")
	if !r.crd.Report.Accepted {
		r.checkReadable()
		r.Report.Stages = skippedStages(r.stages, "the CRD is not accepted")
		return
	}
	if !judges {
		r.Report.Stages = skippedStages(r.stages, "loading the part of the engine that judges this…")
		return
	}
	if r.crd.Unservable {
		r.refuse(playground.StageDecode, apierrors.NewInternalError(errors.New("error resolving resource")))
		r.Report.Stages = skippedStages(r.stages, "the API server cannot serve the CRD")
		return
	}
	if len(r.olds.findings) > 0 {
		r.Report.Findings = append(r.Report.Findings, r.olds.findings...)
		r.Report.Stages = skippedStages(r.stages, "the old object cannot be read")
		return
	}
	if !r.route() {
		return
	}
	if r.Version.DeprecationWarning != "" {
		r.warn(r.Version.DeprecationWarning)
	}
	if r.operation == playground.OperationUpdateStatus && !r.Version.HasStatus {
		err := apierrors.NewNotFound(r.resource(), r.Report.Name)
		r.refuse(playground.StageDecode, err)
		r.Report.Stages = skippedStages(r.stages, "the version has no status subresource")
		return
	}
	if r.operation == playground.OperationScale && r.Version.Scale == nil {
		r.refuse(playground.StageDecode, apierrors.NewNotFound(r.resource(), r.Report.Name))
		r.Report.Stages = skippedStages(r.stages, "the version has no scale subresource")
		return
	}
	r.runStages()
	if r.Object != nil {
		r.identify()
	}
}

// checkReadable says what nobody could read, whatever the CRD may become.
func (r *Request) checkReadable() {
	if _, err := DecodeStored(r.Doc); err != nil {
		f := r.finding(playground.StageDecode, err.Error())
		f.Range = finding.RequestRange(r.Doc, err.Error())
		r.Report.Findings = append(r.Report.Findings, f)
	}
	r.Report.Findings = append(r.Report.Findings, r.olds.findings...)
}

// route finds the endpoint that a client sends the document to. It reports
// false, with a finding, if there is none: kubectl maps apiVersion and kind to
// a resource before it sends anything.
func (r *Request) route() bool {
	versions := r.crd.ServedByPriority()
	for _, name := range versions {
		v := r.crd.Versions[name]
		if r.Report.APIVersion == v.Kind.GroupVersion().String() && r.Report.Kind == v.Kind.Kind {
			r.Version = v
			return true
		}
	}
	if len(versions) > 0 && (r.Report.APIVersion == "" || r.Report.Kind == "") {
		r.Version = r.crd.Versions[versions[0]] // the decoder says what is missing
		return true
	}
	r.refuseUnmapped()
	return false
}

func (r *Request) refuseUnmapped() {
	message := fmt.Sprintf("no matches for kind %q in version %q", r.Report.Kind, r.Report.APIVersion)
	f := r.finding(playground.StageDecode, message)
	f.Reason = "NotFound"
	f.Field = "apiVersion"
	if r.Report.Kind != r.crd.V1.Spec.Names.Kind {
		f.Field = "kind"
	}
	if location, ok := r.Doc.At(f.Field); ok {
		f.Range = location.Value()
	}
	f.Hint = r.servedHint()
	r.Report.Findings = append(r.Report.Findings, f)
	r.Report.Status = playground.Status{Code: http.StatusNotFound, Reason: "NotFound", Message: "the server could not find the requested resource"}
	r.Report.Output = fmt.Sprintf("error: resource mapping not found for name: %q namespace: %q from \"object.yaml\": %s\nensure CRDs are installed first",
		r.Report.Name, r.Report.Namespace, message)
	r.Report.Stages = skippedStages(r.stages, message)
	r.Report.Stages[0].Outcome = playground.OutcomeFail
}

func (r *Request) servedHint() string {
	hint := "The CRD serves no version."
	for i, name := range r.crd.ServedByPriority() {
		if i == 0 {
			hint = fmt.Sprintf("The CRD serves kind: %s at apiVersion: ", r.crd.V1.Spec.Names.Kind)
		} else {
			hint += ", "
		}
		hint += r.crd.V1.Spec.Group + "/" + name
	}
	return hint
}

// runStages runs the stages until one ends the request.
func (r *Request) runStages() {
	for i, stage := range r.stages {
		r.Report.Stages = append(r.Report.Stages, playground.Stage{Name: stage.name, Outcome: playground.OutcomePass, Changes: []playground.Change{}})
		r.stage = &r.Report.Stages[i]
		err := upstream.Guard(stage.name, func() error { return stage.run(r) })
		if err != nil {
			r.refuse(stage.name, err)
			rest := skippedStages(r.stages, "the request ended in stage "+stage.name)
			r.Report.Stages = append(r.Report.Stages, rest[i+1:]...)
			break
		}
	}
	for i := range r.Report.Stages {
		r.countFindings(&r.Report.Stages[i])
	}
	r.Report.Validated = jsonvalue.Encode(r.Object)
	r.reportSchema()
}

func (r *Request) countFindings(stage *playground.Stage) {
	for _, f := range r.Report.Findings {
		if f.Stage != stage.Name {
			continue
		}
		stage.Findings++
		if f.Severity == playground.SeverityError {
			stage.Outcome = playground.OutcomeFail
		}
	}
}

// StopBefore ends the request before the stage of a name, if it has one.
func (r *Request) StopBefore(name string) {
	if i := slices.IndexFunc(r.stages, func(s stage) bool { return s.name == name }); i >= 0 {
		r.stages = r.stages[:i]
	}
}

// skippedStages are all stages, skipped for the same reason.
func skippedStages(of []stage, why string) []playground.Stage {
	stages := make([]playground.Stage, len(of))
	for i, stage := range of {
		stages[i] = playground.Stage{Name: stage.name, Outcome: playground.OutcomeSkipped, Why: why, Changes: []playground.Change{}}
	}
	return stages
}

// identify names the object by what it is in the end, generated name and
// defaulted namespace included.
func (r *Request) identify() {
	r.Report.APIVersion = r.Object.GetAPIVersion()
	r.Report.Kind = r.Object.GetKind()
	r.Report.Name = r.Object.GetName()
	r.Report.Namespace = r.Object.GetNamespace()
}

func emptyReport() playground.Object {
	return playground.Object{
		Findings: []playground.Finding{},
		Warnings: []string{},
		Stages:   []playground.Stage{},
		Rules:    []playground.RuleResult{},
		Schema:   []playground.SchemaPlace{},
		Versions: []playground.ObjectVersion{},

		Conversions:      []playground.ConversionReview{},
		Scale:            []playground.Scale{},
		SelectableFields: []playground.SelectableFields{},
	}
}

// warningRecorder takes the warnings that upstream code adds to a context.
type warningRecorder struct{ request *Request }

func (w *warningRecorder) AddWarning(_, text string) { w.request.warn(text) }

// warn adds a warning, once, as the header of a response would have it.
func (r *Request) warn(text string) {
	for _, w := range r.Report.Warnings {
		if w == text {
			return
		}
	}
	r.Report.Warnings = append(r.Report.Warnings, text)
}
