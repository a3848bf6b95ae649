package object

import (
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A StoredRead reads and validates an object in the cluster under a CRD.
type StoredRead struct {
	request *Request
	stored  *unstructured.Unstructured
	// errors holds a finding for each error of the validation, without its location.
	errors []playground.Finding
}

// ReadStored reads a stored object and validates it as a new object. The object may be
// stored at any version. The error is the API server's error for reading the object;
// findings report the errors of the validation.
func ReadStored(ctx context.Context, target Target, doc *source.Document, stored *unstructured.Unstructured, now time.Time) (*StoredRead, error) {
	read := newStoredRead(ctx, target, doc, stored, now)
	r := read.request
	return read, upstream.Guard(playground.StageRead, func() error {
		if !target.CRD.Defines(stored) {
			_, err := r.convert(playground.StageRead, stored, r.endpoint.version)
			return err
		}
		object, err := r.readOld(stored)
		if err != nil {
			return err
		}
		r.object = object
		read.validate(customresource.ValidateCreate(r.ctx, r.endpoint.version, object))
		return nil
	})
}

func newStoredRead(ctx context.Context, target Target, doc *source.Document, stored *unstructured.Unstructured, now time.Time) *StoredRead {
	o := options{operation: playground.OperationCreate, fieldValidation: playground.FieldValidationIgnore, now: now}
	r := newRequest(ctx, target, o, doc)
	r.endpoint.version = target.CRD.Storage
	r.object = stored
	return &StoredRead{request: r, stored: stored}
}

// validate adds the errors of validation and, where the API server would evaluate
// the rules, their errors.
func (s *StoredRead) validate(errs field.ErrorList) {
	r := s.request
	s.addErrors(playground.StageValidate, errs)
	if r.endpoint.version.CELValidator != nil && !customresource.BlocksRules(r.invalid) {
		errs, _ := validateRules(r.ctx, r.endpoint.version, r.object, r.old.object)
		s.addErrors(playground.StageRules, errs)
	}
}

// addErrors adds the errors of a stage that are not reported yet.
func (s *StoredRead) addErrors(stage playground.StageName, errs field.ErrorList) {
	rec := s.request.rec
	for _, err := range upstream.SortErrors(errs) {
		f := rec.errorFinding(stage, err)
		if key := keyOf(f); !rec.reported[key] {
			rec.reported[key] = true
			s.errors = append(s.errors, f)
		}
	}
	s.request.invalid = append(s.request.invalid, errs...)
}

// Versions returns the object as read at each served version before any write.
func (s *StoredRead) Versions() (all []playground.ObjectVersion) {
	r := s.request
	from, ok := r.endpoint.CRD.Versions[s.stored.GroupVersionKind().Version]
	if !ok {
		return nil
	}
	stored := newStoredObject(s.stored, from, r.convert)
	for _, name := range r.endpoint.CRD.ServedByPriority() {
		v := r.endpoint.CRD.Versions[name]
		object, err := stored.at(v)
		all = append(all, r.versionOf(stored, v, object, err))
	}
	return all
}

// IsValid reports whether the validation has no errors.
func (s *StoredRead) IsValid() bool { return len(s.request.invalid) == 0 }

// NewFindings returns the errors of the validation, up to a maximum. Unless old is nil,
// it omits the errors that the validation under the old CRD has, too.
func (s *StoredRead) NewFindings(old *StoredRead, maximum int) []playground.Finding {
	added := finding.NewCollector(maximum)
	rec := s.request.rec
	for _, f := range s.errors {
		if old == nil || !old.request.rec.reported[keyOf(f)] {
			added.AddLazily(f, func(f playground.Finding) playground.Finding {
				f = rec.locate(f)
				f.Document = playground.DocumentOldObject
				return f
			})
		}
	}
	return added.List()
}

// AcceptsTouch reports whether the API server accepts an update that changes only a
// label of the object.
func (s *StoredRead) AcceptsTouch() bool {
	r := s.request
	update := newStoredRead(r.ctx, r.endpoint.Target, r.rec.doc, s.stored, r.options.now)
	err := upstream.Guard(playground.StageValidate, func() error {
		u := update.request
		u.options.operation = playground.OperationUpdate
		u.old.object, u.object = r.object, withLabel(r.object, "updated", "true")
		update.validate(customresource.ValidateUpdate(u.ctx, u.endpoint.version, u.object, u.old.object, playground.OperationUpdate))
		return nil
	})
	return err == nil && len(update.request.invalid) == 0
}

func withLabel(object *unstructured.Unstructured, key, value string) *unstructured.Unstructured {
	labeled := object.DeepCopy()
	labels := maps.Clone(labeled.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	labeled.SetLabels(labels)
	return labeled
}

// Differences returns the differences from the object as read under the old CRD. It
// ignores apiVersion. A webhook may move fields, so its conversion is compared at the version
// of the old read.
func (s *StoredRead) Differences(old *StoredRead) []playground.Change {
	r := s.request
	object, version := r.object, r.endpoint.version
	if v, ok := r.endpoint.CRD.Versions[old.request.endpoint.version.Kind.Version]; ok && v != version && r.endpoint.CRD.ConvertsByWebhook() {
		if back, err := r.convert(playground.StageRead, object, v); err == nil {
			object, version = back, v
		}
	}
	var changes []playground.Change
	for _, c := range jsonvalue.Diff(old.request.object.Object, object.Object, nil) {
		if jsonvalue.PathString(c.Path) == "apiVersion" {
			continue
		}
		cause, because := playground.CauseDefaulted, "default of the new schema"
		if c.Op == playground.ChangeRemove {
			_, known := crdschema.NodeAt(version.Schema, c.Path)
			cause, because = playground.CausePruned, "no longer in the schema at "+describeSchemaPath(known)
		}
		changes = append(changes, r.rec.describe(change{c, cause, because}))
	}
	return changes
}
