package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Planner plans the way of one CRD.
type Planner struct {
	engine    check.Engine
	options   PlanOptions
	revisions []*manifest.Document // nil where the CRD is missing
	planned   PlannedCRD
	objects   []*object
	// state is the CRD in the cluster with its status, and applied the manifest that led to it.
	state, applied definition
	// count is the number of objects that crdlab made.
	count int
}

// NewPlanner returns a planner for a CRD in each of several revisions, which is nil where the CRD is missing. It uses the
// objects of the kind of the CRD.
func NewPlanner(engine check.Engine, revisions []*manifest.Document, objects *manifest.Input, o PlanOptions) *Planner {
	p := &Planner{engine: engine, options: o, revisions: revisions}
	p.planned = PlannedCRD{Name: p.first().Name, Revisions: []string{}, Steps: []Step{}, Skips: []Skip{}, Untried: []Untried{}}
	for _, d := range revisions {
		p.planned.Revisions = append(p.planned.Revisions, positionOf(d))
	}
	p.addObjects(objects)
	return p
}

// Planned returns the steps so far. What concerns all steps is missing until Run returns.
func (p *Planner) Planned() PlannedCRD { return p.planned }

// Run plans all steps. The error is from the engine, or from ctx.
func (p *Planner) Run(ctx context.Context) error {
	for i, d := range p.revisions {
		var err error
		switch {
		case d == nil && p.state == nil:
			continue
		case d == nil:
			p.delete(i)
			p.state, p.objects = nil, nil
		case p.state == nil:
			p.planned.AssumesStored, err = p.begin(ctx, i, d)
		default:
			err = p.advance(ctx, i, d)
		}
		if err != nil {
			return err
		}
		if _, isBlocked := p.planned.Blocked(); isBlocked {
			break
		}
	}
	c := &p.planned
	for _, o := range p.objects {
		c.Objects++
		c.Tried = append(c.Tried, o.original)
		if o.made != "" {
			c.Made++
		}
	}
	return p.judgeReleases(ctx, c)
}

// evaluate evaluates a scenario with the options of the plan.
func (p *Planner) evaluate(ctx context.Context, s playground.Scenario) (playground.Report, error) {
	s.Kubernetes, s.Conversion = p.options.Kubernetes, p.options.Conversion
	return p.engine.Evaluate(ctx, s)
}

// begin creates the CRD of revision i, or takes it as it is in a cluster. assumes reports that its status is not known.
func (p *Planner) begin(ctx context.Context, i int, d *manifest.Document) (assumes bool, err error) {
	if p.state, err = parseDefinition(d.Text); err != nil {
		return false, err
	}
	p.applied = p.state.manifest()
	s := newStep(StepCreate, "Create the CRD", i)
	s.Manifest, s.File = d.Text, position(d)
	s.Commands = commandsOf(draft{kind: StepCreate}, d.File.Path, p.state)
	stored := p.state.stored()
	if metadata, _ := p.state["metadata"].(map[string]any); i > 0 || len(stored) == 0 || metadata["managedFields"] == nil {
		// A manifest is applied as the next ones are.
		report, err := p.evaluate(ctx, playground.Scenario{
			CRD: p.applied.String(), CRDOperation: playground.CRDOperationApply, CRDStored: true, FieldValidation: playground.FieldValidationIgnore,
		})
		if err != nil {
			return false, err
		}
		if !report.CRD.Accepted {
			s.Rejected = strings.TrimSpace(report.CRD.Output)
			p.planned.Steps = append(p.planned.Steps, s)
			return false, nil
		}
		if p.state, err = parseDefinition(string(report.CRD.Stored)); err != nil {
			return false, err
		}
	}
	if i > 0 {
		p.describe(&s)
		p.planned.Steps = append(p.planned.Steps, s)
		return false, p.addSamples(ctx)
	}
	if len(stored) == 0 { // An earlier CRD may have stored objects in any version.
		stored = p.state.names(isAny)
		assumes = len(stored) > 1
	}
	p.state.setStored(stored)
	return assumes, p.addSamples(ctx)
}

func newStep(kind StepKind, title string, revision int) Step {
	return Step{
		Kind: kind, Title: title, Revision: revision, Commands: []string{}, Waits: []string{}, Notes: []string{}, Served: []string{}, Stored: []string{}, Ways: []Way{},
		Trial: newTrial(),
	}
}

