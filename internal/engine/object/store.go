package object

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/storage"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// runStore accepts the request. It writes the object, unless the request deletes it.
func runStore(r *Request) error {
	if r.rec.report.Deleted {
		r.accept()
		return nil
	}
	if r.creates() {
		if err := checkCreate(&r.endpoint, r.object, r.existingObject(), r.options.operation); err != nil {
			return err
		}
	}
	if customresource.RemovesLastFinalizer(r.object, r.old.object) {
		r.rec.explain("the update removes the last finalizer of an object that is being deleted, so the API server removes the object")
		r.rec.report.Deleted = true
		r.accept()
		return nil
	}
	storage := r.endpoint.CRD.Storage
	stored, err := r.convertToStorage(storage)
	if errors.Is(err, conversion.ErrNoWebhook) {
		r.accept()
		r.rec.skip(playground.StageSkipUnconverted + " " + storage.Kind.Version)
		return nil
	}
	if err != nil {
		return err
	}
	return r.write(stored, storage)
}

// convertToStorage converts the object to the storage version.
func (r *Request) convertToStorage(storage *crd.Version) (*unstructured.Unstructured, error) {
	if r.endpoint.version == storage {
		return withOwnMetadata(r.object), nil
	}
	return r.convert(playground.StageStore, r.object, storage)
}

// withOwnMetadata copies an object so that its metadata can be set. The copy shares
// all other values with the object.
func withOwnMetadata(object *unstructured.Unstructured) *unstructured.Unstructured {
	content := maps.Clone(object.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		content["metadata"] = maps.Clone(metadata)
	}
	return &unstructured.Unstructured{Object: content}
}

// write persists an object at the storage version.
func (r *Request) write(object *unstructured.Unstructured, storage *crd.Version) error {
	object.SetSelfLink("") // etcd has no selfLink (PrepareObjectForStorage)
	if isUnchanged(r.object, r.old, storage) {
		r.rec.explain("the object is unchanged, so the API server does not write it")
	} else {
		setResourceVersion(object, r.old.object)
	}
	r.rec.record(explainStorage(r.object, object, storage.Kind.Version)...)
	r.stored = newStoredObject(object, storage, r.convert)
	r.rec.report.Stored = jsonvalue.Encode(object)
	// The API server reads its response back at the version of the request (Create
	// and GuaranteedUpdate of k8s.io/apiserver/pkg/storage/etcd3).
	if _, err := r.stored.at(r.endpoint.version); err != nil && !errors.Is(err, conversion.ErrNoWebhook) {
		r.rec.explain("the object is stored, but the API server cannot convert it back to the version of the request")
		return corruptError(object, err)
	}
	if r.object.IsList() {
		r.rec.explain("the object is stored, but the API server cannot encode the response")
		return errNotList
	}
	r.accept()
	r.reportConverted()
	r.noteEffects()
	return nil
}

// errNotList is the response to requests for an object with a list named items. The API
// server takes the object for a list (meta.EachListItem in
// k8s.io/apimachinery/pkg/api/meta).
var errNotList = errors.New("*unstructured.Unstructured is not a list: no Items field in this object")

// corruptError formats an error about an object in etcd as the API server does
// (corruptObjectError in k8s.io/apiserver/pkg/storage/etcd3).
func corruptError(stored *unstructured.Unstructured, err error) error {
	if errors.Is(err, conversion.ErrNoWebhook) {
		return err
	}
	return fmt.Errorf("object not decodable revision=%s: %v", cmp.Or(stored.GetResourceVersion(), upstream.FirstResourceVersion), err)
}

// accept reports that the request succeeded.
func (r *Request) accept() {
	report := &r.rec.report
	report.Accepted = true
	report.Status = playground.Status{Code: http.StatusOK}
	if r.creates() {
		report.Status.Code = http.StatusCreated
	}
	if r.options.operation == playground.OperationDelete {
		report.Output = deletedOutput(r.object, report.Warnings)
		return
	}
	kind := r.endpoint.version.Kind
	report.Output = kubectl.FormatSuccess(kind.Kind, kind.Group, r.object.GetName(), r.options.operation, report.Warnings)
}

// deletedOutput returns kubectl's output for a deleted object. kubectl prints it and
// then waits until the object is gone.
func deletedOutput(object *unstructured.Unstructured, warnings []string) string {
	from := ""
	if namespace := object.GetNamespace(); namespace != "" {
		from = fmt.Sprintf(" from %s namespace", namespace)
	}
	return kubectl.FormatWarnings(warnings) + fmt.Sprintf("%s %q deleted%s", kubectl.ResourceName(object.GetKind(), object.GroupVersionKind().Group), object.GetName(), from)
}

// checkCreate returns the storage layer's error for creating an object. existing is the
// stored object of the same identity, or nil.
func checkCreate(e *endpoint, object, existing *unstructured.Unstructured, operation playground.Operation) error {
	if err := checkNoRevision(object, operation); err != nil {
		return err
	}
	if existing == nil {
		return nil
	}
	err := apierrors.NewAlreadyExists(e.resource(), object.GetName())
	if existing.GetDeletionTimestamp() != nil {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return err
}

// checkNoRevision rejects a resourceVersion of a new object, which apply ignores. It
// follows Create of k8s.io/apiserver/pkg/storage/etcd3.
func checkNoRevision(object *unstructured.Unstructured, operation playground.Operation) error {
	revision, err := storage.APIObjectVersioner{}.ObjectResourceVersion(object)
	if !playground.IsApply(operation) && err == nil && revision != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	return nil
}

// isUnchanged reports whether the API server omits the write: an update changes
// nothing, and the object is already stored at the storage version.
func isUnchanged(object *unstructured.Unstructured, old oldObject, storage *crd.Version) bool {
	return old.object != nil && old.stored.GroupVersionKind() == storage.Kind && apiequality.Semantic.DeepEqual(object.Object, old.object.Object)
}

// setResourceVersion sets a resourceVersion that counts the writes of the object. On
// create, old is nil.
func setResourceVersion(object, old *unstructured.Unstructured) {
	if old == nil {
		object.SetResourceVersion(upstream.FirstResourceVersion)
		return
	}
	revision, err := strconv.Atoi(old.GetResourceVersion())
	if err == nil {
		object.SetResourceVersion(strconv.Itoa(revision + 1))
	}
}

// explainStorage returns the differences between the validated and the stored
// object.
func explainStorage(object, stored *unstructured.Unstructured, version string) []change {
	var changes []change
	for _, c := range jsonvalue.Diff(object.Object, stored.Object, nil) {
		cause, because := storeReason(c, stored, version)
		changes = append(changes, change{c, cause, because})
	}
	return changes
}

func storeReason(c jsonvalue.Change, stored *unstructured.Unstructured, version string) (cause playground.ChangeCause, because string) {
	switch path := jsonvalue.PathString(c.Path); {
	case c.Op == playground.ChangeAdd && conversion.IsOfRules(c.Path, c.Value):
		return playground.CauseConverted, "the conversion rules keep fields that the storage version " + version + " lacks"
	case path == "metadata.resourceVersion":
		return playground.CauseServer, "the revision of etcd at which the object is written"
	case path == "metadata.selfLink":
		return playground.CauseServer, "not persisted"
	case c.Op == playground.ChangeRemove:
		if annotation, ok := conversion.KeptIn(stored, c.Path, c.Value); ok {
			return playground.CausePreserved, "kept by the conversion rules in the annotation " + annotation
		}
		return playground.CauseConverted, "not a field of the storage version " + version
	}
	return playground.CauseConverted, "converted to the storage version " + version
}
