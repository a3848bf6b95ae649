package object

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"

	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// runPrepare sets the fields that the API server owns. With admission, stage complete
// sets the fields that depend on mutated values. Values that are random in a cluster
// derive from the object, so that reports are reproducible.
func runPrepare(r *Request) error {
	switch {
	case r.options.operation == playground.OperationScale:
		return r.recordPreparation(r.complete)
	case r.review != nil:
		return r.recordPreparation(r.receive)
	}
	return r.recordPreparation(func() error {
		if err := r.receive(); err != nil {
			return err
		}
		return r.complete()
	})
}

// runComplete sets the fields that admission plugins must not influence.
func runComplete(r *Request) error { return r.recordPreparation(r.complete) }

func (r *Request) recordPreparation(step func() error) error {
	before := r.rec.snapshot(r.object)
	err := step()
	reason := createReason
	if !r.creates() && r.old.object != nil {
		reason = updateReason(r.object, r.old.object, r.options.operation)
	}
	changes := explainChanges(before, r.object.Object, playground.CauseServer, reason)
	r.rec.record(slices.DeleteFunc(changes, func(c change) bool { return isManagedFields(c.Path) })...)
	return err
}

// receive prepares the object before mutating admission. It follows the handlers of
// create and update.
func (r *Request) receive() error {
	if r.creates() {
		rest.WipeObjectMetaSystemFields(r.object)
	}
	r.endpoint.address(r.object)
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(r.endpoint.namespace, r.object); err != nil {
		return err
	}
	r.rec.warn(removeDuplicateOwners(r.object)...)
	if playground.IsApply(r.options.operation) {
		if r.creates() {
			return nil
		}
		return r.findOld()
	}
	if r.creates() {
		return r.recordOwner(r.endpoint.newObject())
	}
	if err := r.findOld(); err != nil {
		return err
	}
	r.describeMissingStatus()
	if err := matchOld(&r.endpoint, r.object, r.old.object); err != nil {
		return err
	}
	return r.recordOwner(r.old.object)
}

// describeMissingStatus reports a request to /status without a status. The API server
// accepts it, but the user probably forgot the status.
func (r *Request) describeMissingStatus() {
	if _, ok := r.object.Object["status"]; ok || !playground.IsOfStatus(r.options.operation) {
		return
	}
	effect := "changes nothing"
	if _, ok := r.old.object.Object["status"]; ok {
		effect = "removes the status"
	}
	f := r.rec.finding(playground.StagePrepare, "the object has no status, so the request "+effect)
	f.Severity = playground.SeverityInfo
	r.rec.add(f)
}

// complete prepares the object after mutating admission. It follows the generic
// registry and the strategy of custom resources.
func (r *Request) complete() error {
	if playground.IsApply(r.options.operation) {
		// Store.Update of the registry, which also creates, reads the revision first.
		if _, err := (storage.APIObjectVersioner{}).ObjectResourceVersion(r.object); err != nil {
			return err
		}
	}
	if r.creates() {
		prepareCreate(&r.endpoint, r.object, r.options.now)
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(r.endpoint.namespace, r.object); err != nil {
		return err
	}
	if r.creates() {
		return nil
	}
	if err := r.checkResourceVersion(); err != nil {
		return err
	}
	customresource.PrepareUpdate(r.object, r.old.object, r.endpoint.version.HasStatus, r.options.operation)
	return nil
}

func prepareCreate(e *endpoint, object *unstructured.Unstructured, now time.Time) {
	object.SetCreationTimestamp(metav1.NewTime(now))
	if object.GetName() == "" && object.GetGenerateName() != "" {
		object.SetName(upstream.GenerateName(object.GetGenerateName()))
	}
	object.SetUID(e.uidOf(object))
	if e.version.HasStatus {
		delete(object.Object, "status")
	}
	object.SetGeneration(1)
}

// createReason returns the reason for a change to a new object.
func createReason(c jsonvalue.Change) string {
	switch path := jsonvalue.PathString(c.Path); {
	case path == "status":
		return "the status subresource is enabled, so only requests to /status set the status"
	case path == "metadata.namespace" && c.Op == playground.ChangeRemove:
		return "the resource is cluster-scoped"
	case path == "metadata.namespace":
		return "the namespace of the request"
	case path == "metadata.name":
		return "generated from metadata.generateName"
	case path == "metadata.ownerReferences":
		return "duplicate owner references removed"
	}
	return "set by the API server, not by users"
}

// removeDuplicateOwners removes duplicate owner references and returns warnings
// about them (k8s.io/apiserver/pkg/endpoints/handlers).
func removeDuplicateOwners(object *unstructured.Unstructured) (warnings []string) {
	unique, duplicates := uniqueOwners(object.GetOwnerReferences())
	if len(duplicates) == 0 {
		return nil
	}
	object.SetOwnerReferences(unique)
	return []string{fmt.Sprintf(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v",
		strings.Join(duplicates, ", "))}
}

// uniqueOwners returns the owner references without duplicates, and the UIDs of
// the duplicates.
func uniqueOwners(owners []metav1.OwnerReference) (unique []metav1.OwnerReference, duplicates []string) {
	seen := make(map[string]bool, len(owners))
	for _, ref := range owners {
		key := jsonvalue.String(ref)
		if seen[key] {
			duplicates = append(duplicates, string(ref.UID))
			continue
		}
		seen[key] = true
		unique = append(unique, ref)
	}
	return unique, duplicates
}
