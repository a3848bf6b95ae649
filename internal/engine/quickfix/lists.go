package quickfix

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
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

// explainMapKeys sets the hint for an item whose map keys equal those of another item, and names
// the first required property that could be a further key.
func (p *problem) explainMapKeys() {
	if p.schema == nil {
		return
	}
	list, _ := crdschema.NodeAt(p.schema, p.parent())
	if list == nil || list.XListType == nil || *list.XListType != "map" || list.Items == nil {
		return
	}
	further := "a required property"
	if validation := list.Items.ValueValidation; validation != nil {
		for _, name := range validation.Required {
			if property, ok := list.Items.Properties[name]; ok && !slices.Contains(list.XListMapKeys, name) && !slices.Contains([]string{"object", "array"}, property.Type) {
				further = name
				break
			}
		}
	}
	p.Hint = fmt.Sprintf("The CRD identifies the items of this list by %s (x-kubernetes-list-map-keys), so each value may occur once. To keep both items, add %s to these keys in the CRD.",
		strings.Join(list.XListMapKeys, " and "), further)
}

// removeDuplicates removes a duplicate item of a list, and all later duplicates
// of the same item.
func removeDuplicates(p *problem) []playground.Fix {
	var repeated any
	index, isItem := p.path[len(p.path)-1].(int)
	if !isItem || json.Unmarshal([]byte(strings.TrimPrefix(p.Message, "Duplicate value: ")), &repeated) != nil {
		return nil
	}
	p.explainMapKeys()
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
	return p.newFix(title, changes...)
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
