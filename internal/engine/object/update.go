package object

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

	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// findOld reads the object that an update replaces.
func (r *Request) findOld() error {
	if r.Old != nil {
		return nil // apply has merged into it
	}
	stored := r.olds.find(r.namespace(), r.Object.GetName())
	if stored == nil {
		return apierrors.NewNotFound(r.resource(), r.Object.GetName())
	}
	old, err := r.readOld(stored)
	if errors.Is(err, feature.ErrNoWebhook) {
		return fmt.Errorf("read the old object: %w", err)
	}
	if err != nil {
		return undecodable(stored, err)
	}
	r.Old, r.oldStored = old, stored
	return nil
}

func (r *Request) resource() schema.GroupResource {
	return schema.GroupResource{Group: r.Version.Kind.Group, Resource: r.crd.V1.Spec.Names.Plural}
}

// prepareUpdate merges what users cannot change from the old object, as the
// update handler, the generic registry and the strategies of custom resources
// and their status do.
func (r *Request) prepareUpdate() error {
	if err := r.checkResourceVersion(); err != nil {
		return err
	}
	r.Object.SetGeneration(r.Old.GetGeneration())
	if r.operation == playground.OperationUpdateStatus {
		r.takeStatusOnly()
	} else {
		r.keepStatus()
		if !apiequality.Semantic.DeepEqual(withoutMetadata(r.Object.Object), withoutMetadata(r.Old.Object)) {
			r.Object.SetGeneration(r.Old.GetGeneration() + 1)
		}
	}
	if r.Object.GetUID() == "" {
		r.Object.SetUID(r.Old.GetUID())
	}
	r.Object.SetCreationTimestamp(r.Old.GetCreationTimestamp())
	if deletion := r.Old.GetDeletionTimestamp(); !deletion.IsZero() {
		r.Object.SetDeletionTimestamp(deletion)
	}
	if period := r.Old.GetDeletionGracePeriodSeconds(); period != nil && r.Object.GetDeletionGracePeriodSeconds() == nil {
		r.Object.SetDeletionGracePeriodSeconds(period)
	}
	return nil
}

// checkUID refuses an update of another object of the same name. Like
// `kubectl replace`, an update without a resourceVersion is based on the
// present one.
func (r *Request) checkUID() error {
	if r.operation == playground.OperationApply {
		return nil
	}
	if uid := r.Object.GetUID(); uid != "" {
		if err := storage.NewUIDPreconditions(string(uid)).Check(r.key(), r.Old); err != nil {
			return apierrors.NewConflict(r.resource(), r.Object.GetName(), err)
		}
	}
	if r.Object.GetResourceVersion() == "" {
		r.Object.SetResourceVersion(r.Old.GetResourceVersion())
	}
	return nil
}

