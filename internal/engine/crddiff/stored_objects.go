package crddiff

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// StoredObjects tells what the update of c means to the objects in the
// cluster, by reading and validating them under the old CRD and the new one.
// Documents that are no objects of the CRD are told of elsewhere.
func StoredObjects(ctx context.Context, p feature.Set, c *crd.CRD, s playground.Scenario, now time.Time) ([]playground.StoredObject, error) {
	all := []playground.StoredObject{}
	if c.CompileOld == nil || !c.Report.Accepted {
		return all, nil
	}
	before, err := c.CompileOld()
	if err != nil {
		return all, nil // a CRD that no server could serve has no objects
	}
	file, err := source.Parse(s.OldObject, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return all, nil
	}
	for _, doc := range file.Documents {
		stored, err := object.DecodeStored(doc)
		if doc.Empty() || ctx.Err() != nil || err != nil || !before.Defines(stored) {
			continue
		}
		// A conversion webhook is not called.
		oldConversion, err := object.NewConversion(p, before, s.Conversion, false)
		if err != nil {
			return nil, err
		}
		newConversion, err := object.NewConversion(p, c, s.Conversion, false)
		if err != nil {
			return nil, err
		}
		all = append(all, compareStored(doc, stored,
			object.NewStoredRequest(ctx, before, oldConversion, doc, stored, now),
			object.NewStoredRequest(ctx, c, newConversion, doc, stored, now)))
	}
	return all, nil
}

// compareStored compares a stored object under two CRDs, each by its own request.
func compareStored(doc *source.Document, object *unstructured.Unstructured, old, now *object.Request) playground.StoredObject {
	out := playground.StoredObject{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		Range: doc.Range, Outcome: playground.OutcomePass, Changes: []playground.Change{}, Findings: []playground.Finding{},
	}
	oldErr, newErr := old.ReadStored(), now.ReadStored()
	if newErr != nil {
		out.Outcome, out.Why = unreadable(newErr)
		return out
	}
	if oldErr == nil {
		out.Changes = append(out.Changes, now.ReadDifferences(old)...)
	}
	for _, f := range now.Report.Findings {
		if !old.Reported(f) {
			f.Document = playground.DocumentOldObject
			out.Findings = append(out.Findings, f)
		}
	}
	out.Outcome, out.Why = conclude(out, now)
	return out
}

func unreadable(err error) (playground.Outcome, string) {
	if errors.Is(err, feature.ErrNoWebhook) {
		return playground.OutcomeSkipped, "The conversion webhook would be asked to convert it to the storage version."
	}
	return playground.OutcomeError, "It can no longer be read: " + upstream.StatusOf(err).Message
}

// conclude sums up what the new CRD means to an object that can be read.
func conclude(stored playground.StoredObject, now *object.Request) (playground.Outcome, string) {
	loses := slices.ContainsFunc(stored.Changes, func(c playground.Change) bool { return c.Op == playground.ChangeRemove })
	switch {
	case len(stored.Findings) > 0 && now.AcceptsTouch():
		return playground.OutcomeFail, "Invalid under the new schema; updates are accepted as long as they leave the invalid values as they are."
	case len(stored.Findings) > 0:
		return playground.OutcomeFail, "Invalid under the new schema; no update is accepted that does not mend it."
	case loses:
		return playground.OutcomeFail, "Fields of it are pruned when it is read, and gone once it is written again."
	case len(stored.Changes) > 0:
		return playground.OutcomePass, "Valid under the new schema; reads show more than before."
	case len(now.Report.Findings) > 0:
		return playground.OutcomePass, "As invalid as it was before."
	}
	return playground.OutcomePass, "Valid under the new schema, and read as before."
}
