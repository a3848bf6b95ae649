package object

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/storage"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// runRead reads the stored object at each served version.
func runRead(r *Request) error {
	switch {
	case r.rec.report.Deleted:
		r.rec.skip(playground.StageSkipDeleted)
		return nil
	case r.stored == nil:
		r.rec.skip(playground.StageSkipNotStored)
		return nil
	}
	for _, name := range r.endpoint.CRD.ServedByPriority() {
		r.reportVersion(r.endpoint.CRD.Versions[name])
	}
	return nil
}

// reportVersion reports the responses to GET requests at a version.
func (r *Request) reportVersion(v *crd.Version) {
	e, report := &r.endpoint, &r.rec.report
	object, err := r.stored.at(v)
	switch {
	case err != nil:
		err = unreadableError(r.stored.object, e.keyOf(r.object), err)
	case object.IsList():
		err = errNotList
	case !e.isReached(true):
		err = errUnreached
	}
	if e.CRD.HasScale() {
		report.Scale = append(report.Scale, readScale(v, e.resource(), r.stored.object.GetName(), object, err))
	}
	if declared := e.CRD.V1.Spec.Versions[v.Index].SelectableFields; err == nil && len(declared) > 0 {
		report.SelectableFields = append(report.SelectableFields, customresource.SelectableFields(v, declared, object))
	}
	report.Versions = append(report.Versions, r.versionOf(r.stored, v, object, err))
}

// versionOf reports a stored object as read at a version, or the error.
func (r *Request) versionOf(stored *storedObject, v *crd.Version, object *unstructured.Unstructured, err error) playground.ObjectVersion {
	out := playground.ObjectVersion{Name: v.Kind.Version, Warning: v.DeprecationWarning, Object: jsonvalue.Encode(nil), Lost: []string{}, LostSteps: [][]string{}, RoundTrip: []playground.Change{}}
	if errors.Is(err, errUnreached) {
		out.Object = jsonvalue.Encode(object) // the response to the request has it
	}
	if err != nil {
		out.Error, out.Cause = err.Error(), errorCause(err)
		return out
	}
	out.Object = jsonvalue.Encode(object)
	back := stored.writtenBack(v, object)
	for _, c := range missingFields(stored.object, object, back) {
		path := jsonvalue.PathString(c.Path)
		if annotation, ok := conversion.KeptIn(object, c.Path, c.Value); ok {
			out.Kept = append(out.Kept, playground.KeptField{Path: path, Annotation: annotation})
			continue
		}
		out.Lost = append(out.Lost, path)
		out.LostSteps = append(out.LostSteps, jsonvalue.PathSteps(c.Path))
	}
	for _, c := range stored.roundTrip(v, back) {
		out.RoundTrip = append(out.RoundTrip, r.rec.describe(c))
	}
	return out
}

// missingFields returns the stored fields that are lost at a version: the fields that it lacks, except
// fields that a conversion moves to another field, or restores when the object is written back. The
// annotations in which the conversion rules keep fields do not count. back is the object after the
// write-back; nil if it cannot be converted.
func missingFields(stored, object, back *unstructured.Unstructured) []jsonvalue.Change {
	changes := jsonvalue.Diff(stored.Object, object.Object, nil)
	return slices.DeleteFunc(changes, func(c jsonvalue.Change) bool {
		if c.Op != playground.ChangeRemove || conversion.IsOfRules(c.Path, c.Value) {
			return true
		}
		if back != nil {
			value, ok := jsonvalue.At(back.Object, c.Path)
			_, isKept := conversion.KeptIn(object, c.Path, c.Value)
			return ok && apiequality.Semantic.DeepEqual(value, c.Value) && !isKept
		}
		return slices.ContainsFunc(changes, func(other jsonvalue.Change) bool {
			return other.Op == playground.ChangeAdd && apiequality.Semantic.DeepEqual(other.Value, c.Value)
		})
	})
}

