package object

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// coerceMetadata decodes metadata as ObjectMeta and writes it back, which
// drops what ObjectMeta does not have.
func coerceMetadata(r *Request) error {
	before := r.snapshot()
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(r.Object.Object, objectmeta.ObjectMetaOptions{
		ReturnUnknownFieldPaths: r.tracksUnknown(),
	})
	if err != nil {
		return r.undecodable(err)
	}
	r.addUnknown(playground.StageMetadata, unknown)
	if found {
		r.meta = meta
	}
	if err := r.restoreTypeAndObjectMeta(r.Object.GetAPIVersion(), r.Object.GetKind()); err != nil {
		return err
	}
	r.recordChanges(before, playground.CauseCoerced, func(jsonvalue.Change) string { return "not a field of ObjectMeta, or at its zero value" })
	return nil
}

// restoreTypeAndObjectMeta puts back what schemas need not know: pruning by
// the schema takes it away.
func (r *Request) restoreTypeAndObjectMeta(apiVersion, kind string) error {
	if kind != "" {
		r.Object.SetKind(kind)
	}
	if apiVersion != "" {
		r.Object.SetAPIVersion(apiVersion)
	}
	if r.meta == nil {
		return nil
	}
	if err := objectmeta.SetObjectMeta(r.Object.Object, r.meta); err != nil {
		return r.undecodable(err)
	}
	return nil
}

// coerceEmbedded decodes and writes back the metadata of embedded resources,
// and ends the decoding.
func coerceEmbedded(r *Request) error {
	if !r.isOfCRD() {
		r.skip(playground.StageSkipOtherKind)
		return r.concludeDecoding()
	}
	before := r.snapshot()
	apiVersion, kind := r.Object.GetAPIVersion(), r.Object.GetKind()
	fieldErr, unknown := objectmeta.CoerceWithOptions(nil, r.Object.Object, r.Version.Schema, false, objectmeta.CoerceOptions{
		ReturnUnknownFieldPaths: r.tracksUnknown(),
	})
	if fieldErr != nil {
		return r.undecodable(fieldErr)
	}
	r.addUnknown(playground.StageEmbedded, unknown)
	if err := r.restoreTypeAndObjectMeta(apiVersion, kind); err != nil {
		return err
	}
	r.recordChanges(before, playground.CauseCoerced, func(jsonvalue.Change) string {
		return "not a field of an embedded resource's ObjectMeta, or at its zero value"
	})
	return r.concludeDecoding()
}

func (r *Request) tracksUnknown() bool {
	return r.fieldValidation != playground.FieldValidationIgnore
}

func (r *Request) addUnknown(stage string, paths []string) {
	for _, path := range paths {
		r.strict = append(r.strict, strictError{stage, fmt.Errorf("unknown field %q", path)})
	}
}
