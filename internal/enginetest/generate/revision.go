package generate

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// A Revision is a pair of CRDs with the same name: the CRD in a cluster, and an update.
type Revision struct {
	// Change names the first change, and Seed the origin.
	Change, Seed string
	Old, New     string

	old, new tree
	// objects holds valid objects of the seed. It may be empty.
	objects []tree
	// changed lists the changed schema nodes.
	changed []changedPlace
	random  uint64
}

// Revision returns the pair with the given number. One in eight pairs replaces a version
// by another version of the same CRD, until there is no other such pair. All others are a
// seed and the seed with one to three changes, in either order.
func (g *Generator) Revision(i int) Revision {
	if g.successions == nil {
		g.successions = findSuccessions(g.seeds)
	}
	r := rand.New(rand.NewPCG(g.seed^0x5bd1e995, uint64(i)))
	var v Revision
	if i%8 == 0 && i/8 < len(g.successions) {
		v = g.successions[i/8].revision()
	} else {
		v = revise(r, pick(r, g.seeds))
	}
	v.changed = changedPlaces(v.old, v.new)
	v.Old, v.New, v.random = render(v.old, false), render(v.new, false), r.Uint64()
	return v
}

// revise changes a seed.
func revise(r *rand.Rand, seed Seed) Revision {
	v := Revision{Seed: seed.Name, old: clone(seed.crd), new: clone(seed.crd), objects: seed.objects()}
	for range 1 + r.IntN(3) {
		name := v.change(r)
		if v.Change == "" {
			v.Change = name
		}
	}
	if r.IntN(2) == 0 {
		v.old, v.new = v.new, v.old
	}
	return v
}

// change changes the new CRD and returns the name of the change. It returns an empty
// string if it finds nothing to change.
func (v *Revision) change(r *rand.Rand) string {
	if r.IntN(8) == 0 {
		m := pick(r, crdRevisions)
		if !m.change(r, v.new) {
			return ""
		}
		return m.name
	}
	places := schemaPlaces(v.new)
	for range 20 {
		if len(places) == 0 {
			break
		}
		place, m := pick(r, places), pick(r, schemaRevisions)
		if m.change(r, place.schema) {
			return m.name
		}
	}
	return ""
}

// objects returns the object of the seed, if it has one.
func (s Seed) objects() []tree {
	if s.object == nil {
		return nil
	}
	return []tree{s.object}
}

// AddObject adds a valid object, from which [Revision.Objects] derives others.
func (v *Revision) AddObject(object string) {
	if t := parse(object); t != nil {
		v.objects = append(v.objects, t)
	}
}

// A succession is a pair of versions of a CRD with different schemas.
type succession struct {
	seed     Seed
	from, to tree
}

// findSuccessions returns all ordered pairs of versions of each CRD.
func findSuccessions(seeds []Seed) []succession {
	all, known := []succession{}, map[string]bool{}
	for _, seed := range seeds {
		source := render(seed.crd, false)
		if known[source] {
			continue
		}
		known[source] = true
		versions, _ := at(seed.crd, "spec", "versions").([]any)
		for _, from := range versions {
			for _, to := range versions {
				from, to := from.(tree), to.(tree)
				if encode(from["schema"]) != encode(to["schema"]) {
					all = append(all, succession{seed, from, to})
				}
			}
		}
	}
	return all
}

// revision returns a CRD with one version, and an update that gives this version the
// schema and settings of the other one.
func (s succession) revision() Revision {
	with := func(version tree) tree {
		version = clone(version)
		version["name"], version["served"], version["storage"] = s.from["name"], true, true
		crd := clone(s.seed.crd)
		crd["spec"].(tree)["versions"] = []any{version}
		delete(crd, "status")
		return crd
	}
	return Revision{Change: "other version", Seed: s.seed.Name, old: with(s.from), new: with(s.to), objects: s.seed.objects()}
}

// A schemaPlace is a schema node of a version.
type schemaPlace struct {
	version string
	schema  tree
	// path leads to a value that the node describes.
	path []any
}

// A changedPlace is a value whose schema differs between two CRDs.
type changedPlace struct {
	version string
	path    []any
	// other is the schema in the new CRD, or in the old CRD if the new CRD lacks it.
	other tree
}

// changedPlaces returns the values whose schemas differ, but only the innermost ones.
func changedPlaces(old, new tree) []changedPlace {
	before, after := indexPlaces(old), indexPlaces(new)
	var all []changedPlace
	for _, place := range slices.Concat(schemaPlaces(new), schemaPlaces(old)) {
		key := place.key()
		if own(before[key]) != own(after[key]) {
			all = append(all, changedPlace{place.version, place.path, place.schema})
		}
	}
	return all
}

func indexPlaces(crd tree) map[string]tree {
	index := map[string]tree{}
	for _, place := range schemaPlaces(crd) {
		index[place.key()] = place.schema
	}
	return index
}

// own returns the keywords of a schema node and the names of its properties.
func own(schema tree) string {
	node := maps.Clone(schema)
	delete(node, "items")
	delete(node, "additionalProperties")
	if all, ok := node["properties"].(tree); ok {
		node["properties"] = slices.Sorted(maps.Keys(all))
	}
	return encode(node)
}

// exampleKey is the key of map entries in paths.
const exampleKey = "key"

// key identifies a place in a CRD.
func (p schemaPlace) key() string { return p.version + " " + encode(p.path) }

// schemaPlaces returns all schema nodes of a CRD, apart from the roots.
func schemaPlaces(crd tree) []schemaPlace {
	var all []schemaPlace
	versions, _ := at(crd, "spec", "versions").([]any)
	for _, v := range versions {
		name, _ := at(v, "name").(string)
		root, _ := at(v, "schema", "openAPIV3Schema").(tree)
		all = appendPlaces(all, schemaPlace{name, root, nil})
	}
	return all
}

func appendPlaces(all []schemaPlace, parent schemaPlace) []schemaPlace {
	add := func(child any, step any) {
		if schema, ok := child.(tree); ok {
			place := schemaPlace{parent.version, schema, append(slices.Clone(parent.path), step)}
			all = appendPlaces(append(all, place), place)
		}
	}
	properties, _ := parent.schema["properties"].(tree)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if len(parent.path) > 0 || !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			add(properties[name], name)
		}
	}
	add(parent.schema["items"], 0)
	add(parent.schema["additionalProperties"], exampleKey)
	return all
}
