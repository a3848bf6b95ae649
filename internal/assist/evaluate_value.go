package assist

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

const (
	// maxPaths limits the paths in the response, and maxPathLength the bytes of each.
	maxPaths      = 500
	maxPathLength = 200
	// maxSelf limits the value of self in bytes.
	maxSelf = 400
)

// selectValue selects the value of a trial, or the value at a position in the object's
// document. It reports false if there is no such value, and records the reason.
func (c *console) selectValue(trial playground.Expression, at *playground.Position) bool {
	if c.result.Problem != "" {
		return false
	}
	c.result.Object, c.result.Path = trial.Object, trial.Path
	var atCursor []any
	if at != nil {
		c.result.Object, atCursor = c.locate(*at)
	}
	if len(c.objects) == 0 {
		return c.fail("Add an object to evaluate an expression.")
	}
	if c.result.Object < 0 || c.result.Object >= len(c.objects) {
		return c.fail("There is no object number %d.", c.result.Object+1)
	}
	r := c.objects[c.result.Object]
	root, value, old := c.prepareObject(r)
	if root == nil {
		return false
	}
	finder := nodeFinder{path: trial.Path, atCursor: atCursor, byPosition: at != nil}
	finder.walk(root, value, nil)
	c.result.Paths = append(c.result.Paths, finder.paths...)
	if finder.found == nil {
		return c.fail("CEL cannot read a value at %s. The object must set it, and the schema must specify its type.", trial.Path)
	}
	c.node, c.target = finder.node, targetAt(root, value, old, finder.found)
	c.describeValue(r.Doc())
	return true
}

// locate returns the object and the path at a position in the objects' document. Outside
// objects, it returns the first object.
func (c *console) locate(at playground.Position) (index int, path []any) {
	document := c.file.Document(at)
	if document >= 0 {
		path = c.file.Documents[document].PathAt(at)
	}
	return max(0, slices.Index(c.documents, document)), path
}

// nodeFinder lists the values of an object that have a CEL type, ordered by key, and finds
// one of them.
type nodeFinder struct {
	// path is the field path to find. If byPosition is set, it is ignored, and the longest
	// prefix of atCursor is found.
	path       string
	atCursor   []any
	byPosition bool

	paths []string
	found []any // nil until a value is found
	node  *celrule.Node
}

func (f *nodeFinder) walk(node *celrule.Node, value any, path []any) {
	if node == nil || value == nil {
		return
	}
	name := jsonvalue.PathString(path)
	if len(f.paths) < maxPaths && len(name) <= maxPathLength {
		f.paths = append(f.paths, name)
	}
	if f.isBetter(name, path) {
		f.found, f.node = append([]any{}, path...), node
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			f.walk(node.Child(i), item, jsonvalue.AppendStep(path, i))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			f.walk(node.Child(key), value[key], jsonvalue.AppendStep(path, key))
		}
	}
}

// isBetter reports whether a path matches better than the one found so far.
func (f *nodeFinder) isBetter(name string, path []any) bool {
	if !f.byPosition {
		return f.found == nil && name == f.path
	}
	isLonger := f.found == nil || len(path) > len(f.found)
	return isLonger && len(path) <= len(f.atCursor) && slices.Equal(path, f.atCursor[:len(path)])
}

// targetAt returns the target of rules at a path of an object, paired with the value that an update
// replaces.
func targetAt(node *celrule.Node, value, old any, path []any) celrule.Target {
	target := celrule.Target{Value: value, Old: old}
	for _, step := range path {
		switch step := step.(type) {
		case int:
			items, _ := target.Value.([]any)
			target = target.Item(step, items[step], target.OldItems(node.Schema).Get(items[step]))
		case string:
			members, _ := target.Value.(map[string]any)
			target = target.Member(step, nil, members[step], target.OldMembers(node.Schema)[step])
		}
		node = node.Child(step)
	}
	return target
}

// describeValue adds the position and the content of the selected value to the result.
func (c *console) describeValue(document *source.Document) {
	c.result.Path = jsonvalue.PathString(c.target.Path)
	c.result.SchemaPath = c.node.Path.String()
	if location, ok := document.At(c.target.Path...); ok {
		at := location.Key()
		c.result.Range = &at
	}
	c.bindings = celrule.Bind(c.node, c.target)
	if value, ok := c.bindings.Plain[cel.ScopedVarName].(ref.Val); ok {
		c.result.Self = celrule.Truncate(celrule.FormatValue(value), maxSelf)
	}
}
