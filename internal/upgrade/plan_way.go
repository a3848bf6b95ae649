package upgrade

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// plan returns the steps for a CRD.
func (p *planner) plan(ctx context.Context) (PlannedCRD, error) {
	c := PlannedCRD{Name: p.first().Name, Revisions: []string{}, Steps: []Step{}, Skips: []Skip{}}
	for _, d := range p.revisions {
		c.Revisions = append(c.Revisions, positionOf(d))
	}
	for i, d := range p.revisions {
		var err error
		switch {
		case d == nil && p.state == nil:
			continue
		case d == nil:
			p.delete(i)
			p.state, p.objects = nil, nil
		case p.state == nil:
			c.AssumesStored, err = p.begin(ctx, i, d)
		default:
			err = p.advance(ctx, i, d)
		}
		if err != nil {
			return c, err
		}
		if n := len(p.steps); n > 0 && p.steps[n-1].Rejected != "" {
			break
		}
	}
	c.Steps = append(c.Steps, p.steps...)
	for _, o := range p.objects {
		c.Objects++
		c.Tried = append(c.Tried, o.original)
		if o.made != "" {
			c.Made++
		}
	}
	err := p.judgeReleases(ctx, &c)
	return c, err
}

// begin creates the CRD of revision i, or takes it as it is in a cluster. assumes reports that its status is not known.
func (p *planner) begin(ctx context.Context, i int, d *manifest.Document) (assumes bool, err error) {
	if p.state, err = parseDefinition(d.Text); err != nil {
		return false, err
	}
	p.applied = p.state.manifest()
	if i > 0 {
		s := newStep(StepCreate, "Create the CRD", i)
		s.Manifest, s.File = d.Text, position(d)
		s.Commands = commandsOf(draft{kind: StepCreate}, d.File.Path, p.state)
		p.describe(&s)
		p.steps = append(p.steps, s)
	}
	stored := p.state.stored()
	if metadata, _ := p.state["metadata"].(map[string]any); len(stored) == 0 || metadata["managedFields"] == nil {
		// A manifest was applied as the next ones are.
		report, err := p.engine.Evaluate(ctx, playground.Scenario{
			CRD: p.applied.String(), CRDOperation: playground.CRDOperationApply, CRDStored: true, FieldValidation: playground.FieldValidationIgnore,
		})
		if err != nil {
			return false, err
		}
		if !report.CRD.Accepted {
			s := newStep(StepCreate, "Create the CRD", i)
			s.Manifest, s.File, s.Rejected = d.Text, position(d), strings.TrimSpace(report.CRD.Output)
			p.steps = append(p.steps, s)
			return false, nil
		}
		if p.state, err = parseDefinition(string(report.CRD.Stored)); err != nil {
			return false, err
		}
		if len(stored) == 0 { // An earlier CRD may have stored objects in any version.
			stored = p.state.names(isAny)
			assumes = len(stored) > 1
		}
		p.state.setStored(stored)
	}
	return assumes, p.addSamples(ctx)
}

// addSamples adds samples of each version that clients can write, and reads all objects. It leaves out the made
// objects that the API server does not accept.
func (p *planner) addSamples(ctx context.Context) error {
	for _, version := range p.state.names(isServed) {
		samples, err := p.samples(ctx, p.state, version)
		if err != nil {
			return err
		}
		p.objects = append(p.objects, samples...)
	}
	var err error
	p.objects, err = p.read(ctx, p.objects)
	return err
}

// samples returns objects that crdlab makes for a version: one with few fields, and one with all of them.
func (p *planner) samples(ctx context.Context, d definition, version string) (all []*object, err error) {
	for _, full := range []bool{false, true} {
		response, err := p.options.Assist(ctx, playground.AssistRequest{Sample: &playground.SampleRequest{CRD: d.manifest().String(), Version: version, Full: full}})
		if err != nil {
			return nil, err
		}
		text := uncommented(response.Sample.Object)
		if text != "" && (len(all) == 0 || text != all[0].made) {
			all = append(all, p.newMade(text, version))
		}
	}
	return all, nil
}

// comment matches the sign before an optional field of a sample, whose descriptions have two of them.
var comment = regexp.MustCompile(`^( *)# ?([^#].*|$)`)

