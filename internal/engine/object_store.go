package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/storage"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// store converts the object to the storage version, as the registry does
// before it writes to etcd.
func store(r *request) error {
	if err := r.checkStorage(); err != nil {
		return err
	}
	if r.emptiesFinalizers() {
		r.stage.Why = "the last finalizer is gone, and with it the object: it was being deleted"
		r.deleted, r.report.Deleted = true, true
		r.accept()
		return nil
	}
	stored := withOwnMetadata(r.object)
	if r.version != r.crd.storage {
		converted, err := r.convert(playground.StageStore, r.object, r.crd.storage)
		if errors.Is(err, ErrNoWebhook) {
			r.accept()
			r.skip(fmt.Sprintf("the conversion webhook would be asked to convert the object to the storage version %s", r.crd.storage.kind.Version))
			return nil
		}
		if err != nil {
			return err
		}
		stored = converted
	}
	stored.SetSelfLink("") // etcd has none (PrepareObjectForStorage)
	r.setResourceVersion(stored)
	for _, c := range diff(r.object.Object, stored.Object, nil) {
		r.record(c, r.storeReason(c))
	}
	r.stored = stored
	r.report.Stored = jsonvalue.Encode(stored)
	if err := r.checkAnswer(); err != nil {
		return err
	}
	r.accept()
	return nil
}

// withOwnMetadata is a copy of an object whose metadata can be set; it shares
// all else with the object.
func withOwnMetadata(object *unstructured.Unstructured) *unstructured.Unstructured {
	content := maps.Clone(object.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		content["metadata"] = maps.Clone(metadata)
	}
	return &unstructured.Unstructured{Object: content}
}

// checkAnswer fails where the API server cannot tell what it has stored: it
// reads its answer back, at the version of the request (Create and
// GuaranteedUpdate of k8s.io/apiserver/pkg/storage/etcd3).
func (r *request) checkAnswer() error {
	_, err := r.get(r.version)
	if err == nil || errors.Is(err, ErrNoWebhook) {
		return nil
	}
	r.stage.Why = "the object is stored all the same: it is the answer that cannot be converted back"
	return undecodable(r.stored, err)
}

// undecodable words an error about an object in etcd as the API server does
// (corruptObjectError in k8s.io/apiserver/pkg/storage/etcd3).
func undecodable(stored *unstructured.Unstructured, err error) error {
	if errors.Is(err, ErrNoWebhook) {
		return err
	}
	return fmt.Errorf("object not decodable revision=%s: %v", cmp.Or(stored.GetResourceVersion(), firstResourceVersion), err)
}

// unreadable words it as the answer to a GET request.
func (r *request) unreadable(err error) error {
	if errors.Is(err, ErrNoWebhook) {
		return err
	}
	key := strings.TrimPrefix(r.key(), etcdPrefix)
	return apierrors.NewInternalError(storage.NewCorruptObjError(key, undecodable(r.stored, err)))
}

func (r *request) accept() {
	r.report.Accepted = true
	r.report.Status = playground.Status{Code: r.successCode()}
	if r.operation == playground.OperationDelete {
		r.report.Output = deletedOutput(r.object, r.report.Warnings)
		return
	}
	r.report.Output = doneOutput(r.version.kind.Kind, r.version.kind.Group, r.object.GetName(), r.operation, r.report.Warnings)
}

// checkStorage refuses what etcd's store refuses.
func (r *request) checkStorage() error {
	if !r.creates() {
		return nil
	}
	if err := r.checkNoRevision(); err != nil {
		return err
	}
	if existing := r.olds.find(r.namespace(), r.object.GetName()); existing != nil {
		err := apierrors.NewAlreadyExists(r.resource(), r.object.GetName())
		if existing.GetDeletionTimestamp() != nil {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return err
	}
	return nil
}

// checkNoRevision follows Create and, for apply, GuaranteedUpdate of
// k8s.io/apiserver/pkg/storage/etcd3, which the generic registry calls.
func (r *request) checkNoRevision() error {
	revision, err := storage.APIObjectVersioner{}.ObjectResourceVersion(r.object)
	switch {
	case r.operation == playground.OperationApply:
		return err
	case err == nil && revision != 0:
		return storage.ErrResourceVersionSetOnCreate
	}
	return nil
}

func (r *request) successCode() int {
	if r.creates() {
		return http.StatusCreated
	}
	return http.StatusOK
}

// setResourceVersion counts the writes: an update that changes nothing is
// not written, unless it brings the object to the storage version.
func (r *request) setResourceVersion(stored *unstructured.Unstructured) {
	if r.old == nil {
		stored.SetResourceVersion(firstResourceVersion)
		return
	}
	rewritten := r.oldStored.GroupVersionKind() != r.crd.storage.kind
	if !rewritten && apiequality.Semantic.DeepEqual(r.object.Object, r.old.Object) {
		r.stage.Why = "nothing changed, so nothing is written"
		return
	}
	revision, err := strconv.Atoi(r.old.GetResourceVersion())
	if err == nil {
		stored.SetResourceVersion(strconv.Itoa(revision + 1))
	}
}

// storeReason says why what is stored differs from what was validated.
func (r *request) storeReason(c change) string {
	storage := r.crd.storage.kind.Version
	switch path := valuePath(c.path); {
	case path == "metadata.resourceVersion":
		return "the revision of etcd at which the object is written"
	case path == "metadata.selfLink":
		return "not persisted"
	case c.op == playground.ChangeRemove:
		return "the storage version " + storage + " does not have it"
	}
	return "converted to the storage version " + storage
}

// convert converts an object in a stage of the request, and notes the calls of
// the conversion webhook.
func (r *request) convert(stage string, object *unstructured.Unstructured, to *version) (*unstructured.Unstructured, error) {
	if w := r.conversion.webhook; w != nil {
		before := len(w.Reviews())
		defer func() { r.report.Conversions = append(r.report.Conversions, w.Reviews()[before:]...) }()
	}
	return r.conversion.convert(stage, object, to)
}
