package object

import (
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/warning"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// validateAll adds the errors of check and, where the API server would
// evaluate them, those of the rules.
func (r *Request) validateAll(check func() field.ErrorList) {
	r.addInvalid(playground.StageValidate, check())
	if r.Version.CELValidator != nil && !isBlocking(r.invalid) {
		r.addInvalid(playground.StageRules, r.validateRules())
	}
}

// ReadDifferences are what a read under the new CRD shows otherwise than one
// under the old CRD; the version at which the objects are read does not count.
func (r *Request) ReadDifferences(old *Request) []playground.Change {
	var changes []playground.Change
	for _, c := range jsonvalue.Diff(old.Object.Object, r.Object.Object, nil) {
		if jsonvalue.PathString(c.Path) == "apiVersion" {
			continue
		}
		cause, because := playground.CauseDefaulted, "default of the new schema"
		if c.Op == playground.ChangeRemove {
			_, known := crdschema.NodeAt(r.Version.Schema, c.Path)
			cause, because = playground.CausePruned, "no longer in the schema at "+describeSchemaPath(known)
		}
		changes = append(changes, r.describeChange(c, cause, because))
	}
	return changes
}

// NewStoredRequest prepares a request under c for an object at the storage version.
func NewStoredRequest(ctx context.Context, c *crd.CRD, conv *conversion, doc *source.Document, object *unstructured.Unstructured, now time.Time) *Request {
	r := &Request{
		crd: c, Doc: doc, now: now, fieldValidation: playground.FieldValidationIgnore, operation: playground.OperationCreate,
		conversion: conv, Version: c.Storage, Object: object, oldStored: object, Report: emptyReport(), stage: &playground.Stage{},
	}
	r.ctx = warning.WithWarningRecorder(ctx, &warningRecorder{request: r})
	return r
}

// ReadStored reads the object from storage and validates it as a new one.
func (r *Request) ReadStored() error {
	return upstream.Guard(playground.StageRead, func() error {
		if !r.crd.Defines(r.oldStored) {
			_, err := r.convert(playground.StageRead, r.oldStored, r.Version)
			return err
		}
		read, err := r.readOld(r.oldStored)
		if err != nil {
			return err
		}
		r.Object = read
		r.validateAll(r.validateCreate)
		return nil
	})
}

// AcceptsTouch reports whether an update is accepted that changes nothing but a
// label of the stored object.
func (r *Request) AcceptsTouch() bool {
	update := NewStoredRequest(r.ctx, r.crd, r.conversion, r.Doc, r.oldStored, r.now)
	err := upstream.Guard(playground.StageValidate, func() error {
		update.operation = playground.OperationUpdate
		update.Old = r.Object
		update.Object = r.Object.DeepCopy()
		labels := maps.Clone(update.Object.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		labels["updated"] = "true"
		update.Object.SetLabels(labels)
		update.validateAll(update.validateUpdate)
		return nil
	})
	return err == nil && len(update.invalid) == 0
}
