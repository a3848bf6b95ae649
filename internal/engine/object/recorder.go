package object

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/owner"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A recorder builds the report of a request. It relates changes and findings to
// the object's document and to the schema in the CRD.
type recorder struct {
	doc      *source.Document
	endpoint *endpoint
	// existing is the document of the object that the request replaces; nil on create.
	existing *source.Document
	// merge relates the object to the document after server-side apply; nil in other requests.
	merge *owner.Merge
	// merged is the object of merge as a document, once an error needs it.
	merged *source.Document
	report playground.Object
	// findings becomes the findings of the report when the request ends. reported
	// identifies the findings in the object's document, including omitted ones.
	findings *finding.Collector
	reported map[errorKey]bool
	// ignoredMessages explains the findings whose rule has a messageExpression without a
	// usable value.
	ignoredMessages []celrule.MessageError
	// faults holds the causes of the errors of rules.
	faults []celrule.Fault
	// warned holds the findings of the warnings of the report by their messages.
	warned map[string]playground.Finding
	// running is the entry of the running stage in report.Stages.
	running *playground.Stage
	// last is the last snapshot. The next one reuses its unchanged parts.
	last map[string]any
}

// An errorKey identifies an error, which several stages may find.
type errorKey struct{ field, message, reason string }

func keyOf(f playground.Finding) errorKey { return errorKey{f.Field, f.Message, f.Reason} }

