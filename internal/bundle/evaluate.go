package bundle

import (
	"context"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// MaxOthers limits the CRDs of a document that are evaluated besides the chosen one: the engine's
// cache of CRDs holds one more.
const MaxOthers = 15

// An EvaluateEach evaluates the scenario of the CRD with an index, as engine.Engine.Evaluate does.
type EvaluateEach func(ctx context.Context, index int, s playground.Scenario) (playground.Report, error)

// Others remembers the reports on the CRDs that are not chosen: most edits change the chosen one
// only. The zero value is ready for use. It is not used concurrently.
type Others struct{ known map[int]evaluated }

type evaluated struct {
	scenario playground.Scenario
	report   playground.Report
}

// report returns the report on a scenario if it is known.
func (o *Others) report(index int, s playground.Scenario) (playground.Report, bool) {
	known, ok := o.known[index]
	return known.report, ok && known.scenario == s
}

func (o *Others) add(index int, s playground.Scenario, report playground.Report) {
	if o.known == nil {
		o.known = map[int]evaluated{}
	}
	o.known[index] = evaluated{s, report}
}

// Evaluate evaluates the chosen CRD and the first [MaxOthers] of the others, each with the objects
// of its kind. others has known reports, to which it adds at most limit. isComplete reports that
// none is missing.
func (b *Bundle) Evaluate(ctx context.Context, each EvaluateEach, others *Others, limit int) (report playground.Report, isComplete bool, err error) {
	if b.Len() == 1 {
		report, err = each(ctx, 0, b.At(0))
		return report, true, err
	}
	if err := b.Follow(ctx, each); err != nil {
		return report, false, err
	}
	if report, err = each(ctx, b.chosen, b.At(b.chosen)); err != nil {
		return report, false, err
	}
	report.CRD.Candidates = []playground.Candidate{}
	missing := 0
	for i, crd := range b.crds.all {
		candidate := playground.Candidate{Name: crd.name, Chosen: i == b.chosen, Range: crd.document.Range, Objects: b.objects.count(i)}
		if !candidate.Chosen && i <= MaxOthers {
			s := b.At(i)
			s.Schemas, s.Releases, s.CRDStored = false, false, false
			other, known := others.report(i, s)
			if !known && limit > 0 {
				if other, err = each(ctx, i, s); err != nil {
					return report, false, err
				}
				other.Timing = playground.Timing{}
				others.add(i, s, other)
				known, limit = true, limit-1
			}
			if known {
				candidate.Report = &other
			} else {
				missing++
			}
		}
		report.CRD.Candidates = append(report.CRD.Candidates, candidate)
	}
	return report, missing == 0, nil
}

// Follow makes each CRD whose name an earlier one has an update of it, and gives the objects to the
// CRD of the name that is in force after all updates.
func (b *Bundle) Follow(ctx context.Context, each EvaluateEach) error {
	b.updated = map[int]int{}
	named := map[string][]int{}
	for i, crd := range b.crds.all {
		named[crd.name] = append(named[crd.name], i)
	}
	for _, indexes := range named {
		if len(indexes) == 1 {
			continue
		}
		var updates Updates
		for _, index := range indexes {
			if old := updates.Updated(); old >= 0 {
				b.updated[index] = indexes[old]
			}
			s := b.At(index)
			s.Object, s.OldObject = "", ""
			report, err := each(ctx, index, s)
			if err != nil {
				return err
			}
			updates = append(updates, report.CRD.Accepted)
		}
		for _, o := range []*objects{b.objects, b.oldObjects} {
			for d, owner := range o.owners {
				if slices.Contains(indexes, owner) {
					o.owners[d] = indexes[updates.InForce()]
				}
			}
		}
	}
	return nil
}

// Updates tells which requests for CRDs of one name were accepted, in their order. Each request
// updates the CRD in force.
type Updates []bool

// Updated returns the index of the CRD that the next request updates, or -1.
func (u Updates) Updated() int {
	for i, isAccepted := range slices.Backward(u) {
		if isAccepted {
			return i
		}
	}
	return -1
}

// InForce returns the index of the CRD of the objects: after a refused update, the CRD
// before it. If none is accepted, it is the last, under which nothing is judged. There must be a
// request.
func (u Updates) InForce() int {
	if i := u.Updated(); i >= 0 {
		return i
	}
	return len(u) - 1
}