// checkResourceVersion refuses an update that is based on an earlier state, or
// on none: what is applied may say so, by an empty resourceVersion (Store.Update
// in k8s.io/apiserver/pkg/registry/generic/registry).
func (r *Request) checkResourceVersion() error {
	switch version := r.Object.GetResourceVersion(); {
	case version == "":
		kind := schema.GroupKind{Group: r.resource().Group, Kind: r.resource().Resource}
		r.addInvalid(playground.StagePrepare, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update"),
		})
		return apierrors.NewInvalid(kind, r.Object.GetName(), r.invalid)
	case r.oldStored.GetResourceVersion() == "":
		r.Old.SetResourceVersion(version) // the text of the old object leaves it open
	case version != r.Old.GetResourceVersion():
		return apierrors.NewConflict(r.resource(), r.Object.GetName(),
			errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

// etcdPrefix begins all keys of an API server in etcd, by default.
const etcdPrefix = "/registry"

// key is where etcd has the object.
func (r *Request) key() string {
	return path.Join(etcdPrefix, r.Version.Kind.Group, r.crd.V1.Spec.Names.Plural, r.namespace(), r.Object.GetName())
}

// keepStatus takes the status of the old object if the status has an endpoint
// of its own.
func (r *Request) keepStatus() {
	if !r.Version.HasStatus {
		return
	}
	delete(r.Object.Object, "status")
	if status, ok := r.Old.Object["status"]; ok {
		r.Object.Object["status"] = runtime.DeepCopyJSONValue(status)
	}
}

// takeStatusOnly takes everything but the status from the old object.
func (r *Request) takeStatusOnly() {
	status, ok := r.Object.Object["status"]
	r.Object.Object = r.Old.DeepCopy().Object
	delete(r.Object.Object, "status")
	if ok {
		r.Object.Object["status"] = status
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
func (r *Request) updateReason(c jsonvalue.Change) string {
	path := jsonvalue.PathString(c.Path)
	switch {
	case path == "metadata.generation":
		if r.Object.GetGeneration() != r.Old.GetGeneration() {
			return "something outside of metadata changed, so the generation rises"
		}
		return "nothing outside of metadata changed, so the generation stays"
	case r.operation == playground.OperationUpdateStatus:
		return "kept from the old object: this endpoint sets the status only"
	case len(c.Path) > 0 && c.Path[0] == "status":
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
func (r *Request) validateUpdate() field.ErrorList {
	metadata := field.NewPath("metadata")
	errs := validation.ValidateObjectMetaAccessor(r.Object, r.Version.Namespaced, upstream.ValidatePathSegment, metadata)
	errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(r.Object, r.Old, metadata)...)
	typeErrs := r.validateTypeMeta()
	errs = append(errs, typeErrs...)
	if len(typeErrs) == 0 {
		errs = append(errs, r.validateObjectMetaUpdate()...)
		errs = append(errs, r.validateSchemaUpdate()...)
	}
	if r.operation != playground.OperationUpdateStatus {
		errs = append(errs, objectmeta.Validate(r.ctx, nil, r.Object.Object, r.Version.Schema, false)...)
	}
	if len(listtype.ValidateListSetsAndMaps(nil, r.Version.Schema, r.Old.Object)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, r.Version.Schema, r.Object.Object)...)
	}
	return errs
}

func (r *Request) validateObjectMetaUpdate() field.ErrorList {
	path := field.NewPath("metadata")
	meta, errs := objectMeta(r.Object, path)
	if len(errs) > 0 {
		return errs
	}
	oldMeta, errs := objectMeta(r.Old, path)
	if len(errs) > 0 {
		return errs
	}
	return validation.ValidateObjectMetaDeclaratively(r.ctx, operation.Update, meta, oldMeta, r.Version.Namespaced,
		nil, path, utilfeature.DefaultFeatureGate.Enabled(features.DeclarativeValidationBeta))
}

func (r *Request) validateSchemaUpdate() field.ErrorList {
	content, old := r.Object.Object, r.Old.Object
	correlated := r.correlate()
	if r.operation != playground.OperationUpdateStatus {
		errs := apiservervalidation.ValidateCustomResourceUpdate(nil, content, old, r.Version.Validator, apiservervalidation.WithRatcheting(correlated))
		return append(errs, validateScale(content, r.Version.Scale)...)
	}
	var errs field.ErrorList
	if status, ok := content["status"]; ok {
		var options []apiservervalidation.ValidationOption
		if r.Version.Schema != nil {
			options = append(options, apiservervalidation.WithRatcheting(correlated.Key("status")))
		}
		errs = apiservervalidation.ValidateCustomResourceUpdate(field.NewPath("status"), status, old["status"], r.Version.StatusValidator, options...)
	}
	return append(errs, validateScaleStatus(content, r.Version.Scale)...)
}

// correlate pairs the values of the object with those of the old one. The
// result caches comparisons, so each user takes its own.
func (r *Request) correlate() *common.CorrelatedObject {
	return common.NewCorrelatedObject(r.Object.Object, r.Old.Object, &model.Structural{Structural: r.Version.Schema})
}