// describe adds the state after a step.
func (p *Planner) describe(s *Step) {
	s.Served, s.Storage, s.Stored = p.state.names(isServed), p.state.storage(), p.state.stored()
}

func (p *Planner) delete(i int) {
	s := newStep(StepDelete, "Delete the CRD, with all its objects", i)
	s.Commands = commandsOf(draft{kind: StepDelete}, "", p.state)
	p.planned.Steps = append(p.planned.Steps, s)
}

// advance adds the steps to revision i.
func (p *Planner) advance(ctx context.Context, i int, d *manifest.Document) error {
	target, err := parseDefinition(d.Text)
	if err != nil {
		return err
	}
	all := drafts(p.state, target)
	if len(all) == 0 {
		return nil
	}
	comparisons, err := p.compareNeighbours(ctx, all[0].crd, target)
	if err != nil {
		return err
	}
	for n, next := range all {
		s := newStep(next.kind, next.title, i)
		s.versions = next.versions
		path := fileOf(len(p.planned.Steps)+1, next.kind, next.versions)
		if next.crd != nil {
			s.Manifest, s.File = next.crd.String(), path
			if isSame(next.crd, target) {
				s.Manifest, s.File = d.Text, position(d)
				next.crd = target
				if !strings.Contains(d.File.Path, ":") { // kubectl reads no revisions
					path = d.File.Path
				}
			}
		}
		s.Commands, s.Waits, s.Notes = commandsOf(next, path, p.state), waitsFor(next, p.state, target), notesOn(next)
		if n == 0 {
			s.Conversion = comparisons.sentence(next.crd)
		}
		before := p.state
		if err := p.carryOut(ctx, &s, next); err != nil {
			return err
		}
		if next.kind == StepUpdate && len(next.versions) == 0 && s.Rejected == "" {
			if isSame(before, p.state) {
				continue
			}
			if deprecated := newlyDeprecated(before, p.state); isSame(before, p.state.undeprecated(deprecated)) {
				s.Title = "Deprecate " + joined(deprecated)
			}
		}
		p.describe(&s)
		p.planned.Steps = append(p.planned.Steps, s)
		if s.Rejected != "" {
			return nil
		}
	}
	return nil
}

// carryOut tries a step, and makes its result the state.
func (p *Planner) carryOut(ctx context.Context, s *Step, next draft) error {
	switch next.kind {
	case StepForget:
		for _, o := range p.objects {
			switch left := o.storedVersion(); {
			case !slices.Contains(next.versions, left):
			case o.isOpen:
				s.add(o.effect(EffectUnknown, "", nil))
			default:
				s.add(o.effect(EffectLeft, left, nil))
			}
		}
		p.state = p.state.clone()
		p.state.setStored(withoutAll(p.state.stored(), next.versions))
		return nil
	case StepRewrite:
		return p.rewrite(ctx, s, next.versions)
	default:
		return p.update(ctx, s, next.crd)
	}
}

// update tries a step that is a manifest.
func (p *Planner) update(ctx context.Context, s *Step, crd definition) error {
	t, err := p.try(ctx, p.state, crd, p.objects)
	if err != nil {
		return err
	}
	s.Trial, s.Objects = t.Trial, len(t.views)
	shown, _ := firstBatch(p.objects)
	stored, requests := p.requests(shown, crd)
	s.Scenario = scenarioOf(p.state, s.Manifest, stored, requests)
	if t.Rejected != "" {
		return nil
	}
	if t.isReplaced {
		s.Commands = []string{"kubectl replace -f " + s.Commands[0][strings.LastIndexByte(s.Commands[0], ' ')+1:]}
	}
	for _, kept := range t.kept {
		s.Notes = append(s.Notes, "The apply request keeps what another manager owns: "+kept)
	}
	s.test = testOf(p.state, crd, t, p.objects)
	created, err := p.createAdded(ctx, t.after)
	if err != nil {
		return err
	}
	s.add(created...)
	back, err := p.try(ctx, t.after, p.applied, p.objects)
	if err != nil {
		return err
	}
	back.Effects = slices.DeleteFunc(back.Effects, func(e Effect) bool { return e.Kind != EffectUnreadable && e.Kind != EffectInvalid })
	s.Rollback = &back.Trial
	if s.Ways, err = p.ways(ctx, crd, t.isReplaced); err != nil {
		return err
	}
	for o, v := range t.views {
		o.views = v
	}
	p.state, p.applied = t.after, crd.manifest()
	return nil
}

