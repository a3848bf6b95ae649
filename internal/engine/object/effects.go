package object

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
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
	r.noteFutureDates()
	r.noteNamespacedOwners()
	if setsSpec(r.options.operation) {
		r.noteAbsentFields()
	}
	switch r.options.operation {
	case playground.OperationApply:
		if !r.creates() {
			r.noteRemovedFields()
			r.noteKeptFields()
			r.noteUpdatedFields()
			r.noteTakenFields()
		}
	case playground.OperationUpdate, playground.OperationScale:
		r.noteTakenFields()
	}
}

// note adds a note of crdlab about a range of the document.
func (r *Request) note(at playground.Range, message, hint string) {
	f := finding.New(playground.SeverityInfo, playground.DocumentObject, r.rec.running.Name, at, message)
	f.Reason, f.Hint = playground.ReasonNote, hint
	r.rec.add(f)
}

// nearest returns the range of the last of nested fields that the document has, or of the object.
func (r *Request) nearest(names []string) playground.Range {
	location := r.rec.doc.Root()
	for _, name := range names {
		field, ok := location.At(name)
		if !ok {
			break
		}
		location = field
	}
	return location.Key()
}

// noteIgnoredStatus notes a status that only a request to /status can write. The document of an
// object that the API server returned has a status for good reason.
func (r *Request) noteIgnoredStatus() {
	status, ok := r.rec.doc.At("status")
	if _, isReturned := r.rec.doc.Lookup("metadata", "uid"); !ok || isReturned || len(status.Node().Content) == 0 ||
		!r.endpoint.version.HasStatus || !setsSpec(r.options.operation) {
		return
	}
	r.note(status.Key(), "the API server ignores the status",
		"The CRD enables the status subresource, so only requests to /status set the status. Remove it, or write it with --subresource=status as a controller does.")
}

// setsSpec reports whether an operation writes the object without its status.
func setsSpec(operation playground.Operation) bool {
	return slices.Contains([]playground.Operation{playground.OperationCreate, playground.OperationUpdate, playground.OperationApply}, operation)
}

// noteDroppedNulls notes each field that the document sets to nothing.
func (r *Request) noteDroppedNulls() {
	for _, stage := range r.rec.report.Stages {
		if stage.Name != playground.StageNulls {
			continue
		}
		for _, c := range stage.Changes[:min(len(stage.Changes), maxEffects)] {
			if c.Range == nil {
				continue
			}
			r.note(*c.Range, "the API server drops "+c.Path+", because its value is null",
				"A key without a value is null in YAML. Remove it, or write the value, such as {} or [].")
		}
	}
}

// noteAbsentFields notes optional objects at the root that the object lacks, although their schemas
// have defaults or required fields, which then have no effect.
func (r *Request) noteAbsentFields() {
	schema := r.endpoint.version.Schema
	if schema == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		_, has := r.object.Object[name]
		if has || name == "status" || name == "metadata" {
			continue
		}
		var lost []string
		if hasDefaults(&property) {
			lost = append(lost, "defaults")
		}
		if property.ValueValidation != nil && len(property.ValueValidation.Required) > 0 {
			lost = append(lost, "required fields")
		}
		if len(lost) > 0 {
			r.note(r.nearest(nil), fmt.Sprintf("the object has no %s, so the %s below it have no effect", name, strings.Join(lost, " and ")),
				fmt.Sprintf("The API server applies them only if %s is present. In the schema, require it at the root, or give it default: {}.", name))
		}
	}
}

// hasDefaults reports whether a schema or one of its properties has a default.
func hasDefaults(schema *structuralschema.Structural) bool {
	for _, property := range schema.Properties {
		if property.Default.Object != nil || hasDefaults(&property) {
			return true
		}
	}
	return false
}

// noteFutureDates notes each time that kubectl get cannot show.
func (r *Request) noteFutureDates() {
	for _, column := range r.endpoint.CRD.V1.Spec.Versions[r.endpoint.version.Index].AdditionalPrinterColumns {
		if column.Type != "date" {
			continue
		}
		names := jsonvalue.SplitJSONPath(column.JSONPath)
		text, _, _ := unstructured.NestedString(r.object.Object, names...)
		if value, err := time.Parse(time.RFC3339, text); err == nil && value.After(r.options.now) {
			r.note(r.nearest(names), "kubectl get shows <invalid> in the column "+column.Name,
				"A column of type date shows the time that has passed, and this time is in the future. A column of type string shows the value as written.")
		}
	}
}

