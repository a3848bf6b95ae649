package crd

import (
	"path"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/features"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// The limits of the estimated cost of CEL rules, in CEL cost units.
const (
	RuleCostLimit = validation.StaticEstimatedCostLimit    // of one rule
	CostLimit     = validation.StaticEstimatedCRDCostLimit // of all rules of a CRD
)

// A CostContext holds the maximum cardinality of a schema node in an object.
type CostContext = validation.CELSchemaContext

// NewCostContext returns the context of the root of a schema.
func NewCostContext(root *apiextensions.JSONSchemaProps) *CostContext {
	return validation.RootCELContext(root)
}

// validate prepares and validates the CRD. It follows rest.BeforeCreate and
// rest.BeforeUpdate with the strategy of
// k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition. That package
// does not build for WebAssembly.
func validate(r *Request) error {
	if r.patch == kubectl.EmptyPatch {
		return nil // kubectl sends no request.
	}
	if r.Old == nil {
		rest.WipeObjectMetaSystemFields(r.Internal)
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace("", r.Internal); err != nil {
		return err
	}
	if r.Old == nil && r.operation == playground.OperationApply {
		// Store.Update of the registry, which also creates, reads the revision first.
		if _, err := (storage.APIObjectVersioner{}).ObjectResourceVersion(r.Internal); err != nil {
			return err
		}
		r.Internal.ResourceVersion = ""
	}
	prepareAndValidate := r.validateCreate
	if r.Old == nil && r.operation == playground.OperationUpdate {
		return apierrors.NewNotFound(resource, r.Internal.Name)
	}
	if r.Old != nil {
		if r.Internal.Name != r.Old.Name {
			return apierrors.NewNotFound(resource, r.Internal.Name)
		}
		if err := r.matchOld(); err != nil {
			return err
		}
		prepareAndValidate = r.validateUpdate
	}
	if !r.stored && !r.isApply() {
		// The field manager, which runs before validation, replaces these entries.
		r.Internal.ManagedFields = nil
	}
	if errs := prepareAndValidate(); len(errs) > 0 {
		return upstream.Invalid(apiextensions.Kind("CustomResourceDefinition"), r.Internal.Name, upstream.SortErrors(errs))
	}
	r.warn(r.newWarnings()...)
	if r.existing != "" && r.existing == r.Internal.Name {
		return apierrors.NewAlreadyExists(resource, r.Internal.Name)
	}
	return r.checkNoRevision()
}

// resource is the resource of the requests for CRDs.
var resource = apiextensions.Resource("customresourcedefinitions")

// matchOld rejects an update of another CRD with the same name, which has another UID,
// and an update that is based on an earlier state. A patch has no precondition about the UID,
// which validation finds to be immutable. Like `kubectl replace`, it bases an
// update without a resourceVersion on the current one.
func (r *Request) matchOld() error {
	name := r.Internal.Name
	if r.Internal.UID != "" && !r.isApply() {
		key := path.Join("/registry", resource.Group, resource.Resource, name)
		if err := storage.NewUIDPreconditions(string(r.Internal.UID)).Check(key, r.Old); err != nil {
			return apierrors.NewConflict(resource, name, err)
		}
	}
	if r.Internal.ResourceVersion == "" && !r.isApply() {
		r.Internal.ResourceVersion = r.Old.ResourceVersion
	}
	return upstream.CheckRevision(r.Internal, resource, name, r.oldRevision)
}

// checkNoRevision rejects a resourceVersion of a new CRD. It follows Create of
// k8s.io/apiserver/pkg/storage/etcd3.
func (r *Request) checkNoRevision() error {
	if r.Old != nil {
		return nil
	}
	if revision, err := (storage.APIObjectVersioner{}).ObjectResourceVersion(r.Internal); err == nil && revision != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	return nil
}

// validateCreate prepares a new CRD and validates it.
func (r *Request) validateCreate() field.ErrorList {
	prepareCreate(r.Internal)
	if errs := r.validateSpec(); len(errs) > 0 {
		return errs
	}
	return genericvalidation.ValidateObjectMetaAccessor(r.Internal, false, upstream.ValidatePathSegment, field.NewPath("metadata"))
}

// validateUpdate prepares an updated CRD and validates it.
func (r *Request) validateUpdate() field.ErrorList {
	prepareUpdate(r.Internal, r.Old)
	if r.between != nil {
		r.Internal.Generation = nextGeneration(r.between, r.Internal, nextGeneration(r.Old, r.between, r.Old.Generation))
	}
	metadata := field.NewPath("metadata")
	errs := genericvalidation.ValidateObjectMetaAccessor(r.Internal, false, upstream.ValidatePathSegment, metadata)
	errs = append(errs, genericvalidation.ValidateObjectMetaAccessorUpdate(r.Internal, r.Old, metadata)...)
	return append(errs, r.validateSpec()...)
}

// validateSpec returns upstream's errors about the prepared CRD.
func (r *Request) validateSpec() field.ErrorList {
	if r.Old != nil {
		return validation.ValidateCustomResourceDefinitionUpdate(r.ctx, r.Internal, r.Old)
	}
	var errs field.ErrorList
	if !r.isValid() {
		errs = r.validateNew()
	}
	if r.decoded != nil && len(errs) == 0 && r.ctx.Err() == nil {
		r.decoded.validRelease, r.decoded.valid, r.decoded.change = emulatedRelease(), nil, nil
	}
	return errs
}

// validateNew returns upstream's errors about a new CRD. It leaves out the rules that are known to be valid, unless an error
// shows a part of the schema. The total cost of all rules is then unknown.
func (r *Request) validateNew() field.ErrorList {
	if changed := r.withoutKnownRules(); changed != nil {
		errs := validation.ValidateCustomResourceDefinition(r.ctx, changed)
		if !slices.ContainsFunc(errs, showsSchema) {
			r.assumesCost = true
			return errs
		}
	}
	return validation.ValidateCustomResourceDefinition(r.ctx, r.Internal)
}

// showsSchema reports whether an error shows a value that may contain rules.
func showsSchema(err *field.Error) bool {
	switch err.BadValue.(type) {
	case nil, string, bool, int, int32, int64, uint64, apiextensions.ValidationRule:
		return false
	default:
		return true
	}
}

// prepareCreate sets the fields that users cannot set. It follows
// strategy.PrepareForCreate.
func prepareCreate(crd *apiextensions.CustomResourceDefinition) {
	if crd.Name == "" && crd.GenerateName != "" {
		crd.Name = upstream.GenerateName(crd.GenerateName)
	}
	crd.Status = apiextensions.CustomResourceDefinitionStatus{}
	crd.Generation = 1
	addStoredVersion(crd)
	dropDisabledFields(crd, nil)
}

// prepareUpdate copies the fields that users cannot change from the old CRD. It
// follows rest.BeforeUpdate and strategy.PrepareForUpdate.
func prepareUpdate(crd, old *apiextensions.CustomResourceDefinition) {
	crd.Generation = nextGeneration(old, crd, old.Generation)
	crd.Status = *old.Status.DeepCopy()
	addStoredVersion(crd)
	dropDisabledFields(crd, old)
	if crd.UID == "" {
		crd.UID = old.UID
	}
	crd.CreationTimestamp = old.CreationTimestamp
	crd.ResourceVersion = old.ResourceVersion
}

// nextGeneration returns the generation after an update of a CRD with the given generation.
func nextGeneration(old, updated *apiextensions.CustomResourceDefinition, generation int64) int64 {
	if apiequality.Semantic.DeepEqual(old.Spec, updated.Spec) {
		return generation
	}
	return generation + 1
}

// addStoredVersion adds the storage version to status.storedVersions.
func addStoredVersion(crd *apiextensions.CustomResourceDefinition) {
	for _, v := range crd.Spec.Versions {
		if !v.Storage {
			continue
		}
		if !apiextensions.IsStoredVersion(crd, v.Name) {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
		return
	}
}

// dropDisabledFields removes the fields of disabled feature gates, unless the old CRD
// has them. It follows dropDisabledFields of the strategy, except for the status,
// which no report shows.
func dropDisabledFields(crd, old *apiextensions.CustomResourceDefinition) {
	if !release.HasRatcheting() && (old == nil || !validation.HasSchemaWith(&old.Spec, hasOptionalOldSelf)) {
		visitSchemas(crd, func(s *apiextensions.JSONSchemaProps) {
			for i := range s.XValidations {
				s.XValidations[i].OptionalOldSelf = nil
			}
		})
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.CustomResourceFieldSelectors) && (old == nil || !hasSelectableFields(&old.Spec)) {
		crd.Spec.SelectableFields = nil
		for i := range crd.Spec.Versions {
			crd.Spec.Versions[i].SelectableFields = nil
		}
	}
}

func hasOptionalOldSelf(root *apiextensions.JSONSchemaProps) bool {
	return validation.SchemaHas(root, func(s *apiextensions.JSONSchemaProps) bool {
		return slices.ContainsFunc(s.XValidations, func(rule apiextensions.ValidationRule) bool { return rule.OptionalOldSelf != nil })
	})
}

func hasDefault(s *apiextensions.JSONSchemaProps) bool {
	return validation.SchemaHas(s, func(s *apiextensions.JSONSchemaProps) bool { return s.Default != nil })
}

func hasSelectableFields(spec *apiextensions.CustomResourceDefinitionSpec) bool {
	return spec.SelectableFields != nil || slices.ContainsFunc(spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return v.SelectableFields != nil
	})
}