// uncommented returns a sample with its optional fields.
func uncommented(text string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		for comment.MatchString(line) {
			line = comment.ReplaceAllString(line, "$1$2")
		}
		if !strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// read returns the objects with their present reads, without the made ones that the API server refuses.
func (p *planner) read(ctx context.Context, objects []*object) ([]*object, error) {
	objects, err := p.storeMade(ctx, objects)
	if err != nil {
		return nil, err
	}
	t, err := p.try(ctx, p.state, p.applied, objects)
	if err != nil || t.Rejected != "" {
		return objects, err
	}
	for _, o := range objects {
		o.views = t.views[o]
	}
	return objects, nil
}

// storeMade creates the objects that crdlab made while their version is the storage version. It leaves out the ones
// that the API server refuses.
func (p *planner) storeMade(ctx context.Context, objects []*object) (kept []*object, err error) {
	created := map[*object]string{}
	for _, version := range p.state.names(isAny) {
		then := p.state.manifest()
		then.setStorage(version)
		then.version(version)["served"] = true
		ofVersion := slices.DeleteFunc(slices.Clone(objects), func(o *object) bool { return o.made == "" || o.version != version })
		err := p.create(ctx, then, ofVersion, func(o *object, r playground.Object) { created[o] = string(r.Stored) })
		if err != nil {
			return nil, err
		}
	}
	for _, o := range objects {
		if stored, ok := created[o]; ok {
			o.stored = stored
		} else if o.made != "" {
			continue
		}
		kept = append(kept, o)
	}
	return kept, nil
}

func newStep(kind StepKind, title string, revision int) Step {
	return Step{
		Kind: kind, Title: title, Revision: revision, Commands: []string{}, Waits: []string{}, Notes: []string{}, Served: []string{}, Stored: []string{}, Ways: []Way{},
		Trial: newTrial(),
	}
}

// describe adds the state after a step.
func (p *planner) describe(s *Step) {
	s.Served, s.Storage, s.Stored = p.state.names(isServed), p.state.storage(), p.state.stored()
}

func (p *planner) delete(i int) {
	s := newStep(StepDelete, "Delete the CRD, with all its objects", i)
	s.Commands = commandsOf(draft{kind: StepDelete}, "", p.state)
	p.steps = append(p.steps, s)
}

// advance adds the steps to revision i.
func (p *planner) advance(ctx context.Context, i int, d *manifest.Document) error {
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
		path := fileOf(len(p.steps)+1, next.kind, next.versions)
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
		p.steps = append(p.steps, s)
		if s.Rejected != "" {
			return nil
		}
	}
	return nil
}

