package engine

import (
	"errors"
	"fmt"
	"path"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/crdlab/crdlab/internal/playground"
)

// findOld reads the object that an update replaces.
func (r *request) findOld() error {
	if r.old != nil {
		return nil // apply has merged into it
	}
	stored := r.olds.find(r.namespace(), r.object.GetName())
	if stored == nil {
		return apierrors.NewNotFound(r.resource(), r.object.GetName())
	}
	old, err := r.readOld(stored)
	if errors.Is(err, ErrNoWebhook) {
		return fmt.Errorf("read the old object: %w", err)
	}
	if err != nil {
		return undecodable(stored, err)
	}
	r.old, r.oldStored = old, stored
	return nil
}

func (r *request) resource() schema.GroupResource {
	return schema.GroupResource{Group: r.version.kind.Group, Resource: r.crd.v1.Spec.Names.Plural}
}

// prepareUpdate merges what users cannot change from the old object, as the
// update handler, the generic registry and the strategies of custom resources
// and their status do.
func (r *request) prepareUpdate() error {
	if err := r.checkResourceVersion(); err != nil {
		return err
	}
	r.object.SetGeneration(r.old.GetGeneration())
	if r.operation == playground.OperationUpdateStatus {
		r.takeStatusOnly()
	} else {
		r.keepStatus()
		if !apiequality.Semantic.DeepEqual(withoutMetadata(r.object.Object), withoutMetadata(r.old.Object)) {
			r.object.SetGeneration(r.old.GetGeneration() + 1)
		}
	}
	if r.object.GetUID() == "" {
		r.object.SetUID(r.old.GetUID())
	}
	r.object.SetCreationTimestamp(r.old.GetCreationTimestamp())
	if deletion := r.old.GetDeletionTimestamp(); !deletion.IsZero() {
		r.object.SetDeletionTimestamp(deletion)
	}
	if period := r.old.GetDeletionGracePeriodSeconds(); period != nil && r.object.GetDeletionGracePeriodSeconds() == nil {
		r.object.SetDeletionGracePeriodSeconds(period)
	}
	return nil
}

// checkUID refuses an update of another object of the same name. Like
// `kubectl replace`, an update without a resourceVersion is based on the
// present one.
func (r *request) checkUID() error {
	if r.operation == playground.OperationApply {
		return nil
	}
	if uid := r.object.GetUID(); uid != "" {
		if err := storage.NewUIDPreconditions(string(uid)).Check(r.key(), r.old); err != nil {
			return apierrors.NewConflict(r.resource(), r.object.GetName(), err)
		}
	}
	if r.object.GetResourceVersion() == "" {
		r.object.SetResourceVersion(r.old.GetResourceVersion())
	}
	return nil
}

