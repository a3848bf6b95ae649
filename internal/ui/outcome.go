package ui

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// verdictView is what the panel says of one request.
type verdictView struct {
	// subject is crd or object.
	subject string
	// class is accepted, rejected or unknown.
	class  string
	word   string
	status string
	title  string
	output string
	// reason is what there is to say of an accepted request; mostly empty.
	reason   string
	warnings []string
	// brief: in one line, because there is nothing to do about it.
	brief bool
}

func crdVerdict(report playground.Report) verdictView {
	crd := report.CRD
	v := newVerdict(crd.Accepted, crd.Status, crd.Output, crd.Warnings)
	v.subject, v.title = "crd", strings.TrimSpace("CustomResourceDefinition "+crd.Name)
	v.brief = crd.Accepted && len(v.warnings) == 0 && len(report.Objects) > 0
	if v.brief {
		v.word = "CRD accepted"
	}
	if v.output == "" && v.class == "unknown" && len(crd.Findings) == 0 {
		v.output = "Paste a CustomResourceDefinition into the tab CRD, or choose an example."
	}
	return v
}

func objectVerdict(object playground.Object) verdictView {
	v := newVerdict(object.Accepted, object.Status, object.Output, object.Warnings)
	v.subject, v.title = "object", operationVerb(object.Operation)+" "+objectTitle(object)
	switch {
	case object.Deleted:
		v.word = "Deleted"
	case object.Accepted && object.Operation == playground.OperationDelete:
		v.word = "Marked as deleted"
	}
	v.reason = deletionReason(object)
	if v.output == "" && !object.Accepted {
		v.output = firstWhy(object.Stages)
	}
	return v
}

// deletionReason is why an object is gone, or is not although it was deleted.
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
	case "":
		return playground.OperationCreate
	}
	return operation
}

// firstWhy is why the first stage that has a reason failed or was skipped.
func firstWhy(all []playground.Stage) string {
	for _, stage := range all {
		if stage.Why != "" {
			return stage.Why
		}
	}
	return ""
}

// ran says that a request came at least as far as its first stage.
func ran(all []playground.Stage) bool {
	return len(all) > 0 && all[0].Outcome != playground.OutcomeSkipped
}

func newVerdict(accepted bool, status playground.Status, output string, warnings []string) verdictView {
	v := verdictView{
		status:   statusText(status),
		output:   strings.TrimRight(output, "\n"),
		warnings: unseenWarnings(output, warnings),
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

// stageClass is pass, fail, error, skipped, or changed for a stage that passed
// and did more than it does to every object.
func stageClass(stage playground.Stage) string {
	if stage.Outcome == playground.OutcomePass && (hasNews(stage) || stage.Findings > 0) {
		return "changed"
	}
	return string(stage.Outcome)
}

// hasNews says that a stage made a change that is not marked as quiet.
func hasNews(stage playground.Stage) bool {
	return slices.ContainsFunc(stage.Changes, func(change playground.Change) bool {
		return markOf(stageChange{stage: stage.Name, change: change}) != markQuiet
	})
}

// stageCounts is what a stage did: "+2 −1" values added and removed, and the
// number of its findings.
func stageCounts(stage playground.Stage) string {
	byOp := map[string]int{}
	for _, change := range stage.Changes {
		byOp[change.Op]++
	}
	var parts []string
	for _, op := range []string{playground.ChangeAdd, playground.ChangeRemove, playground.ChangeReplace} {
		if byOp[op] > 0 {
			parts = append(parts, signOf(op)+bareCount(byOp[op]))
		}
	}
	switch {
	case stage.Findings > 0 && stage.Outcome == playground.OutcomePass:
		parts = append(parts, "· "+count(stage.Findings, "warning"))
	case stage.Findings > 0 && len(parts) > 0:
		parts = append(parts, "· "+count(stage.Findings, "error"))
	case stage.Findings > 0:
		parts = append(parts, bareCount(stage.Findings))
	}
	return strings.Join(parts, " ")
}

func signOf(op string) string {
	switch op {
	case playground.ChangeAdd:
		return "+"
	case playground.ChangeRemove:
		return "−"
	}
	return "±"
}

func stageTitle(stage playground.Stage) string {
	parts := []string{string(stage.Outcome)}
	if stage.Why != "" {
		parts = append(parts, stage.Why)
	}
	if n := len(stage.Changes); n > 0 {
		parts = append(parts, count(n, "change"))
	}
	if stage.Findings > 0 {
		parts = append(parts, count(stage.Findings, "finding"))
	}
	return strings.Join(parts, ", ")
}

// objectView is the object as YAML; without a title there is nothing to show.
type objectView struct {
	title   string
	legend  string
	lines   []line
	changes []stageChange
}

func newObjectView(object playground.Object) objectView {
	view := objectView{title: "As stored", changes: changesOf(object.Stages, true)}
	text := object.Stored
	switch {
	case object.Deleted:
		view = objectView{title: "As deleted", legend: "no longer stored", changes: changesOf(object.Stages, false)}
		text = object.Validated
	case isNull(text):
		view = objectView{
			title:   "Up to the failure",
			legend:  "as the last stage left it; not stored",
			changes: changesOf(object.Stages, false),
		}
		text = object.Validated
	}
	if isNull(text) {
		return objectView{}
	}
	lines, err := objectLines(text, view.changes)
	if err != nil {
		return objectView{}
	}
	if value, err := decodeJSON(text); err == nil {
		governLines(lines, value, object.Schema)
	}
	view.lines = lines
	return view
}

// changesOf lists what the stages up to the validation, or up to the storage,
// changed.
func changesOf(all []playground.Stage, stored bool) []stageChange {
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

type target struct {
	document playground.Document
	at       playground.Range
}

// targetOf is the place that explains a change: the schema's, or else what was
// typed.
func targetOf(change playground.Change) (target, bool) {
	switch {
	case change.SchemaRange != nil:
		return target{playground.DocumentCRD, *change.SchemaRange}, true
	case change.Range != nil:
		return target{playground.DocumentObject, *change.Range}, true
	}
	return target{}, false
}

var keyPattern = regexp.MustCompile(`^((?:\s|- |\? )*)([^\s'"#|>:&*!%@{}\[\]-][^:'"]*|'[^']*'|"[^"]*")(:(?:\s.*)?)$`)

// splitKey splits a line of YAML into what comes before its key, the key, and
// the rest.
func splitKey(text string) (lead, key, rest string) {
	parts := keyPattern.FindStringSubmatch(text)
	if parts == nil {
		rest = strings.TrimLeft(text, " ")
		return text[:len(text)-len(rest)], "", rest
	}
	return parts[1], parts[2], parts[3]
}

// shortJSON is a value in one line of at most 120 characters.
func shortJSON(value json.RawMessage) string {
	text := []rune(string(value))
	if len(text) > 120 {
		return string(text[:119]) + "…"
	}
	return string(text)
}

func nonEmpty(values ...string) []string {
	var kept []string
	for _, value := range values {
		if value != "" {
			kept = append(kept, value)
		}
	}
	return kept
}
