package engine

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/playground"
)

// read reads the stored object back at each served version.
func read(r *request) error {
	if r.stored == nil {
		r.skip("it is not known what is stored")
		return nil
	}
	for _, name := range r.crd.servedByPriority() {
		v := r.crd.versions[name]
		out := playground.ObjectVersion{Name: name, Warning: v.deprecated, Lost: []string{}}
		object, err := r.crd.get(r.stored, v)
		if err != nil {
			out.Error = err.Error()
			r.report.Versions = append(r.report.Versions, out)
			continue
		}
		out.Object = encode(object)
		for _, c := range diff(r.stored.Object, object.Object, nil) {
			if c.op == playground.ChangeRemove {
				out.Lost = append(out.Lost, valuePath(c.path))
			}
		}
		r.report.Versions = append(r.report.Versions, out)
	}
	return nil
}

// get reads a stored object at version v: pruned and defaulted with the
// schema of the storage version, then converted and pruned with that of v. It
// is not defaulted again.
func (c *crd) get(stored *unstructured.Unstructured, v *version) (*unstructured.Unstructured, error) {
	object := stored.DeepCopy()
	if err := c.storage.coerce(object, coerceOptions{fromStorage: true}); err != nil {
		return nil, err
	}
	defaulting.Default(object.Object, c.storage.schema)
	if v == c.storage {
		return object, nil
	}
	return c.convert(object, v)
}
