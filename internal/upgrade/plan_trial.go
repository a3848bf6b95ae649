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
	// errors has the answer at a version that cannot be read, and unknown the versions that depend on the webhook.
	errors  map[string]string
	unknown []string
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
	// written has the reads after an update that changes nothing.
	written map[*object]views
	// isReplaced reports that the API server refuses the apply request, but not an update.
	isReplaced bool
	// kept lists the values that apply keeps, because another manager owns them.
	kept []string
}

// try applies crd to a cluster in the state, and then sends an update of each object that changes nothing. If the API
// server refuses the apply request, it tries an update.
func (p *planner) try(ctx context.Context, state, crd definition, objects []*object) (*trial, error) {
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

func (p *planner) tryRequest(ctx context.Context, state, crd definition, objects []*object, operation playground.CRDOperation) (*trial, error) {
	t := &trial{Trial: newTrial(), views: map[*object]views{}, written: map[*object]views{}}
	s := playground.Scenario{
		CRD: crd.String(), OldCRD: state.String(), CRDOperation: operation, CRDForce: operation == playground.CRDOperationApply, CRDStored: true,
		Conversion: p.options.Conversion, FieldValidation: playground.FieldValidationIgnore,
	}
	// The first request has objects, too: a large CRD takes time.
	first, rest := firstBatch(objects)
	stored, requests := p.requests(first, crd)
	s.OldObject, s.Object, s.Operation = stored, requests, playground.OperationUpdate
	report, err := p.engine.Evaluate(ctx, s)
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
		s.OldObject, s.Object = p.requests(batch, crd)
		report, err := p.engine.Evaluate(ctx, s)
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
func (p *planner) requests(objects []*object, crd definition) (stored, requests string) {
	var before, after []string
	for _, o := range objects {
		before, after = append(before, o.stored), append(after, o.request(crd))
	}
	return strings.Join(before, separator), strings.Join(after, separator)
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
		t.add(o.effects(t, seen[o])...)
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
	v := views{map[string]map[string]any{}, map[string][]string{}, map[string][]string{}, map[string]string{}, nil}
	for _, version := range versions {
		read := map[string]any{}
		switch {
		case version.Cause != "":
			v.unknown = append(v.unknown, version.Name)
		case version.Error != "" || json.Unmarshal(version.Object, &read) != nil:
			v.errors[version.Name] = version.Error
		default:
			v.reads[version.Name], v.lost[version.Name] = read, version.Lost
			for _, c := range version.RoundTrip {
				if !slices.Contains(version.Lost, c.Path) {
					v.changed[version.Name] = append(v.changed[version.Name], c.Path)
				}
			}
		}
	}
	return v
}

// effects returns what an update of the CRD does to an object, whose reads are still those from before.
func (o *object) effects(t *trial, r playground.StoredObject) (all []Effect) {
	add := func(kind EffectKind, version string, fields []string, errors ...string) {
		e := o.effect(kind, version, fields)
		e.Errors = append(e.Errors, errors...)
		all = append(all, e)
	}
	switch r.Outcome {
	case playground.OutcomeSkipped:
		add(EffectUnknown, "", nil, r.Why)
		return all
	case playground.OutcomeError:
		add(EffectUnreadable, "", nil, r.Why)
		return all
	}
	var invalid, unappliable []string
	for _, f := range r.Findings {
		if f.Stage == playground.StageApply {
			unappliable = append(unappliable, manifest.Plain(f).Explained())
		} else {
			invalid = append(invalid, manifest.Plain(f).Explained())
		}
	}
	if len(invalid) > 0 {
		add(EffectInvalid, "", nil, append(invalid, r.Why)...)
	}
	if len(unappliable) > 0 {
		add(EffectUnappliable, "", nil, unappliable...)
	}
	now, written := t.views[o], t.written[o]
	for _, version := range withoutAll(now.unknown, o.unknown) {
		add(EffectUnknown, version, nil)
	}
	for _, version := range slices.Sorted(maps.Keys(now.errors)) {
		if _, known := o.errors[version]; !known {
			add(EffectUnreadable, version, nil, now.errors[version])
		}
	}
	var deleted []string
	for _, version := range slices.Sorted(maps.Keys(now.reads)) {
		before, known := o.reads[version]
		if known {
			if fields := differences(before, now.reads[version], ""); len(fields) > 0 {
				add(EffectChanged, version, fields)
			}
		}
		if after, ok := written.reads[version]; ok && known {
			deleted = append(deleted, withoutAll(missing(before, after, ""), deleted)...)
		}
		if fields := withoutAll(now.lost[version], o.lost[version]); len(fields) > 0 {
			add(EffectLost, version, fields)
		}
		if fields := withoutAll(now.changed[version], o.changed[version]); len(fields) > 0 {
			add(EffectRoundTrip, version, fields)
		}
	}
	if deleted = slices.DeleteFunc(deleted, isOfServer); len(deleted) > 0 {
		add(EffectLost, "", deleted)
	}
	return all
}

// isOfServer reports whether the API server sets a field.
func isOfServer(field string) bool {
	return field == "apiVersion" || strings.HasPrefix(field, "metadata")
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
	// breaking has the differences that an object of the first version shows, and uncertain the others that may
	// matter.
	breaking, uncertain []playground.CRDChange
	// made has objects that the first version accepts, and the second one refuses or changes.
	made []*object
}

// compareVersions compares the schemas of two versions of a CRD.
func (p *planner) compareVersions(ctx context.Context, crd definition, from, to string) (comparison, error) {
	var c comparison
	old, changed := crd.between(from, to), crd.between(to, to)
	if old == nil || changed == nil {
		return c, nil
	}
	report, err := p.engine.Evaluate(ctx, playground.Scenario{OldCRD: old.String(), CRD: changed.String()})
	if err != nil {
		return c, err
	}
	for _, change := range report.CRD.Changes {
		switch {
		case change.Class == playground.ChangeCompatible || isOfColumns(change.Kind):
		case change.Witness == nil:
			c.uncertain = append(c.uncertain, change)
		default:
			c.breaking = append(c.breaking, change)
			if len(c.made) < maxMade {
				c.made = append(c.made, p.newMade(change.Witness.Object, from))
			}
		}
	}
	return c, nil
}

// isOfColumns reports whether a kind of change concerns neither fields nor values.
func isOfColumns(kind string) bool {
	return strings.HasPrefix(kind, "subresource") || strings.HasPrefix(kind, "selectable fields") || strings.HasPrefix(kind, "printer columns")
}

// newMade returns an object that crdlab made, at a version and with a name of its own.
func (p *planner) newMade(text, version string) *object {
	d, err := parseDefinition(text)
	if err != nil {
		return &object{made: text, version: version, original: text, stored: text}
	}
	group, _, _ := strings.Cut(fmt.Sprint(d["apiVersion"]), "/")
	d["apiVersion"] = group + "/" + version
	p.count++
	metadata := map[string]any{"name": "example"}
	d["metadata"] = metadata
	made := d.String()
	metadata["name"] = fmt.Sprintf("crdlab-%d", p.count)
	return &object{made: made, version: version, original: d.String(), stored: d.String()}
}
