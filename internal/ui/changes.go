package ui

import (
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// stageChange is a change together with the stage that made it.
type stageChange struct {
	stage  string
	change playground.Change
}

// changeTree holds changes by the place in an object that they concern.
type changeTree struct {
	children map[string]*changeTree
	// set is the last change that gave the place its value.
	set *stageChange
	// removed are the values taken away from the place.
	removed []stageChange
}

// newChangeTree sorts the changes of stages into a tree over object, which is
// JSON decoded as it is after the last of them.
func newChangeTree(object any, changes []stageChange) *changeTree {
	root := &changeTree{}
	for _, c := range changes {
		place := root
		for _, step := range pathSteps(c.change.Path, object) {
			place = place.grow(step)
		}
		if c.change.Op == playground.ChangeRemove {
			place.removed = append(place.removed, c)
			continue
		}
		place.set = &c
	}
	return root
}

func (t *changeTree) grow(step string) *changeTree {
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

func (t *changeTree) child(step string) *changeTree {
	if t == nil {
		return nil
	}
	return t.children[step]
}

// pathSteps splits a field path into keys and indexes. Keys may hold dots and
// brackets, so the longest key that the object has wins; what leads out of the
// object, as the path of a removed field does, is split at its dots' last.
func pathSteps(path string, object any) []string {
	var steps []string
	rest := strings.TrimPrefix(path, ".")
	for rest != "" {
		step, tail, found := longestStep(rest, object)
		steps = append(steps, step)
		if !found {
			break
		}
		object = descend(object, step)
		rest = strings.TrimPrefix(tail, ".")
	}
	return steps
}

// longestStep takes the first step off a path into object. Without a match the
// whole path is the step.
func longestStep(path string, object any) (step, tail string, found bool) {
	if index, after, ok := bracketed(path); ok && hasStep(object, index) {
		return index, after, true
	}
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		if hasStep(object, path[:end]) {
			return path[:end], path[end:], true
		}
	}
	if index, after, ok := bracketed(path); ok && after == "" {
		return index, "", false
	}
	return path, "", false
}

// bracketed splits "[x]rest" into x and rest.
func bracketed(path string) (inside, rest string, ok bool) {
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
