package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/warning"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// An objectStage is a step of an object's request. An error ends the request;
// errors of validation are collected until validation is over.
type objectStage struct {
	name string
	run  func(*request) error
}

// objectStages are the steps of a create or an update, in the order of the
// API server's request handler.
var objectStages = []objectStage{
	{playground.StageDecode, decode},
	{playground.StageMetadata, coerceMetadata},
	{playground.StagePrune, prune},
	{playground.StageNulls, dropNulls},
	{playground.StageEmbedded, coerceEmbedded},
	{playground.StageDefault, applyDefaults},
	{playground.StagePrepare, prepare},
	{playground.StageValidate, validate},
	{playground.StageRules, evaluateRules},
	{playground.StageStore, store},
	{playground.StageRead, read},
}

// applyStages are those of a server-side apply: the field manager merges by
// the schema, which leaves nothing to prune, and applies defaults.
var applyStages = []objectStage{
	{playground.StageDecode, decodeApplied},
	{playground.StageApply, applyFields},
	{playground.StagePrepare, prepare},
	{playground.StageValidate, validate},
	{playground.StageRules, evaluateRules},
	{playground.StageStore, store},
	{playground.StageRead, read},
}

// admissionStages take the places of stages where admission plugins run: those
// that change the object before it is completed, those that only look at it
// after it was validated.
var admissionStages = map[string][]objectStage{
	playground.StagePrepare: {{playground.StagePrepare, receiveObject}, {playground.StageMutate, mutate}, {playground.StageComplete, completeObject}},
	playground.StageRules:   {{playground.StageRules, evaluateRules}, {playground.StageAdmit, admit}},

	playground.StageFinalize: {{playground.StageAdmit, admitDelete}, {playground.StageFinalize, finalize}},
}

// operationStages are the stages of the operations.
var operationStages = map[string][]objectStage{
	playground.OperationCreate:       objectStages,
	playground.OperationUpdate:       objectStages,
	playground.OperationUpdateStatus: objectStages,
	playground.OperationApply:        applyStages,
	playground.OperationDelete:       deleteStages,
	playground.OperationScale:        scaleStages,
}

// stagesOf are the stages of a scenario's requests.
func stagesOf(s playground.Scenario) []objectStage {
	stages := operationStages[s.Operation]
	if isEmpty(s.Admission) || s.Operation == playground.OperationScale {
		return stages
	}
	var withAdmission []objectStage
	for _, stage := range stages {
		if several, ok := admissionStages[stage.name]; ok {
			withAdmission = append(withAdmission, several...)
		} else {
			withAdmission = append(withAdmission, stage)
		}
	}
	return withAdmission
}

// StageNames returns the names of the stages of a scenario's object requests, in
// their order.
func StageNames(s playground.Scenario) ([]string, error) {
	s, err := complete(s)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, stage := range stagesOf(s) {
		names = append(names, stage.name)
	}
	return names, nil
}

// request is an object on its way through the stages.
type request struct {
	parts           Parts
	ctx             context.Context
	crd             *crd
	doc             *source.Document
	now             time.Time
	fieldValidation string
	operation       string
	fieldManager    string
	force           bool
	user            user.Info
	replicas        int32 // that scale asks for
	olds            oldObjects
	conversion      *conversion
	version         *version // whose endpoint the request goes to
	stages          []objectStage
	// review is what admission plugins do; nil if the scenario has no admission.
	review Review
	// requestName and requestNamespace are those that the plugins are told, as
	// they were before the plugins could change the object.
	requestName, requestNamespace string

	object *unstructured.Unstructured
	// meta is the metadata as decoded; nil if the object has none.
	meta *metav1.ObjectMeta
	// strict are the unknown and duplicate fields found so far.
	strict []strictError
	// invalid are the errors of validation found so far.
	invalid field.ErrorList
	// old is what an update replaces, as the request's version has it, and
	// oldStored the same as persisted; nil on create.
	old, oldStored *unstructured.Unstructured
	// stored is the object as persisted; nil unless accepted.
	stored *unstructured.Unstructured
	// deleted says that the request removes the object.
	deleted bool

	// memory is what the rules evaluated to.
	memory memory
	// before is the object as it was at the last snapshot.
	before map[string]any
	// decoded and reads are the stored object as read at the storage version,
	// and at others by their names, once it was.
	decoded *unstructured.Unstructured
	reads   readObject

	report playground.Object
	stage  *playground.Stage // the one that runs
}

