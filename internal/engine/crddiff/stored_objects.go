package crddiff

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// CompareStoredObjects returns the effects of the update of c on the objects in
// the cluster: it reads and validates them under the old CRD and under c. It
// skips documents that are not objects of the CRD, because other findings
// report them. The responses are Scenario.Conversion, and live permits calls of webhooks.
func CompareStoredObjects(ctx context.Context, c *crd.CRD, old object.OldObjects, responses string, live conversion.Webhooks, now time.Time) ([]playground.StoredObject, error) {
	all := []playground.StoredObject{}
	if c.CompileOld == nil || !c.Report.Accepted {
		return all, nil
	}
	before, err := c.CompileOld()
	if err != nil {
		return all, nil // a CRD that no server can serve has no objects
	}
	documents := old.Documents()
	described := 0
	for i, doc := range documents {
		stored, err := object.DecodeStored(doc)
		if ctx.Err() != nil || err != nil || !before.Defines(stored) {
			continue
		}
		oldConversion, err := customresource.NewConversion(before, responses, live)
		if err != nil {
			return nil, err
		}
		newConversion, err := customresource.NewConversion(c, responses, live)
		if err != nil {
			return nil, err
		}
		oldRead, oldErr := object.ReadStored(ctx, object.Target{CRD: before, Conversion: oldConversion}, doc, stored, now)
		if oldErr != nil {
			oldRead = nil
		}
		read, err := object.ReadStored(ctx, object.Target{CRD: c, Conversion: newConversion}, doc, stored, now)
		compared := compareStored(doc, stored, oldRead, read, err, finding.Share(described, len(documents)-i))
		described += len(compared.Findings)
		all = append(all, compared)
	}
	return all, nil
}

// compareStored compares a stored object under the old CRD and under the new CRD. It
// was read under the new CRD with an error, which may be nil; old is nil if the old
// CRD cannot read it. The report describes at most maxFindings findings.
func compareStored(doc *source.Document, object *unstructured.Unstructured, old, now *object.StoredRead, err error, maxFindings int) playground.StoredObject {
	out := playground.StoredObject{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		Range: doc.Range, Outcome: playground.OutcomePass, Changes: []playground.Change{}, Findings: []playground.Finding{},
		Versions: []playground.ObjectVersion{},
	}
	if err != nil {
		out.Outcome, out.Why = describeReadError(err)
		return out
	}
	out.Versions = append(out.Versions, now.Versions()...)
	if old != nil {
		out.Changes = append(out.Changes, now.Differences(old)...)
	}
	out.Findings = now.NewFindings(old, maxFindings)
	out.Outcome, out.Why = summarize(out, now)
	if refused := now.Applies(); refused != nil && (old == nil || old.Applies() == nil) {
		out.Findings = append(out.Findings, *refused)
		if out.Outcome == playground.OutcomePass {
			out.Outcome, out.Why = playground.OutcomeFail, "The API server refuses each server-side apply to it."
		}
	}
	return out
}

func describeReadError(err error) (playground.Outcome, string) {
	if errors.Is(err, conversion.ErrNoWebhook) {
		return playground.OutcomeSkipped, "The result depends on the conversion webhook, for which the scenario has no response."
	}
	return playground.OutcomeError, "The API server can no longer read it: " + upstream.StatusOf(err).Message
}

// summarize returns the overall effect of the new CRD on an object that is
// still readable.
func summarize(stored playground.StoredObject, now *object.StoredRead) (playground.Outcome, string) {
	loses := slices.ContainsFunc(stored.Changes, func(c playground.Change) bool { return c.Op == playground.ChangeRemove })
	switch {
	case len(stored.Findings) > 0 && now.AcceptsTouch():
		return playground.OutcomeFail, "Invalid under the new schema. The API server accepts updates that leave the invalid values unchanged."
	case len(stored.Findings) > 0:
		return playground.OutcomeFail, "Invalid under the new schema. The API server rejects updates until the object is fixed."
	case loses:
		return playground.OutcomeFail, "Reads prune some fields, and the next write deletes them."
	case len(stored.Changes) > 0:
		return playground.OutcomePass, "Valid under the new schema. Reads return additional fields."
	case !now.IsValid():
		return playground.OutcomePass, "As invalid as under the previous schema."
	}
	return playground.OutcomePass, "Valid under the new schema. Reads are unchanged."
}