// carryOut tries a step, and makes its result the state.
func (p *planner) carryOut(ctx context.Context, s *Step, next draft) error {
	switch next.kind {
	case StepForget:
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
func (p *planner) update(ctx context.Context, s *Step, crd definition) error {
	t, err := p.try(ctx, p.state, crd, p.objects)
	if err != nil {
		return err
	}
	s.Trial = t.Trial
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

// createAdded creates objects at the versions that are new.
func (p *planner) createAdded(ctx context.Context, after definition) ([]Effect, error) {
	var added []*object
	for _, version := range after.names(isServed) {
		if p.state.version(version) != nil || version == after.storage() {
			continue
		}
		back, err := p.compareVersions(ctx, after, version, after.storage())
		if err != nil {
			return nil, err
		}
		added = append(added, back.made...)
		samples, err := p.samples(ctx, after, version)
		if err != nil {
			return nil, err
		}
		added = append(added, samples...)
	}
	var lost []Effect
	err := p.create(ctx, after, added, func(o *object, r playground.Object) {
		if len(r.DependsOn) > 0 {
			lost = append(lost, o.effect(EffectUnknown, o.version, nil))
			return
		}
		validated := map[string]any{}
		read, ok := newViews(r.Versions).reads[o.version]
		if !ok || json.Unmarshal(r.Validated, &validated) != nil {
			return
		}
		if fields := differences(validated, read, ""); len(fields) > 0 {
			lost = append(lost, o.effect(EffectUnstored, o.version, fields))
		}
	})
	return lost, err
}

// rewrite writes all objects at the storage version, and moves the entries of other versions in managedFields.
func (p *planner) rewrite(ctx context.Context, s *Step, versions []string) error {
	group, storage := fmt.Sprint(p.state.spec()["group"]), p.state.storage()
	for batch := range batches(p.objects) {
		var stored, requests []string
		byKey := map[string]*object{}
		for _, o := range batch {
			read := definition(o.reads[storage]).clone()
			relabel(read, group, versions, storage)
			stored, requests = append(stored, o.stored), append(requests, read.String())
			byKey[o.key(p.state)] = o
		}
		report, err := p.engine.Evaluate(ctx, playground.Scenario{
			CRD: p.state.manifest().String(), OldCRD: p.state.String(), OldObject: strings.Join(stored, separator), Object: strings.Join(requests, separator), Operation: playground.OperationUpdate,
			Conversion: p.options.Conversion, FieldValidation: playground.FieldValidationIgnore,
		})
		if err != nil {
			return err
		}
		for _, r := range report.Objects {
			o := byKey[keyOf(r.Namespace, r.Name, p.state)]
			switch {
			case o == nil:
			case len(r.DependsOn) > 0:
				s.add(o.effect(EffectUnknown, "", nil))
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

// deleted lists the fields that a stored object no longer has.
func deleted(before, after string) []string {
	a, err := parseDefinition(before)
	if err != nil {
		return nil
	}
	b, err := parseDefinition(after)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(missing(map[string]any(a), map[string]any(b), ""), isOfServer)
}

// missing lists the values of a that b does not have.
func missing(a, b any, path string) (all []string) {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok {
			return []string{path}
		}
		for _, name := range slices.Sorted(maps.Keys(a)) {
			field := strings.TrimPrefix(path+"."+name, ".")
			if value, ok := other[name]; ok {
				all = append(all, missing(a[name], value, field)...)
			} else {
				all = append(all, field)
			}
		}
	case []any:
		other, ok := b.([]any)
		if !ok || len(a) != len(other) {
			return []string{path}
		}
		for i := range a {
			all = append(all, missing(a[i], other[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
	default:
		if !reflect.DeepEqual(a, b) {
			all = append(all, path)
		}
	}
	return all
}

// comparisons compare versions of a CRD, in both directions.
type comparisons struct {
	names []string // of the compared versions
	// breaking and uncertain have a clause for each direction in which the versions differ.
	breaking, uncertain []string
}

// compareNeighbours compares the versions of a step that go, or lose the storage, with the storage version of the
// revision. It adds objects at the boundary between them.
func (p *planner) compareNeighbours(ctx context.Context, crd, target definition) (comparisons, error) {
	var all comparisons
	if crd == nil {
		return all, nil
	}
	var made []*object
	wanted := target.storage()
	add := func(from, to string, c comparison) {
		if len(c.breaking) > 0 {
			all.breaking = append(all.breaking, fmt.Sprintf("from %s to %s: %s", from, to, fieldsOf(c.breaking)))
		}
		if len(c.uncertain) > 0 {
			all.uncertain = append(all.uncertain, fmt.Sprintf("from %s to %s: %s", from, to, fieldsOf(c.uncertain)))
		}
	}
	for _, name := range p.state.names(isAny) {
		if name == wanted || crd.version(name) == nil || target.version(name) != nil && name != p.state.storage() {
			continue
		}
		forward, err := p.compareVersions(ctx, crd, name, wanted)
		if err != nil {
			return all, err
		}
		backward, err := p.compareVersions(ctx, crd, wanted, name)
		if err != nil {
			return all, err
		}
		made = append(made, forward.made...)
		all.names = append(all.names, name)
		add(name, wanted, forward)
		add(wanted, name, backward)
	}
	if len(all.names) > 0 {
		all.names = append(all.names, wanted)
	}
	made, err := p.read(ctx, made)
	p.objects = append(p.objects, made...)
	return all, err
}

// maxFields is the number of fields that a sentence names.
const maxFields = 8

// sentence says whether the conversion of a CRD keeps all fields.
func (c comparisons) sentence(crd definition) string {
	if len(c.names) == 0 || crd == nil {
		return ""
	}
	versions := joined(c.names)
	breaking, uncertain := strings.Join(c.breaking, "; "), strings.Join(c.uncertain, "; ")
	switch isNone := crd.strategy() != "Webhook"; {
	case breaking == "" && uncertain == "":
		return fmt.Sprintf("The strategy None is enough: %s accept the same objects and keep the same fields.", versions)
	case breaking == "":
		return fmt.Sprintf("crdlab found no object that %s treat differently, but it is not certain that there is none: %s.", versions, uncertain)
	case isNone:
		return fmt.Sprintf("The strategy None changes only the apiVersion, but %s differ. Declare the fields alike in all of them, or convert them with a webhook: %s.", versions, breaking)
	default:
		return fmt.Sprintf("The webhook has to convert what differs between %s: %s.", versions, breaking)
	}
}

// fieldsOf names the fields of changes: "field removed at spec.size".
func fieldsOf(changes []playground.CRDChange) string {
	var fields []string
	for _, c := range changes {
		field := c.Kind
		if c.SchemaPath != "" {
			field += " at " + strings.NewReplacer(".properties[", ".", "properties[", "", "]", "", ".items", "[]").Replace(c.SchemaPath)
		}
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if len(fields) > maxFields {
		fields = append(fields[:maxFields], fmt.Sprintf("%d more", len(fields)-maxFields))
	}
	return strings.Join(fields, ", ")
}

// ways says which tools apply a manifest. isReplaced reports that the API server refuses a server-side apply.
func (p *planner) ways(ctx context.Context, crd definition, isReplaced bool) ([]Way, error) {
	apply, serverSide := Way{Tool: ToolApply, Works: true}, Way{Tool: ToolServerSide, Works: !isReplaced}
	if isReplaced {
		serverSide.Why, serverSide.Do = "The API server refuses the request.", "Use kubectl replace."
	}
	s := playground.Scenario{CRD: crd.manifest().String(), CRDOperation: playground.CRDOperationClientApply}
	report, err := p.engine.Evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	if !report.CRD.Accepted {
		s.CRDOperation = playground.CRDOperationCreate
		created, err := p.engine.Evaluate(ctx, s)
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
func (p *planner) judgeReleases(ctx context.Context, c *PlannedCRD) error {
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
			fresh := planner{engine: p.engine, options: p.options, revisions: p.revisions}
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