// unreadableError converts an error about an object in etcd to the response to a GET
// request.
func unreadableError(stored *unstructured.Unstructured, key string, err error) error {
	if errors.Is(err, conversion.ErrNoWebhook) {
		return err
	}
	return apierrors.NewInternalError(storage.NewCorruptObjError(strings.TrimPrefix(key, etcdPrefix), corruptError(stored, err)))
}

// errorCause classifies the error of a read request. It returns an empty cause for an
// error that the API server itself would return.
func errorCause(err error) playground.ErrorCause {
	if errors.Is(err, conversion.ErrNoWebhook) {
		return playground.CauseUnansweredWebhook
	}
	return ""
}

// A storedObject is a persisted object. It caches the object as read at each version,
// which callers must not change.
type storedObject struct {
	object  *unstructured.Unstructured
	storage *crd.Version
	convert convertFunc
	// decoded is the object as read at the storage version; nil until it is read.
	decoded *unstructured.Unstructured
	reads   map[string]*unstructured.Unstructured
}

// A convertFunc converts an object to a version in a stage.
type convertFunc func(playground.StageName, *unstructured.Unstructured, *crd.Version) (*unstructured.Unstructured, error)

func newStoredObject(object *unstructured.Unstructured, storage *crd.Version, convert convertFunc) *storedObject {
	return &storedObject{object: object, storage: storage, convert: convert, reads: map[string]*unstructured.Unstructured{}}
}

// at reads the object at a version: it prunes and defaults the object with the schema
// of the storage version, then converts it and prunes it with the schema of v. It does
// not apply the defaults of v.
func (s *storedObject) at(v *crd.Version) (*unstructured.Unstructured, error) {
	if read, ok := s.reads[v.Kind.Version]; ok {
		return read, nil
	}
	object, err := s.decode()
	if err != nil {
		return nil, err
	}
	if object.GroupVersionKind() != v.Kind {
		if object, err = s.convert(playground.StageRead, object, v); err != nil {
			return nil, err
		}
	}
	s.reads[v.Kind.Version] = object
	return object, nil
}

// readsAt returns the object as read at the versions of a report, which
// [storedObject.at] has read before.
func (s *storedObject) readsAt(versions []playground.ObjectVersion) map[string]*unstructured.Unstructured {
	reads := map[string]*unstructured.Unstructured{}
	for _, v := range versions {
		reads[v.Name] = s.reads[v.Name]
	}
	return reads
}

// decode reads the object at the storage version.
func (s *storedObject) decode() (*unstructured.Unstructured, error) {
	if s.decoded != nil {
		return s.decoded, nil
	}
	object := asStored(s.object.DeepCopy())
	if err := s.storage.CoerceStored(object); err != nil {
		return nil, err
	}
	defaulting.Default(object.Object, s.storage.Schema)
	s.decoded = object
	return object, nil
}

// asStored returns an object with the numbers that etcd's JSON has: a float without a
// fraction becomes an integer, and -0.0 becomes 0.
func asStored(object *unstructured.Unstructured) *unstructured.Unstructured {
	object.Object = jsonvalue.NormalizeNumbers(object.Object)
	return object
}

// writtenBack returns the stored object after a client reads it at version v and writes it back
// unchanged; nil if the conversion fails.
func (s *storedObject) writtenBack(v *crd.Version, object *unstructured.Unstructured) *unstructured.Unstructured {
	if object.GroupVersionKind() == s.storage.Kind {
		return object
	}
	written := object.DeepCopy()
	defaulting.Default(written.Object, v.Schema)
	back, err := s.convert(playground.StageRead, written, s.storage)
	if err != nil {
		return nil
	}
	return back
}

// roundTrip returns the changes to the stored object after it is written back at version v. It
// returns nil if a conversion fails.
func (s *storedObject) roundTrip(v *crd.Version, back *unstructured.Unstructured) []change {
	before, err := s.decode()
	if back == nil || err != nil || v == s.storage {
		return nil
	}
	return explainChanges(before.Object, back.Object, playground.CauseConverted, func(jsonvalue.Change) string {
		return "changed by reading and writing the object at " + v.Kind.GroupVersion().String()
	})
}
