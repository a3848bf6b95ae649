package upgrade

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

const separator = "\n---\n"

// Limits of one request: the engine reads at most 100 objects with 3 MiB.
const (
	maxBatchObjects = 50
	maxBatchBytes   = 2 << 20
)

// maxMade is the number of objects that crdlab makes for one comparison of versions.
const maxMade = 20

// A planner plans the way of one CRD.
type planner struct {
	engine    check.Engine
	options   PlanOptions
	revisions []*manifest.Document // nil where the CRD is missing
	objects   []*object
	// state is the CRD in the cluster with its status, and applied the manifest that led to it.
	state, applied definition
	steps          []Step
	// count is the number of objects that crdlab made.
	count int
}

// An object is an object in the cluster.
type object struct {
	place *manifest.Document // nil for an object that crdlab made
	made  string
	// version is the version of an object that crdlab made.
	version string
	// original is the object before the first step, and stored the object as it is stored.
	original, stored string
	views
}

// views are the reads of an object.
type views struct {
	// reads has the object as it is read at each served version.
	reads map[string]map[string]any
	// lost has the stored fields that a version does not show, and changed those that an update at the version changes.
	lost, changed map[string][]string
}

func (o *object) key(state definition) string {
	var meta struct {
		Metadata struct{ Namespace, Name string }
	}
	d, err := parseDefinition(o.stored)
	if err == nil {
		data, _ := json.Marshal(d)
		_ = json.Unmarshal(data, &meta)
	}
	return keyOf(meta.Metadata.Namespace, meta.Metadata.Name, state)
}

func keyOf(namespace, name string, state definition) string {
	if namespace == "" && state.isNamespaced() {
		namespace = "default"
	}
	return namespace + "/" + name
}

// addObjects adds the objects of the kind of the CRD.
func (p *planner) addObjects(in *manifest.Input) {
	kind := p.first().Described
	for _, d := range in.Documents {
		if !d.IsCRD && d.Kind == kind {
			p.objects = append(p.objects, &object{place: d, original: d.Text, stored: d.Text})
		}
	}
}

// first returns the first document.
func (p *planner) first() *manifest.Document {
	return p.revisions[slices.IndexFunc(p.revisions, func(d *manifest.Document) bool { return d != nil })]
}

// A trial is an update of the CRD with the answers for the objects.
type trial struct {
	Trial
	// after is the CRD as the API server stores it; nil if it refuses it.
	after definition
	views map[*object]views
	// stored has the objects after an update that changes nothing, and refused the answers to those that the
	// API server refuses.
	stored, refused map[*object]string
}

