package ui

import (
	"slices"
	"strconv"

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

func newChangeTree(changes []stageChange) *changeTree {
	root := &changeTree{}
	for _, c := range changes {
		node := root
		for _, step := range c.change.Steps {
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

// descend returns the value of a key or index, or nil.
func descend(object any, step string) any {
	switch o := object.(type) {
	case map[string]any:
		return o[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(o) {
			return o[i]
		}
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
