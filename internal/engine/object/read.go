package object

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// read reads the stored object back at each served version.
func read(r *Request) error {
	if r.deleted {
		r.skip(playground.StageSkipDeleted)
		return nil
	}
	if r.stored == nil {
		r.skip(playground.StageSkipNotStored)
		return nil
	}
	for _, name := range r.crd.ServedByPriority() {
		r.Report.Versions = append(r.Report.Versions, r.readVersion(r.crd.Versions[name]))
	}
	return nil
}

func (r *Request) readVersion(v *crd.Version) playground.ObjectVersion {
	out := playground.ObjectVersion{Name: v.Kind.Version, Warning: v.DeprecationWarning, Object: jsonvalue.Encode(nil), Lost: []string{}, RoundTrip: []playground.Change{}}
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
	for _, c := range jsonvalue.Diff(r.stored.Object, object.Object, nil) {
		if c.Op == playground.ChangeRemove {
			out.Lost = append(out.Lost, jsonvalue.PathString(c.Path))
		}
	}
	out.RoundTrip = append(out.RoundTrip, r.roundTrip(object)...)
	return out
}

// get reads the stored object at version v: pruned and defaulted with the
// schema of the storage version, then converted and pruned with that of v. It
// is not defaulted again. What it returns is not to be changed.
func (r *Request) get(v *crd.Version) (*unstructured.Unstructured, error) {
	if read, ok := r.reads[v.Kind.Version]; ok {
		return read, nil
	}
	object, err := r.decodeFromStorage()
	if err != nil {
		return nil, err
	}
	if object.GroupVersionKind() != v.Kind {
		if object, err = r.convert(playground.StageRead, object, v); err != nil {
			return nil, err
		}
	}
	r.reads[v.Kind.Version] = object
	return object, nil
}

// decodeFromStorage reads the stored object at the storage version. What it
// returns is not to be changed.
func (r *Request) decodeFromStorage() (*unstructured.Unstructured, error) {
	if r.decoded != nil {
		return r.decoded, nil
	}
	object := r.stored.DeepCopy()
	if err := r.crd.Storage.CoerceStored(object); err != nil {
		return nil, err
	}
	defaulting.Default(object.Object, r.crd.Storage.Schema)
	r.decoded = object
	return object, nil
}

// roundTrip lists what changes if the object, as read at one version, is
// written back unchanged.
func (r *Request) roundTrip(object *unstructured.Unstructured) []playground.Change {
	if object.GroupVersionKind() == r.crd.Storage.Kind {
		return nil
	}
	written := object.DeepCopy()
	defaulting.Default(written.Object, r.crd.Versions[object.GroupVersionKind().Version].Schema)
	back, err := r.convert(playground.StageRead, written, r.crd.Storage)
	before, beforeErr := r.decodeFromStorage()
	if err != nil || beforeErr != nil {
		return nil
	}
	var changes []playground.Change
	for _, c := range jsonvalue.Diff(before.Object, back.Object, nil) {
		changes = append(changes, r.describeChange(c, playground.CauseConverted, "by writing back what "+object.GetAPIVersion()+" shows"))
	}
	return changes
}