// rewrite writes all objects at the storage version, and moves the entries of other versions in managedFields.
func (p *Planner) rewrite(ctx context.Context, s *Step, versions []string) error {
	group, version := fmt.Sprint(p.state.spec()["group"]), p.state.requested()
	for batch := range batches(p.objects) {
		var stored, requests []string
		byKey := map[string]*object{}
		for _, o := range batch {
			found, ok := o.reads[version]
			if !ok {
				e := o.effect(EffectUnknown, version, nil)
				if message, isKnown := o.errors[version]; isKnown {
					e.Kind, e.Errors = EffectUnreadable, append(e.Errors, message)
				}
				o.isOpen = e.Kind == EffectUnknown
				s.add(e)
				continue
			}
			read := definition(found).clone()
			relabel(read, group, versions, version)
			stored, requests = append(stored, o.stored), append(requests, read.String())
			byKey[o.key(p.state)] = o
		}
		report, err := p.evaluate(ctx, playground.Scenario{
			CRD: p.state.manifest().String(), OldCRD: p.state.String(), OldObject: strings.Join(stored, separator), Object: strings.Join(requests, separator), Operation: playground.OperationUpdate,
			FieldValidation: playground.FieldValidationIgnore,
		})
		if err != nil {
			return err
		}
		if s.Scenario == nil {
			s.Scenario = scenarioOf(p.state, p.applied.String(), stored, requests)
		}
		for _, r := range report.Objects {
			o := byKey[keyOf(r.Namespace, r.Name, p.state)]
			switch {
			case o == nil:
			case len(r.DependsOn) > 0:
				s.add(o.effect(EffectUnknown, "", nil))
				o.isOpen = true
			case !r.Accepted:
				e := o.effect(EffectInvalid, "", nil)
				e.Errors = append(e.Errors, strings.TrimSpace(r.Output))
				s.add(e)
			default:
				// A webhook may move fields, so the reads tell what it loses.
				if fields := deleted(o.stored, string(r.Stored)); len(fields) > 0 && p.state.strategy() != "Webhook" {
					s.add(o.effect(EffectDeleted, "", fields))
				}
				o.stored = string(r.Stored)
				s.Objects++
			}
		}
	}
	written, err := p.try(ctx, p.state, p.applied, p.objects)
	if err != nil {
		return err
	}
	s.add(written.Effects...)
	for o, v := range written.views {
		o.views = v
	}
	return nil
}

// relabel moves the entries of versions in the managedFields of an object to another version.
func relabel(object definition, group string, versions []string, to string) {
	metadata, _ := object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		if version, _ := entry["apiVersion"].(string); slices.Contains(versions, strings.TrimPrefix(version, group+"/")) {
			entry["apiVersion"] = group + "/" + to
		}
	}
	delete(metadata, "resourceVersion")
}

// ways says which tools apply a manifest. isReplaced reports that the API server refuses a server-side apply.
func (p *Planner) ways(ctx context.Context, crd definition, isReplaced bool) ([]Way, error) {
	apply, serverSide := Way{Tool: ToolApply, Works: true}, Way{Tool: ToolServerSide, Works: !isReplaced}
	if isReplaced {
		serverSide.Why, serverSide.Do = "The API server refuses the request.", "Use kubectl replace."
	}
	s := playground.Scenario{CRD: crd.manifest().String(), CRDOperation: playground.CRDOperationClientApply}
	report, err := p.evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	if !report.CRD.Accepted {
		s.CRDOperation = playground.CRDOperationCreate
		created, err := p.evaluate(ctx, s)
		if err != nil {
			return nil, err
		}
		if created.CRD.Accepted { // Otherwise, the update keeps what a new CRD must not have.
			apply.Works, apply.Why = false, strings.TrimSpace(report.CRD.Output)
			apply.Do = "Use kubectl apply --server-side --force-conflicts, or kubectl replace."
		}
	}
	return []Way{
		apply, serverSide,
		{Tool: ToolHelm, Works: true}, // It sends a merge patch, without the annotation of kubectl apply.
		{Tool: ToolHelmCRDs, Why: helmNeverUpdate, Do: "Run the command before helm upgrade, or make the CRD a template of the chart."},
	}, nil
}
