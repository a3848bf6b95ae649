package upgrade

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// maxMade is the number of objects that crdlab makes for one comparison of versions.
const maxMade = 20

// create lets clients create objects, and passes on the answers about the accepted ones.
func (p *Planner) create(ctx context.Context, crd definition, objects []*object, accept func(*object, playground.Object)) error {
	for batch := range batches(objects) {
		var texts []string
		byKey := map[string]*object{}
		for _, o := range batch {
			texts = append(texts, o.original)
			byKey[o.key(crd)] = o
		}
		report, err := p.evaluate(ctx, playground.Scenario{
			CRD: crd.manifest().String(), Object: strings.Join(texts, separator), FieldValidation: playground.FieldValidationIgnore,
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

// newMade returns an object that crdlab made, at a version and with a name of its own.
func (p *Planner) newMade(text, version string) *object {
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

// addSamples adds samples of each version that clients can write, and reads all objects. It leaves out the made
// objects that the API server does not accept.
func (p *Planner) addSamples(ctx context.Context) error {
	for _, version := range p.state.names(isServed) {
		samples, err := p.samples(ctx, p.state, version)
		if err != nil {
			return err
		}
		p.objects = append(p.objects, samples...)
	}
	var err error
	if p.objects, err = p.read(ctx, p.objects); err != nil {
		return err
	}
	// A file may have fields that the API server never stored.
	isPruned := false
	for _, o := range p.objects {
		if o.place != nil && len(o.lost[o.version]) > 0 {
			o.stored, isPruned = definition(o.reads[o.version]).String(), true
		}
	}
	if isPruned {
		p.objects, err = p.read(ctx, p.objects)
	}
	return err
}

// samples returns objects that crdlab makes for a version: one with few fields, and one with all of them.
func (p *Planner) samples(ctx context.Context, d definition, version string) (all []*object, err error) {
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
	for line := range strings.SplitSeq(text, "\n") {
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
func (p *Planner) read(ctx context.Context, objects []*object) ([]*object, error) {
	objects, err := p.storeMade(ctx, objects)
	if err != nil {
		return nil, err
	}
	t, err := p.try(ctx, p.state, p.applied, objects)
	if err != nil || t.Rejected != "" {
		return objects, err
	}
	for _, o := range objects {
		read, ok := t.views[o]
		o.views = read
		if o.place != nil && !ok {
			p.leaveOut(o, "the first CRD has no version "+o.place.APIVersion)
		}
	}
	return slices.DeleteFunc(objects, func(o *object) bool { _, ok := t.views[o]; return !ok }), nil
}

// storeMade creates the objects that crdlab made while their version is the storage version. It leaves out the ones
// that the API server refuses.
func (p *Planner) storeMade(ctx context.Context, objects []*object) (kept []*object, err error) {
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

// createAdded creates objects at the versions that are new.
func (p *Planner) createAdded(ctx context.Context, after definition) ([]Effect, error) {
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
		if fields := slices.DeleteFunc(missing(validated, read, ""), isOfServer); len(fields) > 0 {
			lost = append(lost, o.effect(EffectUnstored, o.version, fields))
		}
	})
	return lost, err
}