func newRecorder(doc *source.Document, e *endpoint) *recorder {
	return &recorder{
		doc: doc, endpoint: e, report: emptyReport(), running: &playground.Stage{},
		findings: finding.NewCollector(finding.MaxDescribed), reported: map[errorKey]bool{}, warned: map[string]playground.Finding{},
	}
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

// describeDocument reports the identity of the object as written in the document.
func (rec *recorder) describeDocument() {
	rec.report.Range = rec.doc.Range
	rec.report.APIVersion, _ = rec.doc.Lookup("apiVersion")
	rec.report.Kind, _ = rec.doc.Lookup("kind")
	rec.report.Name, _ = rec.doc.Lookup("metadata", "name")
	rec.report.Namespace, _ = rec.doc.Lookup("metadata", "namespace")
}

// identify reports the final identity of the object, with a generated name and a
// defaulted namespace.
func (rec *recorder) identify(object *unstructured.Unstructured) {
	rec.report.APIVersion = object.GetAPIVersion()
	rec.report.Kind = object.GetKind()
	rec.report.Name = object.GetName()
	rec.report.Namespace = object.GetNamespace()
}

// start adds a stage to the report and makes it the running stage.
func (rec *recorder) start(name playground.StageName) {
	rec.report.Stages = append(rec.report.Stages, playground.Stage{Name: name, Outcome: playground.OutcomePass, Changes: []playground.Change{}})
	rec.running = &rec.report.Stages[len(rec.report.Stages)-1]
}

// skip marks the running stage as skipped.
func (rec *recorder) skip(why playground.StageSkip) {
	rec.running.Outcome = playground.OutcomeSkipped
	rec.running.Why = why
}

// explain sets the reason for the outcome of the running stage.
func (rec *recorder) explain(why string) {
	rec.running.Why = why
}

// skipAll reports that the request skipped all of its stages.
func (rec *recorder) skipAll(all []stage, why string) {
	rec.report.Stages = skippedStages(all, why)
}

// skipRest reports that the request skipped the stages after the running one.
func (rec *recorder) skipRest(rest []stage, why string) {
	rec.report.Stages = append(rec.report.Stages, skippedStages(rest, why)...)
}

func skippedStages(all []stage, why string) []playground.Stage {
	skipped := make([]playground.Stage, len(all))
	for i, stage := range all {
		skipped[i] = playground.Stage{Name: stage.name, Outcome: playground.OutcomeSkipped, Why: why, Changes: []playground.Change{}}
	}
	return skipped
}

// whySkipped returns the reason why a stage was skipped; empty if it ran, even if nothing applied.
func (rec *recorder) whySkipped(name playground.StageName) string {
	for _, s := range rec.report.Stages {
		if s.Name == name && s.Outcome == playground.OutcomeSkipped && s.Why != playground.StageSkipUnapplied {
			return s.Why
		}
	}
	return ""
}

// countFindings reports the number of findings of each stage. A stage with an error
// fails.
func (rec *recorder) countFindings() {
	rec.addWarnings()
	for i := range rec.report.Stages {
		stage := &rec.report.Stages[i]
		tally := rec.findings.Tally(stage.Name)
		stage.Findings = tally.Findings
		if tally.Errors > 0 {
			stage.Outcome = playground.OutcomeFail
		}
	}
}

// snapshot returns a copy of the object's content, to compare with a later state. The
// next call of snapshot invalidates it.
func (rec *recorder) snapshot(object *unstructured.Unstructured) map[string]any {
	rec.last = jsonvalue.UpdateCopy(rec.last, object.Object).(map[string]any)
	return rec.last
}

// record adds changes to the running stage.
func (rec *recorder) record(changes ...change) {
	rec.running.Changes = slices.Grow(rec.running.Changes, len(changes))
	for _, c := range changes {
		rec.running.Changes = append(rec.running.Changes, rec.describe(c))
	}
}

// describe returns the report of a change.
func (rec *recorder) describe(c change) playground.Change {
	out := playground.Change{Op: c.Op, Path: jsonvalue.PathString(c.Path), Steps: jsonvalue.PathSteps(c.Path), Value: jsonvalue.Encode(c.Value), Cause: c.cause, Because: c.because}
	if location, ok := rec.at(c.Path); ok {
		at := location.Key()
		out.Range = &at
	}
	_, schemaPath := crdschema.NodeAt(rec.endpoint.version.Schema, c.Path)
	if location, ok := rec.schemaLocation(schemaPath); ok && len(schemaPath) > 0 {
		out.SchemaPath = schemaPath.String()
		at := location.Key()
		out.SchemaRange = &at
	}
	return out
}

// schemaLocation locates a node of the version's schema in the CRD.
func (rec *recorder) schemaLocation(path crdschema.Path) (source.Location, bool) {
	c := rec.endpoint.CRD
	return c.Doc.At(c.SchemaPath(rec.endpoint.version.Index, path)...)
}

// add adds findings to the report.
func (rec *recorder) add(findings ...playground.Finding) {
	for _, f := range findings {
		rec.addLazily(f, func(f playground.Finding) playground.Finding { return f })
	}
}

// addLazily adds the finding that describe makes of f, unless the report omits it, see
// [finding.Collector.AddLazily].
func (rec *recorder) addLazily(f playground.Finding, describe func(playground.Finding) playground.Finding) {
	rec.reported[keyOf(f)] = true
	rec.findings.AddLazily(f, describe)
}

// finding returns an error about the document as a whole.
func (rec *recorder) finding(stage playground.StageName, message string) playground.Finding {
	return finding.Error(playground.DocumentObject, stage, rec.doc.Root().Key(), message)
}

// addErrors adds a finding for each error of validation that is not reported yet. An
// update validates the metadata more than once.
func (rec *recorder) addErrors(stage playground.StageName, errs field.ErrorList) {
	for _, err := range upstream.SortErrors(errs) {
		if f := rec.errorFinding(stage, err); !rec.reported[keyOf(f)] {
			rec.addLazily(f, rec.locate)
		}
	}
}

// errorFinding returns the finding of an error of validation, without its location.
func (rec *recorder) errorFinding(stage playground.StageName, err *field.Error) playground.Finding {
	f := rec.finding(stage, err.ErrorBody())
	f.Reason = string(metav1.CauseType(err.Type))
	f.Field = err.Field
	return f
}

// locate returns a finding with the locations of its field and of the field's schema.
func (rec *recorder) locate(f playground.Finding) playground.Finding {
	location, ok, absent := rec.field(f.Place())
	f.Hint = cmp.Or(f.Hint, absent)
	if ok {
		f.Range = finding.Mark(location)
		path := rec.doc.PathAt(location.Key().Start)
		if location.Node() == rec.doc.Root().Node() {
			path = []any{}
			f.Range = rec.placeOfRootRule(f)
		}
		f.Related = rec.related(path)
		if f.Stage == playground.StageRules && location.Node() != rec.doc.Root().Node() {
			f.Related = append(f.Related, rec.relatedExisting(path)...)
		}
	}
	for _, ignored := range rec.ignoredMessages {
		if f.Field == ignored.Violation.Field && f.Message == ignored.Violation.ErrorBody() {
			f.Related = append(f.Related, playground.Related{
				Document: playground.DocumentCRD, Range: ignored.At, Fails: ignored.Fails,
				Message: "The API server ignored messageExpression: " + ignored.Reason,
			})
		}
	}
	if fault := celrule.FaultOf(rec.faults, f); fault != nil && fault.Explanation != "" {
		f.Related = append(f.Related, playground.Related{Document: playground.DocumentCRD, Range: fault.Range, Message: fault.Explanation, Fails: true})
	}
	return f
}

// placeOfRootRule locates an error about the object as a whole: the place of the failed
// rule's result, or else the kind.
func (rec *recorder) placeOfRootRule(f playground.Finding) playground.Range {
	for _, result := range rec.report.Rules {
		if f.Stage == playground.StageRules && result.Path == "" && result.Range != nil && result.Message != "" && strings.HasSuffix(f.Message, result.Message) {
			return *result.Range
		}
	}
	return rec.doc.Root().Key()
}

// at locates the value at a path of the object. It reports false if the document lacks the value.
func (rec *recorder) at(path []any) (source.Location, bool) {
	if rec.merge != nil {
		var absent string
		if path, absent = rec.merge.Place(path); absent != "" {
			return source.Location{}, false
		}
	}
	return rec.doc.At(path...)
}

// field locates a field of the object, as [finding.Locate]. If server-side apply kept a value
// that the document lacks, the location is its nearest ancestor's, and absent explains it.
func (rec *recorder) field(field string) (l source.Location, ok bool, absent string) {
	if rec.merge != nil && rec.merged == nil {
		if file, err := source.Parse(string(jsonvalue.Encode(rec.merge.Object)), finding.ObjectText); err == nil && len(file.Documents) > 0 {
			rec.merged = file.Documents[0]
		}
	}
	if rec.merged == nil {
		l, ok = finding.Locate(rec.doc, field)
		return l, ok, ""
	}
	of, ok := finding.Locate(rec.merged, field)
	if !ok {
		return l, false, ""
	}
	path, absent := rec.merge.Place(rec.merged.PathAt(of.Key().Start))
	l, ok = rec.doc.At(path...)
	l.Missing, l.Exact = of.Missing, of.Exact && absent == ""
	return l, ok, absent
}

// own locates a field of the object as [recorder.field], unless the document lacks its value.
func (rec *recorder) own(field string) (source.Location, bool) {
	l, ok, absent := rec.field(field)
	return l, ok && absent == ""
}

// failedStage returns the first stage with an error, which a later stage may
// return. Without such a finding, it returns the stage that ended the request.
func (rec *recorder) failedStage(ended string) string {
	if f, ok := rec.findings.FirstError(); ok {
		return f.Stage
	}
	return ended
}

// related returns the location of the schema of the value at a path, as related ranges.
// It returns an empty list for the root and for an unknown schema.
func (rec *recorder) related(path []any) []playground.Related {
	node, schemaPath := crdschema.NodeAt(rec.endpoint.version.Schema, path)
	if node == nil || len(path) == 0 {
		return []playground.Related{}
	}
	location, ok := rec.schemaLocation(schemaPath)
	if !ok {
		return []playground.Related{}
	}
	return []playground.Related{{
		Document: playground.DocumentCRD,
		Range:    location.Key(),
		Message:  "Schema: " + jsonvalue.PathString(path),
	}}
}

// relatedExisting returns the location of the value that a refused update would replace, as
// related ranges. Two lists need not correspond by index, so a value in a list leads to the
// list.
func (rec *recorder) relatedExisting(path []any) []playground.Related {
	path = jsonvalue.BeforeIndex(path)
	if rec.existing == nil || len(path) == 0 {
		return nil
	}
	location, ok := rec.existing.At(path...)
	if !ok {
		return nil
	}
	message := "Existing object: " + jsonvalue.PathString(path)
	if node := location.Node(); node.Kind == yaml.ScalarNode {
		message = "Existing value: " + node.Value
		if node.ShortTag() == "!!str" {
			message = "Existing value: " + strconv.Quote(node.Value)
		}
	}
	return []playground.Related{{Document: playground.DocumentOldObject, Range: location.Key(), Message: message}}
}

// warn adds warnings of the running stage, as [recorder.warnIn].
func (rec *recorder) warn(messages ...string) {
	rec.warnIn(cmp.Or(rec.running.Name, playground.StageDecode), messages...)
}

// warnIn adds warnings of a stage, as headers of the response. It ignores duplicates, and
// messages with control characters, which a header cannot contain.
func (rec *recorder) warnIn(stage playground.StageName, messages ...string) {
	for _, message := range messages {
		_, isKnown := rec.warned[message]
		if isKnown || !upstream.IsHeader(message) {
			continue
		}
		rec.warned[message] = finding.OfWarning(playground.DocumentObject, stage, rec.doc, message)
		rec.report.Warnings = append(rec.report.Warnings, message)
	}
}

// warnAt adds a warning about a field, which its message does not name.
func (rec *recorder) warnAt(field, message string) {
	rec.warn(message)
	f, isKnown := rec.warned[message]
	if location, ok := rec.doc.At(field); ok && isKnown {
		f.Field, f.Range = field, location.Value()
		rec.warned[message] = f
	}
}

// addWarnings adds a finding for each warning that has none.
func (rec *recorder) addWarnings() {
	for _, message := range rec.report.Warnings {
		if !rec.findings.Has(message) {
			rec.add(rec.warned[message])
		}
	}
}

// AddWarning implements warning.Recorder for upstream code.
func (rec *recorder) AddWarning(_, message string) { rec.warn(message) }
