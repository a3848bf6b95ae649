package ui

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// verdictView is the verdict on a request, as shown in the panel.
type verdictView struct {
	// subject is crd or object.
	subject string
	// class is accepted, approximate, rejected or unknown.
	class  string
	word   string
	status string
	title  string
	output string
	// listed reports that the list of problems has the content of output.
	listed bool
	// reason explains the verdict on an accepted request; usually empty.
	reason string
	// brief reduces the verdict to one line, because it needs no attention.
	brief bool
}

func crdVerdict(report playground.Report) verdictView {
	crd := report.CRD
	v := newVerdict(crd.Accepted, crd.Status, crd.Output)
	v.qualify(report)
	v.subject, v.title = "crd", strings.TrimSpace("CustomResourceDefinition "+crd.Name)
	v.listed = v.output != "" && hasProblems(crd.Findings)
	v.brief = crd.Accepted && len(report.Objects) > 0
	switch {
	case v.brief && v.class == "approximate":
		v.word = "CRD probably accepted"
	case v.brief && v.class == "accepted":
		v.word = "CRD accepted"
	}
	if v.output == "" && v.class == "unknown" && len(crd.Findings) == 0 {
		v.output = "Paste a CustomResourceDefinition in the CRD tab, or open an example."
	}
	return v
}

// hasProblems reports whether findings contain an error or a warning.
func hasProblems(findings []playground.Finding) bool {
	return countSeverity(findings, playground.SeverityError)+countSeverity(findings, playground.SeverityWarning) > 0
}

// isSingle reports whether the verdict on the only object is the verdict of the report.
func isSingle(report playground.Report) bool {
	return report.CRD.Accepted && len(report.Objects) == 1
}

func objectVerdict(report playground.Report, index int) verdictView {
	object := report.Objects[index]
	v := newVerdict(object.Accepted, object.Status, object.Output)
	v.subject, v.title = "object", operationVerb(object.Operation)+" "+objectTitle(object)
	switch {
	case object.Deleted:
		v.word = "Deleted"
	case object.Accepted && object.Operation == playground.OperationDelete:
		v.word = "Marked as deleted"
	}
	v.listed = v.output != "" && hasProblems(object.Findings)
	v.qualify(report)
	v.reason = deletionReason(object)
	if isOfAnotherCRD(report.CRD, object) {
		v.class, v.word, v.status = "unknown", "No CRD for "+object.Kind, ""
	}
	if len(object.DependsOn) > 0 {
		return dependentVerdict(v, object.DependsOn)
	}
	if v.output == "" && !object.Accepted {
		v.output = firstStageReason(object.Stages)
	}
	return v
}

// qualify marks acceptance as approximate unless the release's own libraries gave
// the verdict.
func (v *verdictView) qualify(report playground.Report) {
	if v.class == "accepted" && report.Kubernetes.Approximate {
		v.class, v.word = "approximate", "Probably "+strings.ToLower(v.word)
	}
}

// dependentVerdict turns the verdict on a request into an unknown one, because it depends
// on webhooks.
func dependentVerdict(v verdictView, webhooks []string) verdictView {
	v.class, v.word, v.status = "unknown", "Depends on the webhook", ""
	v.output = "The verdict depends on " + strings.Join(webhooks, " and ") + ": the API server would call it, but the scenario has no response."
	return v
}

// deletionReason explains the effect of finalizers on a deleted object.
func deletionReason(object playground.Object) string {
	if !object.Deleted && !(object.Accepted && object.Operation == playground.OperationDelete) {
		return ""
	}
	for _, stage := range object.Stages {
		if (stage.Name == playground.StageFinalize || stage.Name == playground.StageStore) && stage.Why != "" {
			return stage.Why
		}
	}
	return ""
}

func operationVerb(operation string) string {
	switch operation {
	case playground.OperationUpdateStatus:
		return "update the status of"
	case playground.OperationApply:
		return "apply"
	case playground.OperationApplyStatus:
		return "apply the status of"
	case "":
		return playground.OperationCreate
	}
	return operation
}

// firstStageReason returns the reason of the first stage that has one.
func firstStageReason(all []playground.Stage) string {
	for _, stage := range all {
		if stage.Why != "" {
			return stage.Why
		}
	}
	return ""
}

// hasRun reports whether at least the first stage of a request ran.
func hasRun(all []playground.Stage) bool {
	return len(all) > 0 && all[0].Outcome != playground.OutcomeSkipped
}

func newVerdict(accepted bool, status playground.Status, output string) verdictView {
	v := verdictView{
		status: statusText(status),
		output: strings.TrimRight(output, "\n"),
	}
	switch {
	case accepted:
		v.class, v.word = "accepted", "Accepted"
	case status.Code == 0:
		v.class, v.word = "unknown", "Not evaluated"
	default:
		v.class, v.word = "rejected", "Rejected"
	}
	if v.output == "" {
		v.output = status.Message
	}
	return v
}

// stageView is a stage of a request with its findings.
type stageView struct {
	playground.Stage
	findings []playground.Finding
}

func stageViews(object playground.Object) []stageView {
	views := make([]stageView, len(object.Stages))
	readable := playground.Readable(object.Findings)
	for i, stage := range object.Stages {
		views[i].Stage = stage
		for _, finding := range readable {
			if finding.Stage == stage.Name {
				views[i].findings = append(views[i].findings, finding)
			}
		}
	}
	return views
}

// class returns a CSS class: the stage's outcome, changed for a stage that passed with
// findings or with changes specific to the object, or skipped if the API server only notes
// that it skipped the rules.
func (s stageView) class() string {
	switch {
	case s.Outcome == playground.OutcomePass && (hasVisibleChange(s.Stage) || s.Findings > 0):
		return "changed"
	case s.Outcome == playground.OutcomeFail && s.Findings == 1 && countSeverity(s.findings, playground.SeverityInfo) == 1:
		return string(playground.OutcomeSkipped)
	}
	return string(s.Outcome)
}

