package upgrade

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// A definition is a CRD as JSON. The plan changes only the fields that the API server documents for
// versions, and passes on all others.
type definition map[string]any

func parseDefinition(text string) (definition, error) {
	d := definition{}
	if err := yaml.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("decode the CRD: %w", err)
	}
	return d, nil
}

func (d definition) clone() definition {
	data, _ := json.Marshal(d) // It was decoded from JSON.
	c := definition{}
	_ = json.Unmarshal(data, &c)
	return c
}

// manifest returns a copy without the fields that the API server sets.
func (d definition) manifest() definition {
	c := d.clone()
	delete(c, "status")
	if metadata, ok := c["metadata"].(map[string]any); ok {
		for _, name := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"} {
			delete(metadata, name)
		}
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		}
	}
	return c
}

func (d definition) String() string {
	data, _ := yaml.Marshal(map[string]any(d))
	return string(data)
}

func (d definition) spec() map[string]any {
	spec, _ := d["spec"].(map[string]any)
	return spec
}

// versions returns spec.versions, whose elements are shared with d.
func (d definition) versions() []map[string]any {
	list, _ := d.spec()["versions"].([]any)
	var all []map[string]any
	for _, v := range list {
		if version, ok := v.(map[string]any); ok {
			all = append(all, version)
		}
	}
	return all
}

func (d definition) version(name string) map[string]any {
	for _, v := range d.versions() {
		if v["name"] == name {
			return v
		}
	}
	return nil
}

func (d definition) addVersion(v map[string]any) {
	list, _ := d.spec()["versions"].([]any)
	d.spec()["versions"] = append(list, v)
}

// names returns the names of the versions for which use returns true.
func (d definition) names(use func(map[string]any) bool) []string {
	all := []string{}
	for _, v := range d.versions() {
		if name, ok := v["name"].(string); ok && use(v) {
			all = append(all, name)
		}
	}
	return all
}

func isServed(v map[string]any) bool { return v["served"] == true }

func isStorage(v map[string]any) bool { return v["storage"] == true }

func isAny(map[string]any) bool { return true }

func (d definition) storage() string { return strings.Join(d.names(isStorage), "") }

// requested returns the version at which clients read and write all objects: the storage version if it is served.
func (d definition) requested() string {
	served := d.names(isServed)
	if storage := d.storage(); slices.Contains(served, storage) || len(served) == 0 {
		return storage
	}
	return served[0]
}

func (d definition) setStorage(name string) {
	for _, v := range d.versions() {
		v["storage"] = v["name"] == name
	}
}

// stored returns status.storedVersions.
func (d definition) stored() []string {
	status, _ := d["status"].(map[string]any)
	list, _ := status["storedVersions"].([]any)
	names := []string{}
	for _, name := range list {
		names = append(names, fmt.Sprint(name))
	}
	return names
}

// setStored sets status.storedVersions.
func (d definition) setStored(names []string) {
	status, ok := d["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		d["status"] = status
	}
	list := []any{}
	for _, name := range names {
		list = append(list, name)
	}
	status["storedVersions"] = list
}

func (d definition) strategy() string {
	conversion, _ := d.spec()["conversion"].(map[string]any)
	if strategy, ok := conversion["strategy"].(string); ok {
		return strategy
	}
	return "None"
}

// preservesUnknown reports whether a version, or a part of its schema, keeps fields that it does not specify.
func preservesUnknown(node any) bool {
	switch node := node.(type) {
	case map[string]any:
		return node["x-kubernetes-preserve-unknown-fields"] == true || slices.ContainsFunc(slices.Collect(maps.Values(node)), preservesUnknown)
	case []any:
		return slices.ContainsFunc(node, preservesUnknown)
	}
	return false
}

func (d definition) resource() string {
	names, _ := d.spec()["names"].(map[string]any)
	return fmt.Sprintf("%v.%v", names["plural"], d.spec()["group"])
}

func (d definition) isNamespaced() bool { return d.spec()["scope"] != "Cluster" }

// isSame reports whether two CRDs differ at most in the order of their versions, and in what the API server sets.
func isSame(a, b definition) bool {
	x, y := a.manifest(), b.manifest()
	for _, d := range []definition{x, y} {
		versions, _ := d.spec()["versions"].([]any)
		slices.SortFunc(versions, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return reflect.DeepEqual(x["spec"], y["spec"]) && reflect.DeepEqual(labelsOf(x), labelsOf(y))
}

func labelsOf(d definition) [2]any {
	metadata, _ := d["metadata"].(map[string]any)
	return [2]any{metadata["labels"], metadata["annotations"]}
}

// undeprecated returns a copy in which versions are not deprecated.
func (d definition) undeprecated(names []string) definition {
	c := d.clone()
	for _, name := range names {
		delete(c.version(name), "deprecated")
	}
	return c
}

// between returns a CRD in which one version has the schema of a version of d, to compare the schemas of two
// versions.
func (d definition) between(version, name string) definition {
	c := d.manifest()
	v := c.version(version)
	if v == nil {
		return nil
	}
	v["name"], v["served"], v["storage"] = name, true, true
	delete(v, "deprecated")
	delete(v, "deprecationWarning")
	c.spec()["versions"] = []any{v}
	delete(c.spec(), "conversion")
	return c
}
