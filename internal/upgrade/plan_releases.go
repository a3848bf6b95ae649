package upgrade

import (
	"context"
	"fmt"
	"slices"
)

// migrated returns a CRD and its objects after all objects were written again.
func migrated(t *trial, objects []*object) (definition, []*object) {
	after := t.after.clone()
	after.setStored([]string{after.storage()})
	var written []*object
	for _, o := range objects {
		w := *o
		if read, ok := t.written[o].reads[after.storage()]; ok {
			copied := definition(read).clone()
			relabel(copied, fmt.Sprint(after.spec()["group"]), after.names(isAny), after.storage())
			w.stored, w.views = copied.String(), t.written[o]
		}
		written = append(written, &w)
	}
	return after, written
}

// judgeReleases adds the answer to the update from the first to the last revision, and the updates that skip a
// revision which must not be skipped.
func (p *Planner) judgeReleases(ctx context.Context, c *PlannedCRD) error {
	if len(c.Steps) < 2 && len(p.revisions) < 3 {
		return nil
	}
	// states are the CRDs of users who apply each revision, and write all objects again before the next one.
	states := make([]definition, len(p.revisions))
	objects := make([][]*object, len(p.revisions))
	last := len(p.revisions) - 1
	direct := map[[2]int]*Trial{}
	for i, d := range p.revisions {
		if d == nil {
			return nil
		}
		crd, err := parseDefinition(d.Text)
		if err != nil {
			return err
		}
		if i == 0 {
			fresh := Planner{engine: p.engine, options: p.options, revisions: p.revisions, count: p.count}
			for _, o := range p.objects {
				fresh.objects = append(fresh.objects, &object{place: o.place, made: o.made, version: o.version, original: o.original, stored: o.original})
			}
			if _, err := fresh.begin(ctx, 0, d); err != nil {
				return err
			}
			states[0], objects[0] = fresh.state, fresh.objects
			continue
		}
		for from := i - 1; from >= 0; from-- {
			if states[from] == nil {
				continue
			}
			t, err := p.try(ctx, states[from], crd, objects[from])
			if err != nil {
				return err
			}
			direct[[2]int{from, i}] = &t.Trial
			if from == i-1 && t.Rejected == "" {
				states[i], objects[i] = migrated(t, objects[from])
			}
		}
	}
	c.AtOnce = direct[[2]int{0, last}]
	for pair, t := range direct {
		from, to := pair[0], pair[1]
		if to-from < 2 || t.Severity() < Breaks {
			continue
		}
		through := true
		for i := from; i < to; i++ {
			leg := direct[[2]int{i, i + 1}]
			through = through && leg != nil && leg.Severity() < Breaks
		}
		if through {
			c.Skips = append(c.Skips, Skip{from, to, *t})
		}
	}
	slices.SortFunc(c.Skips, func(a, b Skip) int { return (a.From-b.From)*len(p.revisions) + a.To - b.To })
	return nil
}
