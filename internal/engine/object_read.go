package engine

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// read reads the stored object back at each served version.
func read(r *request) error {
	if r.deleted {
		r.skip("the object is gone")
		return nil
	}
	if r.stored == nil {
		r.skip("it is not known what is stored")
		return nil
	}
	for _, name := range r.crd.servedByPriority() {
		r.report.Versions = append(r.report.Versions, r.readVersion(r.crd.versions[name]))
	}
	return nil
}

func (r *request) readVersion(v *version) playground.ObjectVersion {
	out := playground.ObjectVersion{Name: v.kind.Version, Warning: v.deprecated, Object: jsonvalue.Encode(nil), Lost: []string{}, RoundTrip: []playground.Change{}}
	object, err := r.get(v)
	if err != nil {
		err = r.unreadable(err)
	}
	r.readScale(v, object, err)
	if err != nil {
		out.Error, out.Cause = err.Error(), errorCause(err)
		return out
	}
	r.readSelectable(v, object)
	out.Object = jsonvalue.Encode(object)
	for _, c := range diff(r.stored.Object, object.Object, nil) {
		if c.op == playground.ChangeRemove {
			out.Lost = append(out.Lost, valuePath(c.path))
		}
	}
	out.RoundTrip = append(out.RoundTrip, r.roundTrip(object)...)
	return out
}

// get reads the stored object at version v: pruned and defaulted with the
// schema of the storage version, then converted and pruned with that of v. It
// is not defaulted again. What it returns is not to be changed.
func (r *request) get(v *version) (*unstructured.Unstructured, error) {
	if read, ok := r.reads[v.kind.Version]; ok {
		return read, nil
	}
	object, err := r.decodeFromStorage()
	if err != nil {
		return nil, err
	}
	if object.GroupVersionKind() != v.kind {
		if object, err = r.convert(playground.StageRead, object, v); err != nil {
			return nil, err
		}
	}
	r.reads[v.kind.Version] = object
	return object, nil
}

// decodeFromStorage reads the stored object at the storage version. What it
// returns is not to be changed.
func (r *request) decodeFromStorage() (*unstructured.Unstructured, error) {
	if r.decoded != nil {
		return r.decoded, nil
	}
	object := r.stored.DeepCopy()
	if err := r.crd.storage.coerce(object, coerceOptions{fromStorage: true}); err != nil {
		return nil, err
	}
	defaulting.Default(object.Object, r.crd.storage.schema)
	r.decoded = object
	return object, nil
}

// roundTrip lists what changes if the object, as read at one version, is
// written back unchanged.
func (r *request) roundTrip(object *unstructured.Unstructured) []playground.Change {
	if object.GroupVersionKind() == r.crd.storage.kind {
		return nil
	}
	written := object.DeepCopy()
	defaulting.Default(written.Object, r.crd.versions[object.GroupVersionKind().Version].schema)
	back, err := r.convert(playground.StageRead, written, r.crd.storage)
	before, beforeErr := r.decodeFromStorage()
	if err != nil || beforeErr != nil {
		return nil
	}
	var changes []playground.Change
	for _, c := range diff(before.Object, back.Object, nil) {
		changes = append(changes, r.describeChange(c, "by writing back what "+object.GetAPIVersion()+" shows"))
	}
	return changes
}