// evaluateObjects judges each document of text, and returns the accepted ones
// as they are read.
func (p Parts) evaluateObjects(ctx context.Context, c *crd, conv *conversion, plugins Plugins, s playground.Scenario, now time.Time) (objects []playground.Object, reads []readObject) {
	objects = []playground.Object{}
	file, err := source.Parse(s.Object, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return append(objects, exceededObject(stagesOf(s), err)), nil
	}
	for _, r := range p.newRequests(ctx, c, conv, plugins, s, now, file) {
		if ctx.Err() != nil {
			break
		}
		r.evaluate(p.judges(s))
		r.addRemedies()
		if plugins != nil {
			r.report.Admission = r.review.Report(r.reviewed())
		}
		objects = append(objects, r.report)
		reads = append(reads, r.returned())
	}
	return objects, reads
}

// newRequests are the requests for the documents of a file that are not empty.
func (p Parts) newRequests(ctx context.Context, c *crd, conv *conversion, plugins Plugins, s playground.Scenario, now time.Time, file *source.File) []*request {
	var requests []*request
	olds := readOldObjects(c, s.OldObject)
	for _, doc := range file.Documents {
		if doc.Empty() {
			continue
		}
		r := &request{reads: readObject{}, parts: p, crd: c, doc: doc, now: now, fieldValidation: s.FieldValidation, operation: s.Operation, fieldManager: s.FieldManager, force: s.Force, user: Requester(s), replicas: s.Replicas, olds: olds, conversion: conv, stages: stagesOf(s), report: emptyObjectReport()}
		r.report.Operation = s.Operation
		r.ctx = warning.WithWarningRecorder(ctx, &warningRecorder{request: r})
		if plugins != nil {
			r.review = plugins.Review()
		}
		requests = append(requests, r)
	}
	return requests
}

// exceededObject reports a text that passes a limit.
func exceededObject(stages []objectStage, err error) playground.Object {
	object := emptyObjectReport()
	f := finding.OfLimit(playground.DocumentObject, playground.StageDecode, err)
	object.Findings = append(object.Findings, f)
	object.Status = playground.Status{Message: err.Error()}
	object.Range = f.Range
	object.Stages = skippedStages(stages, "a limit of the playground is exceeded")
	object.Stages[0].Outcome = playground.OutcomeFail
	return object
}

// evaluate judges the object, unless the engine lacks what it takes.
func (r *request) evaluate(judges bool) {
	r.report.Range = r.doc.Range
	r.report.APIVersion, _ = r.doc.Lookup("apiVersion")
	r.report.Kind, _ = r.doc.Lookup("kind")
	r.report.Name, _ = r.doc.Lookup("metadata", "name")
	r.report.Namespace, _ = r.doc.Lookup("metadata", "namespace")
	if !r.crd.report.Accepted {
		r.checkReadable()
		r.report.Stages = skippedStages(r.stages, "the CRD is not accepted")
		return
	}
	if !judges {
		r.report.Stages = skippedStages(r.stages, "loading the part of the engine that judges this…")
		return
	}
	if r.crd.unresolvable {
		r.refuse(playground.StageDecode, apierrors.NewInternalError(errors.New("error resolving resource")))
		r.report.Stages = skippedStages(r.stages, "the API server cannot serve the CRD")
		return
	}
	if len(r.olds.findings) > 0 {
		r.report.Findings = append(r.report.Findings, r.olds.findings...)
		r.report.Stages = skippedStages(r.stages, "the old object cannot be read")
		return
	}
	if !r.route() {
		return
	}
	if r.version.deprecated != "" {
		r.warn(r.version.deprecated)
	}
	if r.operation == playground.OperationUpdateStatus && !r.version.status {
		err := apierrors.NewNotFound(r.resource(), r.report.Name)
		r.refuse(playground.StageDecode, err)
		r.report.Stages = skippedStages(r.stages, "the version has no status subresource")
		return
	}
	if r.operation == playground.OperationScale && r.version.scale == nil {
		r.refuse(playground.StageDecode, apierrors.NewNotFound(r.resource(), r.report.Name))
		r.report.Stages = skippedStages(r.stages, "the version has no scale subresource")
		return
	}
	r.runStages()
	if r.object != nil {
		r.identify()
	}
}

// checkReadable says what nobody could read, whatever the CRD may become.
func (r *request) checkReadable() {
	if _, err := decodeStored(r.doc); err != nil {
		f := r.finding(playground.StageDecode, err.Error())
		f.Range = finding.RequestRange(r.doc, err.Error())
		r.report.Findings = append(r.report.Findings, f)
	}
	r.report.Findings = append(r.report.Findings, r.olds.findings...)
}

