package upgrade

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// An object is an object in the cluster.
type object struct {
	place *manifest.Document // nil for an object that crdlab made
	made  string
	// version is the version in which the object is written.
	version string
	// original is the object before the first step, and stored the object as it is stored.
	original, stored string
	// isOpen reports that it depends on the webhook whether the object was written again.
	isOpen bool
	views
}

// storedVersion returns the version in which the object is stored.
func (o *object) storedVersion() string {
	d, err := parseDefinition(o.stored)
	if err != nil {
		return ""
	}
	_, version, _ := strings.Cut(fmt.Sprint(d["apiVersion"]), "/")
	return version
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
	switch {
	case r.Outcome == playground.OutcomeSkipped:
		add(EffectUnknown, "", nil, r.Why)
		return all
	case r.Outcome == playground.OutcomeError && o.isOpen:
		add(EffectUnknown, "", nil)
		return all
	case r.Outcome == playground.OutcomeError:
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
				kind := EffectAdded
				if slices.ContainsFunc(missing(before, now.reads[version], ""), func(field string) bool { return !isOfServer(field) }) {
					kind = EffectChanged
				}
				add(kind, version, fields)
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