// hasEffect reports whether a stage found something, failed, or made a change that is specific to the object.
func (s stageView) hasEffect() bool {
	class := s.class()
	return len(s.findings) > 0 || class != string(playground.OutcomePass) && class != string(playground.OutcomeSkipped)
}

// place locates the first finding, or the first visible change; it may be nil.
func (s stageView) place() (playground.Document, *playground.Range) {
	if len(s.findings) > 0 {
		return s.findings[0].Document, &s.findings[0].Range
	}
	for _, change := range s.Changes {
		switch {
		case changeMark(stageChange{stage: s.Name, change: change}) == markQuiet:
		case change.Range != nil:
			return playground.DocumentObject, change.Range
		case change.SchemaRange != nil:
			return playground.DocumentCRD, change.SchemaRange
		}
	}
	return "", nil
}

// hasVisibleChange reports whether a stage made a change that is not marked as
// quiet.
func hasVisibleChange(stage playground.Stage) bool {
	return slices.ContainsFunc(stage.Changes, func(change playground.Change) bool {
		return changeMark(stageChange{stage: stage.Name, change: change}) != markQuiet
	})
}

// stageCounts summarizes the changes and findings of a stage: "+2 −1 · 1
// warning".
func (s stageView) counts() string {
	byOp := map[string]int{}
	for _, change := range s.Changes {
		byOp[change.Op]++
	}
	var parts []string
	for _, op := range []string{playground.ChangeAdd, playground.ChangeRemove, playground.ChangeReplace} {
		if byOp[op] > 0 {
			parts = append(parts, changeSign(op)+formatInt(byOp[op]))
		}
	}
	switch {
	case len(s.findings) == 0:
	case len(parts) == 0 && s.Outcome == playground.OutcomeFail && countSeverity(s.findings, playground.SeverityError) == len(s.findings):
		parts = append(parts, formatInt(s.Findings))
	default:
		parts = append(parts, "· "+problemCounts(s.findings))
	}
	return strings.Join(parts, " ")
}

func changeSign(op string) string {
	switch op {
	case playground.ChangeAdd:
		return "+"
	case playground.ChangeRemove:
		return "−"
	}
	return "±"
}

func (s stageView) title() string {
	parts := []string{string(s.Outcome)}
	if s.Why != "" {
		parts = append(parts, s.Why)
	}
	if n := len(s.Changes); n > 0 {
		parts = append(parts, count(n, "change"))
	}
	if s.Findings > 0 {
		parts = append(parts, count(s.Findings, "finding"))
	}
	return strings.Join(parts, ", ")
}

// objectView is an object as YAML. An empty title means that there is no
// object.
type objectView struct {
	title   string
	legend  string
	lines   []line
	changes []stageChange
}

// hasOwners reports whether the owners of some lines are known.
func (v objectView) hasOwners() bool {
	return slices.ContainsFunc(v.lines, func(l line) bool { return l.owners != "" })
}

func newObjectView(object playground.Object) objectView {
	view := objectView{title: "Stored object", changes: stageChanges(object.Stages, true)}
	text := object.Stored
	switch {
	case object.Deleted:
		view = objectView{title: "Deleted object", legend: "no longer stored", changes: stageChanges(object.Stages, false)}
		text = object.Validated
	case isNull(text):
		view = objectView{
			title:   "Object at the point of failure",
			legend:  "not stored",
			changes: stageChanges(object.Stages, false),
		}
		text = object.Validated
	}
	if isNull(text) {
		return objectView{}
	}
	lines, err := objectLines(text, view.changes, object.Schema)
	if err != nil {
		return objectView{}
	}
	view.lines = lines
	return view
}

// stageChanges lists the changes of the stages before read. It includes the
// stage store only if stored is true.
func stageChanges(all []playground.Stage, stored bool) []stageChange {
	var changes []stageChange
	for _, stage := range all {
		if stage.Name == playground.StageRead || stage.Name == playground.StageStore && !stored {
			continue
		}
		for _, change := range stage.Changes {
			changes = append(changes, stageChange{stage: stage.Name, change: change})
		}
	}
	return changes
}

func isNull(text json.RawMessage) bool {
	return len(text) == 0 || string(text) == "null"
}

// target is a range in a document.
type target struct {
	document playground.Document
	at       playground.Range
}

// changeTarget returns the range that explains a change: the schema node, or
// the changed value in the document.
func changeTarget(change playground.Change) (target, bool) {
	switch {
	case change.SchemaRange != nil:
		return target{playground.DocumentCRD, *change.SchemaRange}, true
	case change.Range != nil:
		return target{playground.DocumentObject, *change.Range}, true
	}
	return target{}, false
}

var keyPattern = regexp.MustCompile(`^((?:\s|- |\? )*)([^\s'"#|>:&*!%@{}\[\]-][^:'"]*|'[^']*'|"[^"]*")(:(?:\s.*)?)$`)

// splitKey splits a line of YAML into the part before its key, the key, and the
// remainder.
func splitKey(text string) (lead, key, rest string) {
	parts := keyPattern.FindStringSubmatch(text)
	if parts == nil {
		rest = strings.TrimLeft(text, " ")
		return text[:len(text)-len(rest)], "", rest
	}
	return parts[1], parts[2], parts[3]
}

// truncateJSON limits a value to 120 characters.
func truncateJSON(value json.RawMessage) string {
	text := []rune(string(value))
	if len(text) > 120 {
		return string(text[:119]) + "…"
	}
	return string(text)
}

func nonEmpty(values ...string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return value == "" })
}
