package generate

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Objects returns n objects of the old CRD, numbered from first. Most of them have other
// values at the changed schema nodes.
func (v Revision) Objects(first, n int) []string {
	objects := make([]string, n)
	for i := range objects {
		objects[i] = render(v.object(rand.New(rand.NewPCG(v.random, uint64(first+i)))), true)
	}
	return objects
}

func (v Revision) object(r *rand.Rand) tree {
	versions, _ := at(v.old, "spec", "versions").([]any)
	version := pick(r, versions)
	root, _ := at(version, "schema", "openAPIV3Schema").(tree)
	object := v.base(r, version, root)
	places := v.placesOf(at(version, "name"))
	for range r.IntN(4) {
		if len(places) > 0 && r.IntN(3) > 0 {
			probe(r, object, root, pick(r, places))
		} else {
			pick(r, objectMutations(root)[:4]).change(r, object)
		}
	}
	return object
}

// base returns an object of a version, which is usually valid.
func (v Revision) base(r *rand.Rand, version any, root tree) tree {
	var object tree
	if len(v.objects) > 0 && r.IntN(5) > 0 {
		object = clone(pick(r, v.objects))
	} else {
		object = sampleObject(r, root)
	}
	metadata, _ := object["metadata"].(tree)
	if metadata["name"] == nil && metadata["generateName"] == nil {
		object["metadata"] = tree{"name": "example"}
	}
	group, _ := at(v.old, "spec", "group").(string)
	name, _ := at(version, "name").(string)
	object["apiVersion"], object["kind"] = group+"/"+name, at(v.old, "spec", "names", "kind")
	return object
}

// placesOf returns the changed places of a version. If it has none, it returns the places of
// all versions, because objects may pass through the schema of another version.
func (v Revision) placesOf(version any) []changedPlace {
	of := slices.DeleteFunc(slices.Clone(v.changed), func(place changedPlace) bool { return place.version != version })
	if len(of) == 0 {
		return v.changed
	}
	return of
}

// probe changes the value at a place, or one of the values that contain it. It adds the
// values that contain the place.
func probe(r *rand.Rand, object, root tree, place changedPlace) {
	path := place.path
	if r.IntN(6) == 0 {
		path = path[:1+r.IntN(len(path))]
	}
	change := func(value any, old tree) any { return probeValue(r, value, old, place.other) }
	if r.IntN(8) == 0 {
		change = func(any, tree) any { return absent }
	}
	changeAt(r, object, root, path, change)
}

// absent is the result of a change that removes a field.
var absent any = &struct{ _ int }{}

// changeAt returns a value after a change at a path below it. It adds the values on the
// way.
func changeAt(r *rand.Rand, value any, schema tree, path []any, change func(value any, schema tree) any) any {
	if len(path) == 0 {
		return change(value, schema)
	}
	if name, isKey := path[0].(string); isKey {
		return changeField(r, value, schema, name, path[1:], change)
	}
	items, _ := schema["items"].(tree)
	list, _ := value.([]any)
	if len(list) == 0 {
		list = []any{sample(r, items)}
	}
	i := r.IntN(len(list))
	if item := changeAt(r, list[i], items, path[1:], change); item != absent {
		list[i] = item
		return list
	}
	return slices.Delete(list, i, i+1)
}

func changeField(r *rand.Rand, value any, schema tree, name string, below []any, change func(value any, schema tree) any) any {
	object, isObject := value.(tree)
	if !isObject {
		object = sampleObject(r, schema)
	}
	child, known := at(schema, "properties", name).(tree)
	if !known {
		child, _ = schema["additionalProperties"].(tree)
		if keys := slices.Sorted(maps.Keys(object)); name == exampleKey && len(keys) > 0 {
			name = pick(r, keys)
		}
	}
	object[name] = changeAt(r, object[name], child, below, change)
	if object[name] == absent {
		delete(object, name)
	}
	return object
}

// probeValue returns a value that may be valid under one of two schemas only.
func probeValue(r *rand.Rand, value any, old, new tree) any {
	schema := pick(r, []tree{old, new})
	switch r.IntN(8) {
	case 0:
		return clone(pick(r, oddValues))
	case 1:
		return nil
	case 2, 3:
		if values := slices.Concat(boundaryValues(old), boundaryValues(new)); len(values) > 0 {
			return pick(r, values)
		}
	case 4:
		return vary(r, value, schema)
	}
	return sample(r, schema)
}

// vary returns an object with a further field, a list with a further item, or another
// string.
func vary(r *rand.Rand, value any, schema tree) any {
	switch value := clone(value).(type) {
	case tree:
		value[pick(r, []string{"unknown", "added", exampleKey})] = clone(pick(r, oddValues))
		return value
	case []any:
		items, _ := schema["items"].(tree)
		return append(value, clone(pick(r, append(value, sample(r, items)))))
	case string:
		return value + pick(r, []string{"a", "1", " ", "-", "A"})
	}
	return sample(r, schema)
}
