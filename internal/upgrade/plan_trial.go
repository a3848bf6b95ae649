package upgrade

import (
	"context"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

const separator = "\n---\n"

// Limits of one request: the engine reads at most 100 objects with 3 MiB.
const (
	maxBatchObjects = 50
	maxBatchBytes   = 2 << 20
)

// addObjects adds the objects of the kind of the CRD.
func (p *Planner) addObjects(in *manifest.Input) {
	kind := p.first().Described
	places := map[string]*manifest.Document{}
	for _, d := range in.Documents {
		if d.IsCRD || d.Kind != kind {
			continue
		}
		_, version, _ := strings.Cut(d.APIVersion, "/")
		o := &object{place: d, version: version, original: d.Text, stored: d.Text}
		key := keyOf(d.Namespace, d.Name, nil)
		switch {
		case d.Name == "":
			p.leaveOut(o, "it has no metadata.name")
		case places[key] != nil:
			p.leaveOut(o, "its name is that of "+position(places[key]))
		default:
			places[key] = d
			p.objects = append(p.objects, o)
		}
	}
}

// leaveOut lists a given object as untried.
func (p *Planner) leaveOut(o *object, why string) {
	p.planned.Untried = append(p.planned.Untried, Untried{o.place.File.Path, o.place.Line + 1, o.place.Name, why})
}

// first returns the first document.
func (p *Planner) first() *manifest.Document {
	return p.revisions[slices.IndexFunc(p.revisions, func(d *manifest.Document) bool { return d != nil })]
}

// A trial is an update of the CRD with the answers for the objects.
type trial struct {
	Trial
	// after is the CRD as the API server stores it; nil if it refuses it.
	after definition
	// views has the reads of the objects before a write. It lacks the objects that the CRD before the update does not
	// define.
	views map[*object]views
	// written has the reads after an update that changes nothing.
	written map[*object]views
	// isReplaced reports that the API server refuses the apply request, but not an update.
	isReplaced bool
	// kept lists the values that apply keeps, because another manager owns them.
	kept []string
}

// try applies crd to a cluster in the state, and then sends an update of each object that changes nothing. If the API
// server refuses the apply request, it tries an update.
func (p *Planner) try(ctx context.Context, state, crd definition, objects []*object) (*trial, error) {
	t, err := p.tryRequest(ctx, state, crd, objects, playground.CRDOperationApply)
	if err != nil || t.Rejected == "" {
		return t, err
	}
	replaced, err := p.tryRequest(ctx, state, crd, objects, playground.CRDOperationUpdate)
	if err != nil || replaced.Rejected != "" {
		return replaced, err
	}
	replaced.isReplaced = true
	return replaced, nil
}

func (p *Planner) tryRequest(ctx context.Context, state, crd definition, objects []*object, operation playground.CRDOperation) (*trial, error) {
	t := &trial{Trial: newTrial(), views: map[*object]views{}, written: map[*object]views{}}
	s := playground.Scenario{
		CRD: crd.String(), OldCRD: state.String(), CRDOperation: operation, CRDForce: operation == playground.CRDOperationApply, CRDStored: true,
		FieldValidation: playground.FieldValidationIgnore,
	}
	// The first request has objects, too: a large CRD takes time.
	first, rest := firstBatch(objects)
	stored, requests := p.requests(first, crd)
	s.OldObject, s.Object, s.Operation = strings.Join(stored, separator), strings.Join(requests, separator), playground.OperationUpdate
	report, err := p.evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, f := range report.CRD.Findings {
		switch {
		case f.Severity == playground.SeverityError:
			t.Errors = append(t.Errors, manifest.Plain(f).Explained())
		case f.Reason == playground.ReasonKept:
			t.kept = append(t.kept, manifest.Plain(f).Explained())
		}
	}
	if !report.CRD.Accepted {
		t.Rejected = strings.TrimSpace(report.CRD.Output)
		return t, nil
	}
	for _, c := range report.CRD.Changes {
		if c.Class != playground.ChangeCompatible && !isPlanned(c.Kind) {
			t.Changes = append(t.Changes, newChange(c))
		}
	}
	if t.after, err = parseDefinition(string(report.CRD.Stored)); err != nil {
		return nil, err
	}
	t.addObjects(report, first)
	for batch := range batches(rest) {
		stored, requests := p.requests(batch, crd)
		s.OldObject, s.Object = strings.Join(stored, separator), strings.Join(requests, separator)
		report, err := p.evaluate(ctx, s)
		if err != nil {
			return nil, err
		}
		t.addObjects(report, batch)
	}
	return t, nil
}

// firstBatch divides objects into those of the first request and the others.
func firstBatch(objects []*object) (first, rest []*object) {
	for batch := range batches(objects) {
		return batch, objects[len(batch):]
	}
	return nil, nil
}

// requests returns stored objects, and the updates that do not change them.
func (p *Planner) requests(objects []*object, crd definition) (stored, requests []string) {
	for _, o := range objects {
		stored, requests = append(stored, o.stored), append(requests, o.request(crd))
	}
	return stored, requests
}

// isPlanned reports whether a kind of change is the purpose of a step, whose effect the objects show.
func isPlanned(kind string) bool {
	return slices.Contains([]string{"version added", "version removed", "version no longer served", "storage version changed", "conversion changed", "deprecation changed"}, kind)
}

func newTrial() Trial { return Trial{Errors: []string{}, Changes: []Change{}, Effects: []Effect{}} }

// newChange returns a change without a place in a file.
func newChange(c playground.CRDChange) Change {
	return Change{Version: c.Version, Field: c.Field, Kind: c.Kind, Class: c.Class, Breaks: c.Breaks, Before: c.Before, After: c.After, Because: c.Because, Witness: c.Witness}
}

// batches divides objects into groups that one request can have.
func batches(objects []*object) func(yield func([]*object) bool) {
	return func(yield func([]*object) bool) {
		start, bytes := 0, 0
		for i, o := range objects {
			if i > start && (i-start == maxBatchObjects || bytes+len(o.stored) > maxBatchBytes) {
				if !yield(objects[start:i]) {
					return
				}
				start, bytes = i, 0
			}
			bytes += len(o.stored)
		}
		if start < len(objects) {
			yield(objects[start:])
		}
	}
}

// addObjects adds what a report says about objects.
func (t *trial) addObjects(report playground.Report, objects []*object) {
	byKey := map[string]*object{}
	for _, o := range objects {
		byKey[o.key(t.after)] = o
	}
	seen := map[*object]playground.StoredObject{}
	for _, r := range report.StoredObjects {
		if o := byKey[keyOf(r.Namespace, r.Name, t.after)]; o != nil {
			seen[o], t.views[o] = r, newViews(r.Versions)
		}
	}
	for _, r := range report.Objects {
		o := byKey[keyOf(r.Namespace, r.Name, t.after)]
		if o == nil {
			continue
		}
		if r.Accepted {
			t.written[o] = newViews(r.Versions)
		}
	}
	for _, o := range objects {
		if r, ok := seen[o]; ok {
			t.add(o.effects(t, r)...)
		}
	}
}

// add adds effects. An effect on an object that crdlab made is left out if another object shows it.
func (t *Trial) add(effects ...Effect) {
	for _, e := range effects {
		isKnown := slices.ContainsFunc(t.Effects, func(other Effect) bool {
			return other.Kind == e.Kind && other.Version == e.Version && slices.Equal(other.Fields, e.Fields) && slices.Equal(other.Errors, e.Errors)
		})
		if e.Made == "" || !isKnown {
			t.Effects = append(t.Effects, e)
		}
	}
}
