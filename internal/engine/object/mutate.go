package object

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// runMutate runs the mutating admission plugins.
func runMutate(r *Request) error {
	if !r.review.Mutates() {
		r.rec.skip(playground.StageSkipNoMutating)
		return nil
	}
	before := r.rec.snapshot(r.object)
	err := r.review.Mutate(r.ctx, r.attributes(r.object, r.object.GetName()), objectInterfaces(&r.endpoint), r.endpoint.applyTypes)
	m := mutations{schema: r.endpoint.version.Schema, state: before}
	m.explain(r.review.Mutations())
	if err != nil {
		r.rec.record(m.changes...)
		return r.refuseAdmission(playground.StageMutate, err)
	}
	m.explainServerChanges(r.object.Object)
	if !r.review.Applied(true) && len(m.changes) == 0 {
		r.rec.skip(playground.StageSkipUnapplied)
	}
	r.rec.record(m.changes...)
	r.rec.warn(removeDuplicateOwners(r.object)...)
	return nil
}

// mutations explains the changes of an object during mutation: by the policies and
// webhooks, by the defaults after each of them, and by the pruning at the end.
type mutations struct {
	schema  *structuralschema.Structural
	state   any // the explained state of the object
	changes []change
}

// explain explains the changes by policies and webhooks.
func (m *mutations) explain(all []admission.Mutation) {
	for _, mutation := range all {
		m.explainServerChanges(mutation.Before)
		for _, c := range jsonvalue.Diff(mutation.Before, mutation.After, nil) {
			m.changes = append(m.changes, change{c, playground.CauseMutated, mutation.By})
		}
		m.state = mutation.After
	}
}

// explainServerChanges explains the changes that the API server itself made to the
// explained state.
func (m *mutations) explainServerChanges(after any) {
	const converted = "converted between the versions of the request and of the policies and webhooks"
	for _, c := range jsonvalue.Diff(m.state, after, nil) {
		replaced, _ := jsonvalue.At(m.state, c.Path)
		switch {
		case replaced != nil && c.Op == playground.ChangeReplace:
			m.changes = append(m.changes, change{c, playground.CauseConverted, converted})
		case c.Op == playground.ChangeRemove:
			m.changes = append(m.changes, change{c, playground.CausePruned, "pruned after mutation: not in the schema"})
		default:
			m.changes = appendDefault(m.changes, m.schema, m.state, change{c, playground.CauseConverted, converted})
		}
	}
	m.state = after
}