// namespacedKinds lists built-in kinds that often own custom resources, and have a namespace.
var namespacedKinds = []string{
	"ConfigMap", "CronJob", "DaemonSet", "Deployment", "Ingress", "Job", "PersistentVolumeClaim", "Pod", "ReplicaSet", "Secret", "Service", "ServiceAccount", "StatefulSet",
}

// noteNamespacedOwners notes owners that the garbage collector does not find, because the object has
// no namespace in which to look for them.
func (r *Request) noteNamespacedOwners() {
	if r.endpoint.version.Namespaced {
		return
	}
	for i, ref := range r.object.GetOwnerReferences() {
		if at, ok := r.rec.doc.At("metadata", "ownerReferences", i); ok && slices.Contains(namespacedKinds, ref.Kind) {
			r.note(at.Key(), fmt.Sprintf("the object outlives its owner: a cluster-scoped object cannot belong to a %s, which has a namespace", ref.Kind),
				"The garbage collector ignores this reference. Choose a cluster-scoped owner, or let a finalizer of the owner delete this object.")
		}
	}
}

// noteRemovedFields notes the fields that the manager applied before and no longer applies.
func (r *Request) noteRemovedFields() {
	var names, first []string
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
	r.note(r.nearest(first), fmt.Sprintf("apply removes %s, which %s applied before", listed(names), r.options.fieldManager),
		"An apply request must contain all fields that its manager wants to keep. For a partial document, use another field manager.")
}

// noteKeptFields notes the fields that the manager no longer applies, but others own.
func (r *Request) noteKeptFields() {
	kept := owner.Kept(r.old.object.GetManagedFields(), r.object.GetManagedFields(), r.options.fieldManager)
	if len(kept) == 0 {
		return
	}
	hint := "Server-side apply removes a field only if no other manager owns it. Remove it with an update, such as kubectl edit."
	if clientSide := kubectl.ClientSideManagers(r.object.GetManagedFields()); clientSide.HasAny(kept[0].Managers...) {
		hint = "kubectl apply --server-side then migrates the fields of earlier client-side applies, and removes what this document lacks. Other clients do not."
	}
	r.note(r.nearest(kept[0].Names()), "apply keeps "+shared(kept, "owned by"), hint)
}

// noteUpdatedFields notes the fields that the manager set before with another operation than apply.
func (r *Request) noteUpdatedFields() {
	kept := owner.Updated(r.object.GetManagedFields(), r.options.fieldManager)
	if len(kept) == 0 {
		return
	}
	r.note(r.nearest(kept[0].Names()), "apply keeps "+shared(kept, "set by an update of"),
		"Ownership is per manager and operation: apply removes only what an earlier apply request of the manager had. Remove it once with an update.")
}

// noteTakenFields notes the fields of other managers that the manager changes.
func (r *Request) noteTakenFields() {
	taken := owner.Taken(r.old.object.GetManagedFields(), r.object.GetManagedFields(), r.options.fieldManager, r.options.operation != playground.OperationApply)
	if len(taken) == 0 {
		return
	}
	r.note(r.nearest(taken[0].Names()), "the request takes over "+shared(taken, "owned by"),
		"The former manager no longer owns the field. Its next apply request conflicts if it contains the field, and leaves this value if it does not. Let only one manager set the field.")
}

// shared lists fields with their managers.
func shared(fields []owner.Shared, relation string) string {
	var names []string
	for _, field := range fields {
		names = append(names, fmt.Sprintf("%s (%s %s)", strings.TrimPrefix(field.Path.String(), "."), relation, strings.Join(field.Managers, " and ")))
	}
	return listed(names)
}

// listed joins names, of which it omits those above a limit.
func listed(names []string) string {
	if len(names) > maxEffects {
		names = append(names[:maxEffects:maxEffects], "…")
	}
	return strings.Join(names, ", ")
}
