package object

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/owner"
	"github.com/crdlab/crdlab/internal/playground"
)

// maxEffects limits the fields that a note names.
const maxEffects = 8

// noteEffects adds notes about what an accepted request does although its document does not
// say so.
func (r *Request) noteEffects() {
	r.noteIgnoredStatus()
	r.noteDroppedNulls()
	if r.options.operation == playground.OperationApply && !r.creates() {
		r.noteRemovedFields()
		r.noteKeptFields()
	}
}

// note adds a note of crdlab about the value at a path, or about the nearest ancestor in the document.
func (r *Request) note(path []any, message, hint string) {
	f := finding.New(playground.SeverityInfo, playground.DocumentObject, r.rec.running.Name, r.rec.doc.Root().Key(), message)
	f.Reason, f.Hint = playground.ReasonNote, hint
	for ; len(path) > 0; path = path[:len(path)-1] {
		if location, ok := r.rec.at(path); ok {
			f.Range = location.Key()
			break
		}
	}
	r.rec.add(f)
}

// noteIgnoredStatus notes a status that only a request to /status can write. The document of an
// object that the API server returned has a status for good reason.
func (r *Request) noteIgnoredStatus() {
	status, ok := r.rec.doc.At("status")
	if _, isReturned := r.rec.doc.Lookup("metadata", "uid"); !ok || isReturned || len(status.Node().Content) == 0 ||
		!r.endpoint.version.HasStatus || !setsSpec(r.options.operation) {
		return
	}
	r.note([]any{"status"}, "the API server ignores the status",
		"The CRD enables the status subresource, so only requests to /status set the status. Remove it, or write it with --subresource=status as a controller does.")
}

// setsSpec reports whether an operation writes the object without its status.
func setsSpec(operation playground.Operation) bool {
	return slices.Contains([]playground.Operation{playground.OperationCreate, playground.OperationUpdate, playground.OperationApply}, operation)
}

// noteDroppedNulls notes each field that the document sets to nothing.
func (r *Request) noteDroppedNulls() {
	for _, stage := range r.rec.report.Stages {
		for i, c := range stage.Changes {
			if c.Cause != playground.CauseNullDropped || c.Range == nil || i == maxEffects {
				break
			}
			r.note(r.rec.doc.PathAt(c.Range.Start), "the API server drops "+c.Path+", because its value is null",
				"A key without a value is null in YAML. Remove it, or write the value, such as {} or [].")
		}
	}
}

// noteRemovedFields notes the fields that the manager applied before and no longer applies.
func (r *Request) noteRemovedFields() {
	var names []string
	var first []string
	for _, stage := range r.rec.report.Stages {
		for _, c := range stage.Changes {
			if stage.Name == playground.StageApply && c.Op == playground.ChangeRemove {
				names = append(names, c.Path)
				if first == nil {
					first = c.Steps
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	r.note(stepsOf(first), fmt.Sprintf("apply removes %s, which %s applied before", listed(names), r.options.fieldManager),
		"An apply request must contain all fields that its manager wants to keep. For a partial document, use another field manager.")
}

// noteKeptFields notes the fields that the manager no longer applies, but others own.
func (r *Request) noteKeptFields() {
	kept := owner.Kept(r.old.object.GetManagedFields(), r.object.GetManagedFields(), r.options.fieldManager)
	if len(kept) == 0 {
		return
	}
	var names []string
	for _, field := range kept {
		names = append(names, fmt.Sprintf("%s (owned by %s)", strings.TrimPrefix(field.Path.String(), "."), strings.Join(field.Managers, " and ")))
	}
	hint := "Server-side apply removes a field only if no other manager owns it. Remove it with an update, such as kubectl edit."
	if clientSide := kubectl.ClientSideManagers(r.object.GetManagedFields()); clientSide.HasAny(kept[0].Managers...) {
		hint = "kubectl apply --server-side then takes over the fields of its former client-side applies, and removes what this document lacks. Other clients do not."
	}
	r.note(stepsOf(kept[0].Names()), "apply keeps "+listed(names), hint)
}

// stepsOf returns names as the steps of a path.
func stepsOf(names []string) []any {
	var steps []any
	for _, name := range names {
		steps = append(steps, name)
	}
	return steps
}

// listed joins names, of which it omits those above a limit.
func listed(names []string) string {
	if len(names) > maxEffects {
		names = append(names[:maxEffects:maxEffects], "…")
	}
	return strings.Join(names, ", ")
}
