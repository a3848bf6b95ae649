package assist

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/types/ref"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// maxTrialPaths is how many nodes of an object are offered.
	maxTrialPaths = 500
	// maxTrialPath is the length in bytes of a path that is offered.
	maxTrialPath = 200
	// maxSelf is the length in bytes at which the value of self is cut.
	maxSelf = 400
)

// find finds the node of a trial, or that at a position in the object's text.
// It reports false if there is none, and says why.
func (c *console) find(trial playground.Trial, at *playground.Position) bool {
	if c.tried.Problem != "" {
		return false
	}
	c.tried.Object, c.tried.Path = trial.Object, trial.Path
	var typed []any
	if at != nil {
		document := c.file.Document(*at)
		c.tried.Object = max(0, slices.Index(c.docs, document))
		if document >= 0 {
			typed = c.file.Documents[document].PathAt(*at)
		}
	}
	if len(c.objects) == 0 {
		return c.fail("There is no object to try an expression on.")
	}
	if c.tried.Object < 0 || c.tried.Object >= len(c.objects) {
		return c.fail("There is no object number %d.", c.tried.Object+1)
	}
	r := c.objects[c.tried.Object]
	root, value, old := c.open(r)
	if root == nil {
		return false
	}
	list := trialPaths{wanted: trial.Path, typed: typed, byPosition: at != nil}
	list.walk(root, value, nil)
	c.tried.Paths = append(c.tried.Paths, list.paths...)
	if list.found == nil {
		return c.fail("The object has no value at %s that CEL knows: it has to be there, and in the schema with its type.", trial.Path)
	}
	c.node, c.place = list.node, pairedPlace(root, value, old, list.found)
	c.describePlace(r)
	return true
}

// open is the root of an object, its value and the old one, which is nil if
// there is none. The schema of a CRD that is refused is good enough: a rule may
// be why.
func (c *console) open(r *object.Request) (root *celrule.Node, value, old any) {
	r.Evaluate(c.judges)
	switch {
	case r.Object != nil && r.Version != nil && r.Version.Schema != nil:
		c.tried.Version = r.Version.Kind.Version
		if r.Old != nil {
			old = r.Old.Object
		}
		return rootNode(r.Version.Schema), r.Object.Object, old
	case !c.judges:
		c.fail("Loading the part of the engine that knows this object…")
	case c.crd.Internal == nil:
		c.fail("There is no CRD that can be decoded.")
	case c.crd.Report.Accepted:
		c.fail("The object cannot be read: the Outcome says why.")
	default:
		return c.openRefused(r)
	}
	return nil, nil, nil
}

// openRefused is open for a CRD that the API server refuses.
func (c *console) openRefused(r *object.Request) (root *celrule.Node, value, old any) {
	object, err := object.DecodeStored(r.Doc)
	if err != nil {
		c.fail("The object cannot be decoded: %v.", err)
		return nil, nil, nil
	}
	c.tried.Version = object.GroupVersionKind().Version
	props := c.crd.VersionSchema(c.tried.Version)
	if props == nil {
		c.fail("The CRD has no schema for the apiVersion %q.", object.GetAPIVersion())
		return nil, nil, nil
	}
	err = upstream.Guard(playground.StageDefault, func() error {
		structural, err := structuralschema.NewStructural(props)
		if err != nil {
			return err
		}
		structural = structural.DeepCopy()
		pruning.Prune(object.Object, structural, true)
		defaulting.Default(object.Object, structural)
		root = rootNode(structural)
		return nil
	})
	if err != nil {
		c.fail("The schema cannot be used: %v.", upstream.StatusOf(err).Message)
		return nil, nil, nil
	}
	if root == nil {
		c.fail("The schema has no type that CEL knows.")
	}
	return root, object.Object, nil
}

// rootNode is the root of a schema as rules know it, without any rules; nil if
// CEL does not.
func rootNode(schema *structuralschema.Structural) *celrule.Node {
	declType := model.SchemaDeclType(schema, true)
	if declType == nil {
		return nil
	}
	return &celrule.Node{Schema: schema, DeclType: declType, Path: crdschema.Path{}, Root: true}
}

// trialPaths lists the nodes of an object that CEL knows, in the order of their
// keys, and finds one of them.
type trialPaths struct {
	// wanted is the path of the node, and typed, if byPosition, one that begins
	// with it.
	wanted     string
	typed      []any
	byPosition bool

	paths []string
	found []any // nil until it is found
	node  *celrule.Node
}

func (l *trialPaths) walk(node *celrule.Node, value any, path []any) {
	if node == nil || value == nil {
		return
	}
	written := jsonvalue.PathString(path)
	if len(l.paths) < maxTrialPaths && len(written) <= maxTrialPath {
		l.paths = append(l.paths, written)
	}
	if l.isWanted(written, path) {
		l.found, l.node = append([]any{}, path...), node
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			l.walk(node.Child(i), item, jsonvalue.AppendStep(path, i))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			l.walk(node.Child(key), value[key], jsonvalue.AppendStep(path, key))
		}
	}
}

// isWanted says whether a path is the wanted one, or nearer to it than what was
// found so far.
func (l *trialPaths) isWanted(written string, path []any) bool {
	if !l.byPosition {
		return l.found == nil && written == l.wanted
	}
	return len(path) <= len(l.typed) && (l.found == nil || len(path) > len(l.found)) && slices.Equal(path, l.typed[:len(path)])
}

// pairedPlace is the place at a path below an object, with the value that an
// update replaces.
func pairedPlace(node *celrule.Node, value, old any, path []any) celrule.Target {
	p := celrule.Target{Value: value, Old: old}
	for _, step := range path {
		switch step := step.(type) {
		case int:
			items, _ := p.Value.([]any)
			p = p.Item(step, items[step], p.OldItems(node.Schema).Get(items[step]))
		case string:
			members, _ := p.Value.(map[string]any)
			p = p.Member(step, nil, members[step], p.OldMembers(node.Schema)[step])
		}
		node = node.Child(step)
	}
	return p
}

// describePlace says where the node is, and what stands there.
func (c *console) describePlace(r *object.Request) {
	c.tried.Path = jsonvalue.PathString(c.place.Path)
	c.tried.SchemaPath = c.node.Path.String()
	if location, ok := r.Doc.At(c.place.Path...); ok {
		at := location.Key()
		c.tried.Range = &at
	}
	c.bound = celrule.Bind(c.node, c.place)
	if value, ok := c.bound.Plain[cel.ScopedVarName].(ref.Val); ok {
		c.tried.Self = celrule.Truncate(celrule.FormatValue(value), maxSelf)
	}
}