// try sends an update of the CRD in the state to crd, and then an update of each object that changes nothing.
func (p *planner) try(ctx context.Context, state, crd definition, objects []*object) (*trial, error) {
	t := &trial{views: map[*object]views{}, stored: map[*object]string{}, refused: map[*object]string{}}
	s := playground.Scenario{CRD: crd.String(), OldCRD: state.String(), CRDStored: true, Conversion: p.options.Conversion, FieldValidation: playground.FieldValidationIgnore}
	report, err := p.engine.Evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	t.Trial = newTrial()
	for _, f := range report.CRD.Findings {
		if f.Severity == playground.SeverityError {
			t.Errors = append(t.Errors, manifest.Plain(f).Explained())
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
	for batch := range batches(objects) {
		if err := p.tryObjects(ctx, s, t, batch); err != nil {
			return nil, err
		}
	}
	return t, nil
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

// tryObjects adds the effects of the update of the CRD in s on objects.
func (p *planner) tryObjects(ctx context.Context, s playground.Scenario, t *trial, objects []*object) error {
	var stored, requests []string
	byKey := map[string]*object{}
	for _, o := range objects {
		stored, requests = append(stored, o.stored), append(requests, o.request(t.after))
		byKey[o.key(t.after)] = o
	}
	s.OldObject, s.Object, s.Operation = strings.Join(stored, separator), strings.Join(requests, separator), playground.OperationUpdate
	report, err := p.engine.Evaluate(ctx, s)
	if err != nil {
		return err
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
			t.stored[o] = string(r.Stored)
		} else {
			t.refused[o] = strings.TrimSpace(r.Output)
		}
	}
	for _, o := range objects {
		t.add(o.effects(t, seen[o])...)
	}
	return nil
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

// request returns the object for an update that changes nothing, at a served version.
func (o *object) request(crd definition) string {
	served := crd.names(isServed)
	if storage := crd.storage(); slices.Contains(served, storage) {
		served = append([]string{storage}, served...)
	}
	for _, version := range served {
		if read, ok := o.reads[version]; ok {
			return definition(read).manifest().String() // without resourceVersion, which another write outdates
		}
	}
	return o.stored
}

func newViews(versions []playground.ObjectVersion) views {
	v := views{map[string]map[string]any{}, map[string][]string{}, map[string][]string{}}
	for _, version := range versions {
		read := map[string]any{}
		if version.Error != "" || json.Unmarshal(version.Object, &read) != nil {
			continue
		}
		v.reads[version.Name] = read
		v.lost[version.Name] = version.Lost
		for _, c := range version.RoundTrip {
			if !slices.Contains(version.Lost, c.Path) {
				v.changed[version.Name] = append(v.changed[version.Name], c.Path)
			}
		}
	}
	return v
}

// effects returns what an update of the CRD does to an object, whose reads are still those from before.
func (o *object) effects(t *trial, r playground.StoredObject) (all []Effect) {
	add := func(kind EffectKind, version string, fields, errors []string) {
		e := o.effect(kind, version, fields)
		e.Errors = append(e.Errors, errors...)
		all = append(all, e)
	}
	errors := []string{}
	for _, f := range r.Findings {
		errors = append(errors, manifest.Plain(f).Explained())
	}
	var lost []string
	for _, c := range r.Changes {
		if c.Op == playground.ChangeRemove {
			lost = append(lost, c.Path)
		}
	}
	switch {
	case r.Outcome == playground.OutcomeSkipped:
		add(EffectUnknown, "", nil, []string{r.Why})
		return all
	case r.Outcome == playground.OutcomeError:
		add(EffectUnreadable, "", nil, []string{r.Why})
		return all
	case len(errors) > 0:
		add(EffectInvalid, "", nil, append([]string{r.Why}, errors...))
	case len(lost) > 0:
		add(EffectLost, "", lost, nil)
	}
	now := t.views[o]
	for _, version := range slices.Sorted(maps.Keys(now.reads)) {
		if before, ok := o.reads[version]; ok && len(lost) == 0 {
			if fields := differences(before, now.reads[version], ""); len(fields) > 0 {
				add(EffectChanged, version, fields, nil)
			}
		}
		if fields := withoutAll(now.lost[version], o.lost[version]); len(fields) > 0 {
			add(EffectLost, version, fields, nil)
		}
		if fields := withoutAll(now.changed[version], o.changed[version]); len(fields) > 0 {
			add(EffectRoundTrip, version, fields, nil)
		}
	}
	return all
}

func (o *object) effect(kind EffectKind, version string, fields []string) Effect {
	e := Effect{Made: o.made, Version: version, Kind: kind, Fields: append([]string{}, fields...), Errors: []string{}}
	if o.place != nil {
		e.Path, e.Line, e.Namespace, e.Name = o.place.File.Path, o.place.Line+1, o.place.Namespace, o.place.Name
	}
	return e
}

// differences lists the fields that differ, without the metadata that the API server sets.
func differences(a, b map[string]any, path string) (all []string) {
	names := slices.Sorted(maps.Keys(a))
	for name := range maps.Keys(b) {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		field := strings.TrimPrefix(path+"."+name, ".")
		x, isMap := a[name].(map[string]any)
		y, areMaps := b[name].(map[string]any)
		switch {
		case field == "metadata" || field == "apiVersion":
		case isMap && areMaps:
			all = append(all, differences(x, y, field)...)
		case !reflect.DeepEqual(a[name], b[name]):
			all = append(all, field)
		}
	}
	return all
}

// create lets clients create objects, and passes on the answers about the accepted ones.
func (p *planner) create(ctx context.Context, crd definition, objects []*object, accept func(*object, playground.Object)) error {
	for batch := range batches(objects) {
		var texts []string
		byKey := map[string]*object{}
		for _, o := range batch {
			texts = append(texts, o.original)
			byKey[o.key(crd)] = o
		}
		report, err := p.engine.Evaluate(ctx, playground.Scenario{
			CRD: crd.manifest().String(), Object: strings.Join(texts, separator), Conversion: p.options.Conversion, FieldValidation: playground.FieldValidationIgnore,
		})
		if err != nil {
			return err
		}
		for _, r := range report.Objects {
			if o := byKey[keyOf(r.Namespace, r.Name, crd)]; o != nil && r.Accepted {
				accept(o, r)
			}
		}
	}
	return nil
}

// A comparison compares the schemas of two versions.
type comparison struct {
	// differences has the changes that are not certainly compatible.
	differences []playground.CRDChange
	// made has objects that the first version accepts, and the second one refuses or changes.
	made []*object
	err  string
}

// compareVersions compares the schema of a version of one CRD with the schema of a version of another.
func (p *planner) compareVersions(ctx context.Context, a definition, from string, b definition, to string) (comparison, error) {
	var c comparison
	old, changed := a.between(from, to), b.between(to, to)
	if old == nil || changed == nil {
		return c, nil
	}
	report, err := p.engine.Evaluate(ctx, playground.Scenario{OldCRD: old.String(), CRD: changed.String()})
	if err != nil {
		return c, err
	}
	if !report.CRD.Accepted {
		c.err = strings.TrimSpace(report.CRD.Output)
	}
	for _, change := range report.CRD.Changes {
		if change.Class == playground.ChangeCompatible {
			continue
		}
		c.differences = append(c.differences, change)
		if change.Witness != nil && len(c.made) < maxMade {
			c.made = append(c.made, p.newMade(change.Witness.Object, from))
		}
	}
	return c, nil
}

// newMade returns an object that crdlab made, at a version and with a name of its own.
func (p *planner) newMade(text, version string) *object {
	d, err := parseDefinition(text)
	if err != nil {
		return &object{made: text, version: version, original: text, stored: text}
	}
	group, _, _ := strings.Cut(fmt.Sprint(d["apiVersion"]), "/")
	d["apiVersion"] = group + "/" + version
	metadata, ok := d["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		d["metadata"] = metadata
	}
	made := d.String()
	p.count++
	metadata["name"] = fmt.Sprintf("crdlab-%d", p.count)
	delete(metadata, "generateName")
	return &object{made: made, version: version, original: d.String(), stored: d.String()}
}
