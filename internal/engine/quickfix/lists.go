package quickfix

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// removeExcessItems removes the items after the maximum number.
func removeExcessItems(p *problem) []playground.Fix {
	limit, err := strconv.Atoi(p.match[1])
	list := p.nodeAt(p.path...)
	if err != nil || limit == 0 || list == nil || len(list.Content) > limit+maxEdits {
		return nil
	}
	var changes []change
	for i := limit; i < len(list.Content); i++ {
		changes = append(changes, p.deleteAt(append(slices.Clip(p.path), i)...))
	}
	return p.newFix("Remove the items after the first "+p.match[1], changes...)
}

// identifyItems sets the hint for a list in which items have the same map keys, and adds a property
// in which they differ to the keys in the CRD.
func (p *problem) identifyItems(path []any) []playground.Fix {
	if p.schema == nil {
		return nil
	}
	list, schemaPath := crdschema.NodeAt(p.schema, path)
	if list == nil || list.XListType == nil || *list.XListType != "map" || list.Items == nil {
		return nil
	}
	key := p.furtherKey(list, path)
	p.Hint = fmt.Sprintf("The CRD identifies the items of this list by %s (x-kubernetes-list-map-keys), so each value may occur only once. Remove one of the items.",
		strings.Join(list.XListMapKeys, " and "))
	if key != "" {
		p.Hint += fmt.Sprintf(" To keep both, add %s to these keys in the CRD.", key)
	}
	version := p.requestedVersion()
	if key == "" || version == nil {
		return nil
	}
	i := slices.IndexFunc(p.crd.V1.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version.Kind.Version })
	at := p.crd.SchemaPath(i, schemaPath)
	title := fmt.Sprintf("Accept items with the same %s: add %s to x-kubernetes-list-map-keys", strings.Join(list.XListMapKeys, " and "), key)
	add := func(value string, list ...any) change {
		list = append(slices.Clip(at), list...)
		existing, _ := p.crd.Doc.At(list...)
		added, ok := edit.Set(p.crd.Doc, value, append(list, existing.Len())...)
		return change{edit: added, ok: ok, document: playground.DocumentCRD}
	}
	changes := []change{add(key, "x-kubernetes-list-map-keys")}
	if !isRequired(list.Items, key) && list.Items.Properties[key].Default.Object == nil {
		changes, title = append(changes, add(key, "items", "required")), title+", and require it"
	}
	return widens(p.newFix(title, changes...))
}

// identityOfCondition is the key of the items of a list of conditions, of which each type occurs once
// (metav1.Condition in k8s.io/apimachinery).
const identityOfCondition = "type"

// describing lists properties that describe an item: their values change, and do not identify it.
var describing = []string{"status", "state", "phase", "reason", "message", "lastTransitionTime", "lastUpdateTime", "observedGeneration", "value"}

