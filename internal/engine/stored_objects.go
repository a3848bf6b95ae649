package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/warning"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// storedObjects tells what the update of c means to the objects in the
// cluster, by reading and validating them under the old CRD and the new one.
// Documents that are no objects of the CRD are told of elsewhere.
func (p Parts) storedObjects(ctx context.Context, c *crd, s playground.Scenario, now time.Time) ([]playground.StoredObject, error) {
	all := []playground.StoredObject{}
	if c.before == nil || !c.report.Accepted {
		return all, nil
	}
	before, err := c.before()
	if err != nil {
		return all, nil // a CRD that no server could serve has no objects
	}
	file, err := source.Parse(s.OldObject, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return all, nil
	}
	for _, doc := range file.Documents {
		object, err := decodeStored(doc)
		if doc.Empty() || ctx.Err() != nil || err != nil || !before.stores(object) {
			continue
		}
		e := examination{parts: p, ctx: ctx, doc: doc, object: object, conversion: s.Conversion, now: now}
		stored, err := e.compare(before, c)
		if err != nil {
			return nil, err
		}
		all = append(all, stored)
	}
	return all, nil
}

// examination is one stored object under two CRDs.
type examination struct {
	parts      Parts
	ctx        context.Context
	doc        *source.Document
	object     *unstructured.Unstructured
	conversion string
	now        time.Time
}

func (e *examination) compare(before, after *crd) (playground.StoredObject, error) {
	out := playground.StoredObject{
		APIVersion: e.object.GetAPIVersion(), Kind: e.object.GetKind(), Namespace: e.object.GetNamespace(), Name: e.object.GetName(),
		Range: e.doc.Range, Outcome: playground.OutcomePass, Changes: []playground.Change{}, Findings: []playground.Finding{},
	}
	old, err := e.request(before)
	if err != nil {
		return out, err
	}
	now, err := e.request(after)
	if err != nil {
		return out, err
	}
	oldErr, newErr := e.examine(old), e.examine(now)
	if newErr != nil {
		out.Outcome, out.Why = unreadable(newErr)
		return out, nil
	}
	if oldErr == nil {
		out.Changes = append(out.Changes, now.readDifferences(old)...)
	}
	for _, f := range now.report.Findings {
		if !old.reported(f) {
			f.Document = playground.DocumentOldObject
			out.Findings = append(out.Findings, f)
		}
	}
	out.Outcome, out.Why = e.conclude(out, now)
	return out, nil
}

// request is a request under c for the object at the storage version.
func (e *examination) request(c *crd) (*request, error) {
	conv, err := e.parts.newConversion(c, e.conversion, false) // a webhook would be asked, not called
	if err != nil {
		return nil, err
	}
	r := &request{
		parts: e.parts, crd: c, doc: e.doc, now: e.now, fieldValidation: playground.FieldValidationIgnore, operation: playground.OperationCreate,
		conversion: conv, version: c.storage, object: e.object, report: emptyObjectReport(), stage: &playground.Stage{},
	}
	r.ctx = warning.WithWarningRecorder(e.ctx, &warningRecorder{request: r})
	return r, nil
}

// examine reads the object from the storage and validates it as if it were
// new.
func (e *examination) examine(r *request) error {
	return upstream.Guard(playground.StageRead, func() error {
		if !r.crd.stores(e.object) {
			_, err := r.convert(playground.StageRead, e.object, r.version)
			return err
		}
		read, err := r.readOld(e.object)
		if err != nil {
			return err
		}
		r.object = read
		r.validateAll(r.validateCreate)
		return nil
	})
}

// validateAll adds the errors of check and, where the API server would
// evaluate them, those of the rules.
func (r *request) validateAll(check func() field.ErrorList) {
	r.addInvalid(playground.StageValidate, check())
	if r.version.celRules != nil && !isBlocking(r.invalid) {
		r.addInvalid(playground.StageRules, r.validateRules())
	}
}

func unreadable(err error) (playground.Outcome, string) {
	if errors.Is(err, ErrNoWebhook) {
		return playground.OutcomeSkipped, "The conversion webhook would be asked to convert it to the storage version."
	}
	return playground.OutcomeError, "It can no longer be read: " + upstream.StatusOf(err).Message
}

// readDifferences are what a read under the new CRD shows otherwise than one
// under the old CRD; the version at which the objects are read does not count.
func (r *request) readDifferences(old *request) []playground.Change {
	var changes []playground.Change
	for _, c := range diff(old.object.Object, r.object.Object, nil) {
		if valuePath(c.path) == "apiVersion" {
			continue
		}
		because := "default of the new schema"
		if c.op == playground.ChangeRemove {
			_, known := schemaAt(r.version.schema, c.path)
			because = "no longer in the schema at " + describeSchemaPath(known)
		}
		changes = append(changes, r.describeChange(c, because))
	}
	return changes
}

// conclude sums up what the new CRD means to an object that can be read.
func (e *examination) conclude(stored playground.StoredObject, now *request) (playground.Outcome, string) {
	loses := slices.ContainsFunc(stored.Changes, func(c playground.Change) bool { return c.Op == playground.ChangeRemove })
	switch {
	case len(stored.Findings) > 0 && e.updatable(now):
		return playground.OutcomeFail, "Invalid under the new schema; updates are accepted as long as they leave the invalid values as they are."
	case len(stored.Findings) > 0:
		return playground.OutcomeFail, "Invalid under the new schema; no update is accepted that does not mend it."
	case loses:
		return playground.OutcomeFail, "Fields of it are pruned when it is read, and gone once it is written again."
	case len(stored.Changes) > 0:
		return playground.OutcomePass, "Valid under the new schema; reads show more than before."
	case len(now.report.Findings) > 0:
		return playground.OutcomePass, "As invalid as it was before."
	}
	return playground.OutcomePass, "Valid under the new schema, and read as before."
}

// updatable says whether an update is accepted that leaves everything but a
// label as it is.
func (e *examination) updatable(now *request) bool {
	r, err := e.request(now.crd)
	if err != nil {
		return false
	}
	err = upstream.Guard(playground.StageValidate, func() error {
		r.operation = playground.OperationUpdate
		r.old, r.oldStored = now.object, e.object
		r.object = now.object.DeepCopy()
		labels := maps.Clone(r.object.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		labels["updated"] = "true"
		r.object.SetLabels(labels)
		r.validateAll(r.validateUpdate)
		return nil
	})
	return err == nil && len(r.invalid) == 0
}
