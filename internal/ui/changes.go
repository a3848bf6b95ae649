package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// stageChange is a change with the name of its stage.
type stageChange struct {
	stage  string
	change playground.Change
}

// changeTree arranges changes by their path in an object.
type changeTree struct {
	children map[string]*changeTree
	// set is the last change that added or replaced the value.
	set *stageChange
	// removed lists the changes that removed a value.
	removed []stageChange
}

// newChangeTree builds a tree of the changes. The decoded JSON object is the
// state after the last change.
func newChangeTree(object any, changes []stageChange) *changeTree {
	root := &changeTree{}
	for _, c := range changes {
		node := root
		for _, step := range pathSteps(c.change.Path, object) {
			node = node.ensureChild(step)
		}
		if c.change.Op == playground.ChangeRemove {
			node.removed = append(node.removed, c)
			continue
		}
		node.set = &c
	}
	return root
}

// ensureChild returns the child for a step and creates it if necessary.
func (t *changeTree) ensureChild(step string) *changeTree {
	if t.children == nil {
		t.children = map[string]*changeTree{}
	}
	child, ok := t.children[step]
	if !ok {
		child = &changeTree{}
		t.children[step] = child
	}
	return child
}

// child returns the child for a step, or nil. It accepts a nil tree.
func (t *changeTree) child(step string) *changeTree {
	if t == nil {
		return nil
	}
	return t.children[step]
}

// pathSteps splits a field path into keys and indexes. Keys may contain dots
// and brackets, so each step is the longest key that the object has. A suffix
// that does not exist in the object, as in the path of a removed field, is a
// single step.
func pathSteps(path string, object any) []string {
	var steps []string
	rest := strings.TrimPrefix(path, ".")
	for rest != "" {
		step, tail, found := cutLongestStep(rest, object)
		steps = append(steps, step)
		if !found {
			break
		}
		object = descend(object, step)
		rest = strings.TrimPrefix(tail, ".")
	}
	return steps
}

// cutLongestStep cuts the longest first step that exists in object from path.
// If there is no such step, it returns the whole path as the step.
func cutLongestStep(path string, object any) (step, tail string, found bool) {
	if index, after, ok := cutBracket(path); ok && hasStep(object, index) {
		return index, after, true
	}
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		if hasStep(object, path[:end]) {
			return path[:end], path[end:], true
		}
	}
	if index, after, ok := cutBracket(path); ok && after == "" {
		return index, "", false
	}
	return path, "", false
}

// cutBracket splits "[x]rest" into x and rest.
func cutBracket(path string) (inside, rest string, ok bool) {
	if !strings.HasPrefix(path, "[") {
		return "", "", false
	}
	return strings.Cut(path[1:], "]")
}

func hasStep(object any, step string) bool {
	switch o := object.(type) {
	case map[string]any:
		_, ok := o[step]
		return ok
	case []any:
		i, err := strconv.Atoi(step)
		return err == nil && i >= 0 && i < len(o)
	}
	return false
}

func descend(object any, step string) any {
	switch o := object.(type) {
	case map[string]any:
		return o[step]
	case []any:
		i, _ := strconv.Atoi(step)
		return o[i]
	}
	return nil
}

// causeOr returns the change that added or replaced the value. By default it is the
// cause of the surrounding value.
func (t *changeTree) causeOr(cause *stageChange) *stageChange {
	if t != nil && t.set != nil {
		return t.set
	}
	return cause
}

// removedKeys returns the sorted keys of a mapping's removed values.
func (t *changeTree) removedKeys() []string {
	if t == nil {
		return nil
	}
	var keys []string
	for key, child := range t.children {
		if len(child.removed) > 0 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// maxRemovedIndex limits the items of a list that are visited for removed values.
const maxRemovedIndex = 1 << 16

// removedItems returns the number of items up to the last removed item of a list.
func (t *changeTree) removedItems() int {
	if t == nil {
		return 0
	}
	items := 0
	for step, child := range t.children {
		if i, err := strconv.Atoi(step); err == nil && len(child.removed) > 0 && i < maxRemovedIndex {
			items = max(items, i+1)
		}
	}
	return items
}
