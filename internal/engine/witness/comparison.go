package witness

import (
	"context"
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crddiff"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Comparison finds objects that tell an accepted CRD and slightly changed ones apart. It keeps what it learns about
// the objects of the CRD. It is not safe for concurrent use.
type Comparison struct {
	types  *crdschema.Types
	crd    *crd.CRD
	target object.Target
	home   *search
	// bare is the CRD without rules; nil until it is needed.
	bare *crd.CRD
}

// NewComparison returns a comparison with an accepted CRD.
func NewComparison(types *crdschema.Types, c *crd.CRD) (*Comparison, error) {
	target, err := newTarget(c)
	home := &search{types: types, old: target, new: target, bases: map[string]map[string]any{}}
	return &Comparison{types, c, target, home, nil}, err
}

// A Change is a changed CRD.
type Change struct {
	CRD *crd.CRD
	// Own is the node at which the rules may differ; nil if they are the same everywhere.
	Own *crd.RuleNode
	// All reports that all rules may differ.
	All bool
}

// Tell returns an object that tells the CRD and a changed one apart, or nil.
func (c *Comparison) Tell(ctx context.Context, change Change) (*mutant.Telling, error) {
	changed, err := newTarget(change.CRD)
	if err != nil {
		return nil, err
	}
	c.home.ctx = ctx
	if change.Own != nil {
		var telling *mutant.Telling
		_ = upstream.Guard(playground.StageCRDValidate, func() error { telling = c.tellRule(ctx, change, changed); return nil })
		return telling, ctx.Err()
	}
	before := c.crd
	if !change.All {
		before = c.withoutRules()
	}
	for _, direction := range []struct {
		old, new      object.Target
		before, after *crd.CRD
	}{{c.target, changed, before, change.CRD}, {changed, c.target, change.CRD, before}} {
		s := &search{
			ctx: ctx, types: c.types, old: direction.old, new: direction.new, home: c.home,
			validation: playground.FieldValidationStrict, attempts: maxAttempts,
		}
		differences, err := crddiff.Between(direction.before.Internal, direction.before.Doc, direction.after)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(differences, func(a, b crddiff.Difference) int { return c.rank(a.Version) - c.rank(b.Version) })
		tried := map[string]bool{}
		for _, d := range differences {
			// Several versions may have the same change.
			key := fmt.Sprint(d.SchemaPath, " ", d.Keyword, string(d.Before), string(d.After))
			if d.SchemaPath != "" && tried[key] {
				continue
			}
			tried[key] = true
			if w := s.findGuarded(d); w != nil {
				return &mutant.Telling{Witness: *w, Accepted: direction.before == before, Old: s.sentBefore(w.Object), Status: s.status}, ctx.Err()
			}
		}
	}
	return nil, ctx.Err()
}

// rank orders versions: those that clients prefer come first.
func (c *Comparison) rank(version string) int { return slices.Index(c.crd.ServedByPriority(), version) }

// withoutRules returns the CRD as it is to be compared with a changed one that has no rules of its own.
func (c *Comparison) withoutRules() *crd.CRD {
	if c.bare == nil {
		c.bare = &crd.CRD{Report: c.crd.Report, Doc: c.crd.Doc, V1: c.crd.V1, Internal: c.crd.WithoutRules()}
	}
	return c.bare
}
