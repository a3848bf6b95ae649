package object

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

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// store converts the object to the storage version, as the registry does
// before it writes to etcd.
func store(r *Request) error {
	if err := r.checkStorage(); err != nil {
		return err
	}
	if r.emptiesFinalizers() {
		r.stage.Why = "the last finalizer is gone, and with it the object: it was being deleted"
		r.deleted, r.Report.Deleted = true, true
		r.accept()
		return nil
	}
	stored := withOwnMetadata(r.Object)
	if r.Version != r.crd.Storage {
		converted, err := r.convert(playground.StageStore, r.Object, r.crd.Storage)
		if errors.Is(err, feature.ErrNoWebhook) {
			r.accept()
			r.skip(playground.StageSkipUnconverted + " " + r.crd.Storage.Kind.Version)
			return nil
		}
		if err != nil {
			return err
		}
		stored = converted
	}
	stored.SetSelfLink("") // etcd has none (PrepareObjectForStorage)
	r.setResourceVersion(stored)
	for _, c := range jsonvalue.Diff(r.Object.Object, stored.Object, nil) {
		cause, because := r.storeReason(c)
		r.record(c, cause, because)
	}
	r.stored = stored
	r.Report.Stored = jsonvalue.Encode(stored)
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
func (r *Request) checkAnswer() error {
	_, err := r.get(r.Version)
	if err == nil || errors.Is(err, feature.ErrNoWebhook) {
		return nil
	}
	r.stage.Why = "the object is stored all the same: it is the answer that cannot be converted back"
	return undecodable(r.stored, err)
}

// undecodable words an error about an object in etcd as the API server does
// (corruptObjectError in k8s.io/apiserver/pkg/storage/etcd3).
func undecodable(stored *unstructured.Unstructured, err error) error {
	if errors.Is(err, feature.ErrNoWebhook) {
		return err
	}
	return fmt.Errorf("object not decodable revision=%s: %v", cmp.Or(stored.GetResourceVersion(), upstream.FirstResourceVersion), err)
}

// unreadable words it as the answer to a GET request.
func (r *Request) unreadable(err error) error {
	if errors.Is(err, feature.ErrNoWebhook) {
		return err
	}
	key := strings.TrimPrefix(r.key(), etcdPrefix)
	return apierrors.NewInternalError(storage.NewCorruptObjError(key, undecodable(r.stored, err)))
}

func (r *Request) accept() {
	r.Report.Accepted = true
	r.Report.Status = playground.Status{Code: r.successCode()}
	if r.operation == playground.OperationDelete {
		r.Report.Output = deletedOutput(r.Object, r.Report.Warnings)
		return
	}
	r.Report.Output = kubectl.FormatSuccess(r.Version.Kind.Kind, r.Version.Kind.Group, r.Object.GetName(), r.operation, r.Report.Warnings)
}

// checkStorage refuses what etcd's store refuses.
func (r *Request) checkStorage() error {
	if !r.creates() {
		return nil
	}
	if err := r.checkNoRevision(); err != nil {
		return err
	}
	if existing := r.olds.find(r.namespace(), r.Object.GetName()); existing != nil {
		err := apierrors.NewAlreadyExists(r.resource(), r.Object.GetName())
		if existing.GetDeletionTimestamp() != nil {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return err
	}
	return nil
}

// checkNoRevision follows Create and, for apply, GuaranteedUpdate of
// k8s.io/apiserver/pkg/storage/etcd3, which the generic registry calls.
func (r *Request) checkNoRevision() error {
	revision, err := storage.APIObjectVersioner{}.ObjectResourceVersion(r.Object)
	switch {
	case r.operation == playground.OperationApply:
		return err
	case err == nil && revision != 0:
		return storage.ErrResourceVersionSetOnCreate
	}
	return nil
}

func (r *Request) successCode() int {
	if r.creates() {
		return http.StatusCreated
	}
	return http.StatusOK
}

// setResourceVersion counts the writes: an update that changes nothing is
// not written, unless it brings the object to the storage version.
func (r *Request) setResourceVersion(stored *unstructured.Unstructured) {
	if r.Old == nil {
		stored.SetResourceVersion(upstream.FirstResourceVersion)
		return
	}
	rewritten := r.oldStored.GroupVersionKind() != r.crd.Storage.Kind
	if !rewritten && apiequality.Semantic.DeepEqual(r.Object.Object, r.Old.Object) {
		r.stage.Why = "nothing changed, so nothing is written"
		return
	}
	revision, err := strconv.Atoi(r.Old.GetResourceVersion())
	if err == nil {
		stored.SetResourceVersion(strconv.Itoa(revision + 1))
	}
}

// storeReason explains why the stored object differs from the validated one.
func (r *Request) storeReason(c jsonvalue.Change) (cause playground.ChangeCause, because string) {
	storage := r.crd.Storage.Kind.Version
	switch path := jsonvalue.PathString(c.Path); {
	case path == "metadata.resourceVersion":
		return playground.CauseServer, "the revision of etcd at which the object is written"
	case path == "metadata.selfLink":
		return playground.CauseServer, "not persisted"
	case c.Op == playground.ChangeRemove:
		return playground.CauseConverted, "the storage version " + storage + " does not have it"
	}
	return playground.CauseConverted, "converted to the storage version " + storage
}

// convert converts an object in a stage of the request, and notes the calls of
// the conversion webhook.
func (r *Request) convert(stage string, object *unstructured.Unstructured, to *crd.Version) (*unstructured.Unstructured, error) {
	if w := r.conversion.webhook; w != nil {
		before := len(w.Reviews())
		defer func() { r.Report.Conversions = append(r.Report.Conversions, w.Reviews()[before:]...) }()
	}
	return r.conversion.convert(stage, object, to)
}