// route finds the endpoint that a client sends the document to. It reports
// false, with a finding, if there is none: kubectl maps apiVersion and kind to
// a resource before it sends anything.
func (r *request) route() bool {
	versions := r.crd.servedByPriority()
	for _, name := range versions {
		v := r.crd.versions[name]
		if r.report.APIVersion == v.kind.GroupVersion().String() && r.report.Kind == v.kind.Kind {
			r.version = v
			return true
		}
	}
	if len(versions) > 0 && (r.report.APIVersion == "" || r.report.Kind == "") {
		r.version = r.crd.versions[versions[0]] // the decoder says what is missing
		return true
	}
	r.refuseUnmapped()
	return false
}

func (r *request) refuseUnmapped() {
	message := fmt.Sprintf("no matches for kind %q in version %q", r.report.Kind, r.report.APIVersion)
	f := r.finding(playground.StageDecode, message)
	f.Reason = "NotFound"
	f.Field = "apiVersion"
	if r.report.Kind != r.crd.v1.Spec.Names.Kind {
		f.Field = "kind"
	}
	if location, ok := r.doc.At(f.Field); ok {
		f.Range = location.Value()
	}
	f.Hint = r.servedHint()
	r.report.Findings = append(r.report.Findings, f)
	r.report.Status = playground.Status{Code: http.StatusNotFound, Reason: "NotFound", Message: "the server could not find the requested resource"}
	r.report.Output = fmt.Sprintf("error: resource mapping not found for name: %q namespace: %q from \"object.yaml\": %s\nensure CRDs are installed first",
		r.report.Name, r.report.Namespace, message)
	r.report.Stages = skippedStages(r.stages, message)
	r.report.Stages[0].Outcome = playground.OutcomeFail
}

func (r *request) servedHint() string {
	hint := "The CRD serves no version."
	for i, name := range r.crd.servedByPriority() {
		if i == 0 {
			hint = fmt.Sprintf("The CRD serves kind: %s at apiVersion: ", r.crd.v1.Spec.Names.Kind)
		} else {
			hint += ", "
		}
		hint += r.crd.v1.Spec.Group + "/" + name
	}
	return hint
}

// runStages runs the stages until one ends the request.
func (r *request) runStages() {
	for i, stage := range r.stages {
		r.report.Stages = append(r.report.Stages, playground.Stage{Name: stage.name, Outcome: playground.OutcomePass, Changes: []playground.Change{}})
		r.stage = &r.report.Stages[i]
		err := upstream.Guard(stage.name, func() error { return stage.run(r) })
		if err != nil {
			r.refuse(stage.name, err)
			rest := skippedStages(r.stages, "the request ended in stage "+stage.name)
			r.report.Stages = append(r.report.Stages, rest[i+1:]...)
			break
		}
	}
	for i := range r.report.Stages {
		r.countFindings(&r.report.Stages[i])
	}
	r.report.Validated = jsonvalue.Encode(r.object)
	r.reportSchema()
}

func (r *request) countFindings(stage *playground.Stage) {
	for _, f := range r.report.Findings {
		if f.Stage != stage.Name {
			continue
		}
		stage.Findings++
		if f.Severity == playground.SeverityError {
			stage.Outcome = playground.OutcomeFail
		}
	}
}

// skippedStages are all stages, skipped for the same reason.
func skippedStages(of []objectStage, why string) []playground.Stage {
	stages := make([]playground.Stage, len(of))
	for i, stage := range of {
		stages[i] = playground.Stage{Name: stage.name, Outcome: playground.OutcomeSkipped, Why: why, Changes: []playground.Change{}}
	}
	return stages
}

// identify names the object by what it is in the end, generated name and
// defaulted namespace included.
func (r *request) identify() {
	r.report.APIVersion = r.object.GetAPIVersion()
	r.report.Kind = r.object.GetKind()
	r.report.Name = r.object.GetName()
	r.report.Namespace = r.object.GetNamespace()
}

func emptyObjectReport() playground.Object {
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
type warningRecorder struct{ request *request }

func (w *warningRecorder) AddWarning(_, text string) { w.request.warn(text) }

// warn adds a warning, once, as the header of a response would have it.
func (r *request) warn(text string) {
	for _, w := range r.report.Warnings {
		if w == text {
			return
		}
	}
	r.report.Warnings = append(r.report.Warnings, text)
}