// checkResourceVersion refuses an update that is based on an earlier state, or
// on none: what is applied may say so, by an empty resourceVersion (Store.Update
// in k8s.io/apiserver/pkg/registry/generic/registry).
func (r *request) checkResourceVersion() error {
	switch version := r.object.GetResourceVersion(); {
	case version == "":
		kind := schema.GroupKind{Group: r.resource().Group, Kind: r.resource().Resource}
		r.addInvalid(playground.StagePrepare, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update"),
		})
		return apierrors.NewInvalid(kind, r.object.GetName(), r.invalid)
	case r.oldStored.GetResourceVersion() == "":
		r.old.SetResourceVersion(version) // the text of the old object leaves it open
	case version != r.old.GetResourceVersion():
		return apierrors.NewConflict(r.resource(), r.object.GetName(),
			errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

// etcdPrefix begins all keys of an API server in etcd, by default.
const etcdPrefix = "/registry"

// key is where etcd has the object.
func (r *request) key() string {
	return path.Join(etcdPrefix, r.version.kind.Group, r.crd.v1.Spec.Names.Plural, r.namespace(), r.object.GetName())
}

// keepStatus takes the status of the old object if the status has an endpoint
// of its own.
func (r *request) keepStatus() {
	if !r.version.status {
		return
	}
	delete(r.object.Object, "status")
	if status, ok := r.old.Object["status"]; ok {
		r.object.Object["status"] = runtime.DeepCopyJSONValue(status)
	}
}

// takeStatusOnly takes everything but the status from the old object.
func (r *request) takeStatusOnly() {
	status, ok := r.object.Object["status"]
	r.object.Object = r.old.DeepCopy().Object
	delete(r.object.Object, "status")
	if ok {
		r.object.Object["status"] = status
	}
}

func withoutMetadata(content map[string]any) map[string]any {
	rest := make(map[string]any, len(content))
	for key, value := range content {
		if key != "metadata" {
			rest[key] = value
		}
	}
	return rest
}

// updateReason says why preparing an update changed a value.
func (r *request) updateReason(c change) string {
	path := valuePath(c.path)
	switch {
	case path == "metadata.generation":
		if r.object.GetGeneration() != r.old.GetGeneration() {
			return "something outside of metadata changed, so the generation rises"
		}
		return "nothing outside of metadata changed, so the generation stays"
	case r.operation == playground.OperationUpdateStatus:
		return "kept from the old object: this endpoint sets the status only"
	case len(c.path) > 0 && c.path[0] == "status":
		return "kept from the old object: only the status endpoint sets the status"
	case path == "metadata.namespace":
		return "the namespace of the request"
	}
	return "kept from the old object"
}

// validateUpdate runs all checks of an update but the CEL rules (BeforeUpdate
// in k8s.io/apiserver/pkg/registry/rest with the strategies of custom
// resources). Errors in parts that did not change are forgiven where the API
// server forgives them.
func (r *request) validateUpdate() field.ErrorList {
	metadata := field.NewPath("metadata")
	errs := validation.ValidateObjectMetaAccessor(r.object, r.version.namespaced, pathSegment, metadata)
	errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(r.object, r.old, metadata)...)
	typeErrs := r.validateTypeMeta()
	errs = append(errs, typeErrs...)
	if len(typeErrs) == 0 {
		errs = append(errs, r.validateObjectMetaUpdate()...)
		errs = append(errs, r.validateSchemaUpdate()...)
	}
	if r.operation != playground.OperationUpdateStatus {
		errs = append(errs, objectmeta.Validate(r.ctx, nil, r.object.Object, r.version.schema, false)...)
	}
	if len(listtype.ValidateListSetsAndMaps(nil, r.version.schema, r.old.Object)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, r.version.schema, r.object.Object)...)
	}
	return errs
}

func (r *request) validateObjectMetaUpdate() field.ErrorList {
	path := field.NewPath("metadata")
	meta, errs := objectMeta(r.object, path)
	if len(errs) > 0 {
		return errs
	}
	oldMeta, errs := objectMeta(r.old, path)
	if len(errs) > 0 {
		return errs
	}
	return validation.ValidateObjectMetaDeclaratively(r.ctx, operation.Update, meta, oldMeta, r.version.namespaced,
		nil, path, utilfeature.DefaultFeatureGate.Enabled(features.DeclarativeValidationBeta))
}

func (r *request) validateSchemaUpdate() field.ErrorList {
	content, old := r.object.Object, r.old.Object
	correlated := r.correlate()
	if r.operation != playground.OperationUpdateStatus {
		errs := apiservervalidation.ValidateCustomResourceUpdate(nil, content, old, r.version.validator, apiservervalidation.WithRatcheting(correlated))
		return append(errs, validateScale(content, r.version.scale)...)
	}
	var errs field.ErrorList
	if status, ok := content["status"]; ok {
		var options []apiservervalidation.ValidationOption
		if r.version.schema != nil {
			options = append(options, apiservervalidation.WithRatcheting(correlated.Key("status")))
		}
		errs = apiservervalidation.ValidateCustomResourceUpdate(field.NewPath("status"), status, old["status"], r.version.statusValidator, options...)
	}
	return append(errs, validateScaleStatus(content, r.version.scale)...)
}

// correlate pairs the values of the object with those of the old one. The
// result caches comparisons, so each user takes its own.
func (r *request) correlate() *common.CorrelatedObject {
	return common.NewCorrelatedObject(r.object.Object, r.old.Object, &model.Structural{Structural: r.version.schema})
}
