package object

import (
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// NewStoredRequest returns a request under a CRD for an object at the storage
// version. It has no stages; [Request.ReadStored] reads and validates the object.
func NewStoredRequest(ctx context.Context, target Target, doc *source.Document, object *unstructured.Unstructured, now time.Time) *Request {
	o := options{operation: playground.OperationCreate, fieldValidation: playground.FieldValidationIgnore, now: now}
	r := newRequest(ctx, target, o, doc)
	r.endpoint.version = target.CRD.Storage
	r.object = object
	r.old.stored = object
	return r
}

// ReadStored reads the object from storage and validates it as a new one.
func (r *Request) ReadStored() error {
	return upstream.Guard(playground.StageRead, func() error {
		if !r.endpoint.CRD.Defines(r.old.stored) {
			_, err := r.convert(playground.StageRead, r.old.stored, r.endpoint.version)
			return err
		}
		read, err := r.readOld(r.old.stored)
		if err != nil {
			return err
		}
		r.object = read
		r.validateAll(validateCreate(r.ctx, r.endpoint.version, read))
		return nil
	})
}

// AcceptsTouch reports whether the API server accepts an update that changes only a
// label of the stored object.
func (r *Request) AcceptsTouch() bool {
	update := NewStoredRequest(r.ctx, r.endpoint.Target, r.rec.doc, r.old.stored, r.options.now)
	err := upstream.Guard(playground.StageValidate, func() error {
		update.options.operation = playground.OperationUpdate
		update.old.object = r.object
		update.object = withLabel(r.object, "updated", "true")
		update.validateAll(validateUpdate(update.ctx, update.endpoint.version, update.object, update.old.object, playground.OperationUpdate))
		return nil
	})
	return err == nil && len(update.invalid) == 0
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

// validateAll adds the errors of validation and, where the API server would
// evaluate the rules, their errors.
func (r *Request) validateAll(errs field.ErrorList) {
	r.addInvalid(playground.StageValidate, errs)
	if r.endpoint.version.CELValidator != nil && !isBlocking(r.invalid) {
		errs, _ := validateRules(r.ctx, r.endpoint.version, r.object, r.old.object)
		r.addInvalid(playground.StageRules, errs)
	}
}

// Findings returns the findings of the request so far.
func (r *Request) Findings() []playground.Finding { return r.rec.report.Findings }

// IsReported reports whether the request has a finding about the same error.
func (r *Request) IsReported(f playground.Finding) bool { return r.rec.isReported(f) }

// ReadDifferences returns the differences between an object as read under the old
// CRD and under the new CRD of r. It ignores the version of the objects.
func (r *Request) ReadDifferences(old *Request) []playground.Change {
	var changes []playground.Change
	for _, c := range jsonvalue.Diff(old.object.Object, r.object.Object, nil) {
		if jsonvalue.PathString(c.Path) == "apiVersion" {
			continue
		}
		cause, because := playground.CauseDefaulted, "default of the new schema"
		if c.Op == playground.ChangeRemove {
			_, known := crdschema.NodeAt(r.endpoint.version.Schema, c.Path)
			cause, because = playground.CausePruned, "no longer in the schema at "+describeSchemaPath(known)
		}
		changes = append(changes, r.rec.describe(change{c, cause, because}))
	}
	return changes
}