// furtherKey returns a property that distinguishes all items of the list at a path together with
// its map keys, required ones first, or an empty string.
func (p *problem) furtherKey(list *structuralschema.Structural, path []any) string {
	if _, hasStatus := list.Items.Properties["status"]; hasStatus && slices.Equal(list.XListMapKeys, []string{identityOfCondition}) {
		return ""
	}
	names := slices.Sorted(maps.Keys(list.Items.Properties))
	if list.Items.ValueValidation != nil {
		names = slices.Concat(list.Items.ValueValidation.Required, names)
	}
	i := slices.IndexFunc(names, func(name string) bool {
		property, ok := list.Items.Properties[name]
		isScalar := ok && !slices.Contains([]string{"object", "array"}, property.Type) && !property.Nullable
		return isScalar && !slices.Contains(list.XListMapKeys, name) && !slices.Contains(describing, name) && p.distinguish(list.Items, path, append(slices.Clip(list.XListMapKeys), name))
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

// distinguish reports whether the items of the list at a path have different values or defaults of
// some properties. Each item must have the last one.
func (p *problem) distinguish(items *structuralschema.Structural, path []any, properties []string) bool {
	known := map[string]bool{}
	list := p.nodeAt(path...)
	if list == nil || len(list.Content) > maxCompared {
		return false
	}
	for i := range list.Content {
		var values []any
		for at, name := range properties {
			isLast := at == len(properties)-1
			value := items.Properties[name].Default.Object
			if n := p.nodeAt(append(slices.Clip(path), i, name)...); n != nil && n.Decode(&value) != nil {
				return false
			}
			if value == nil && isLast {
				return false
			}
			values = append(values, value)
		}
		identity := encodeValue(values)
		if known[identity] {
			return false
		}
		known[identity] = true
	}
	return true
}

func isRequired(s *structuralschema.Structural, name string) bool {
	return s.ValueValidation != nil && slices.Contains(s.ValueValidation.Required, name)
}

// identifyApplied adds a map key in the CRD for a list that server-side apply refuses.
func identifyApplied(p *problem) []playground.Fix {
	return append(p.removeEqualItem(), p.identifyItems(p.path)...)
}

// removeEqualItem removes the first item of the list at the path whose map keys an earlier one has.
func (p *problem) removeEqualItem() []playground.Fix {
	list := p.nodeAt(p.path...)
	schema, _ := crdschema.NodeAt(p.schema, p.path)
	if list == nil || schema == nil || len(list.Content) > maxCompared {
		return nil
	}
	known := map[string]bool{}
	for i := range list.Content {
		var identity []string
		for _, key := range schema.XListMapKeys {
			identity = append(identity, p.scalar(append(slices.Clip(p.path), i, key)...))
		}
		if known[encodeValue(identity)] {
			return p.newFix(fmt.Sprintf("Remove item %d, which has the same %s as an earlier one", i, strings.Join(schema.XListMapKeys, " and ")), p.deleteAt(append(slices.Clip(p.path), i)...))
		}
		known[encodeValue(identity)] = true
	}
	return nil
}

// removeDuplicates removes a duplicate item of a list, and all later duplicates
// of the same item.
func removeDuplicates(p *problem) []playground.Fix {
	var repeated any
	index, isItem := p.path[len(p.path)-1].(int)
	if !isItem || json.Unmarshal([]byte(strings.TrimPrefix(p.Message, "Duplicate value: ")), &repeated) != nil {
		return nil
	}
	identified := p.identifyItems(p.parent())
	items := len(p.nodeAt(p.parent()...).Content)
	if items > maxCompared {
		return nil
	}
	changes := []change{p.deleteAt(p.path...)}
	for i := index + 1; i < items; i++ {
		if p.repeats(repeated, append(p.parent(), i)...) {
			changes = append(changes, p.deleteAt(append(p.parent(), i)...))
		}
	}
	title := "Remove this item"
	if len(changes) > 1 {
		title = fmt.Sprintf("Remove %d duplicate items", len(changes))
	}
	return append(p.newFix(title, changes...), identified...)
}

// repeats reports whether the item at a path equals a value. If the value is a
// map, only its keys count: they are the list map keys.
func (p *problem) repeats(value any, path ...any) bool {
	keys, ok := value.(map[string]any)
	if !ok {
		return p.equals(value, path...)
	}
	for key := range keys {
		if !p.equals(keys[key], append(path, key)...) {
			return false
		}
	}
	return true
}

// equals reports whether the node at a path equals a value.
func (p *problem) equals(value any, path ...any) bool {
	var typed any
	n := p.nodeAt(path...)
	if s, isString := value.(string); isString && n != nil && n.Tag == "!!str" {
		return n.Value == s // much faster than to decode the node
	}
	return n != nil && n.Decode(&typed) == nil && encodeValue(typed) == encodeValue(value)
}

// encodeValue returns a value as JSON, which makes values decoded from YAML and
// from JSON comparable.
func encodeValue(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(encoded)
}

// acceptEqualItems makes a set of lists or mappings atomic.
func acceptEqualItems(p *problem) []playground.Fix {
	return widens(p.newFix("Accept equal items: set x-kubernetes-list-type: atomic", p.setValue("atomic", p.path...)))
}
