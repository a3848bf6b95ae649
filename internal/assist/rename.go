package assist

import (
	"regexp"
	"slices"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// RenameProperty returns the edits of a CRD that rename the property with the key at a position: in its version, the key,
// and what names it in schemas, rules, defaults, printer columns, selectable fields and the scale subresource. It returns the
// former name; ok is false if the position is in no key of a property.
func RenameProperty(crd string, at playground.Position, name string) (edits []edit.Edit, former string, ok bool) {
	parsed, _ := source.Parse(crd, source.DefaultLimits)
	if len(parsed.Documents) == 0 {
		return nil, "", false
	}
	d := parsed.Documents[0]
	path := d.PathAt(at)
	schema := slices.Index(path, any("openAPIV3Schema"))
	if schema != 4 || len(path) < 7 || path[0] != "spec" || path[1] != "versions" || path[len(path)-2] != "properties" {
		return nil, "", false
	}
	former, ok = path[len(path)-1].(string)
	if !ok {
		return nil, "", false
	}
	r := renamer{Document: d, name: name}
	var steps []string
	for i := schema + 1; i < len(path); i++ {
		switch path[i] {
		case "properties":
			i++
			step, _ := path[i].(string)
			steps = append(steps, step)
		case "items", "additionalProperties":
			steps = append(steps, celvalue.Each)
		}
	}
	r.inSchema(path[:schema+1], steps)
	r.inPaths(path[:3], steps)
	return r.edits, former, true
}

// A renamer renames a property in a CRD.
type renamer struct {
	*source.Document
	name  string
	edits []edit.Edit
}

func (r *renamer) add(e edit.Edit, ok bool) {
	if ok && !slices.Contains(r.edits, e) {
		r.edits = append(r.edits, e)
	}
}

// each calls a function with the paths of the items of a list.
func (r *renamer) each(list []any, visit func(path []any)) {
	at, ok := r.At(list...)
	for i := range at.Len() {
		if ok {
			visit(below(list, i))
		}
	}
}

// below returns a path with further steps.
func below(path []any, steps ...any) []any { return append(slices.Clip(path), steps...) }

// setIf sets a scalar that has a value.
func (r *renamer) setIf(path []any, value string) {
	if at, ok := r.At(path...); ok && at.Node().Value == value {
		r.add(edit.Set(r.Document, r.name, path...))
	}
}

// inSchema renames the property that is at steps below a schema: names of properties, and [celvalue.Each].
func (r *renamer) inSchema(schema []any, steps []string) {
	last := steps[len(steps)-1]
	r.inValue(below(schema, "default"), steps)
	r.each(below(schema, "x-kubernetes-validations"), func(rule []any) {
		r.inExpression(below(rule, "rule"), steps)
		r.inExpression(below(rule, "messageExpression"), steps)
		r.inPath(below(rule, "fieldPath"), steps)
	})
	for _, junctor := range []string{"allOf", "anyOf", "oneOf"} {
		r.each(below(schema, junctor), func(part []any) { r.inSchema(part, steps) })
	}
	if _, ok := r.At(below(schema, "not")...); ok {
		r.inSchema(below(schema, "not"), steps)
	}
	switch {
	case len(steps) == 1:
		r.add(edit.Rename(r.Document, r.name, below(schema, "properties", last)...))
		r.each(below(schema, "required"), func(item []any) { r.setIf(item, last) })
		return
	case len(steps) == 2 && steps[0] == celvalue.Each:
		r.each(below(schema, "x-kubernetes-list-map-keys"), func(item []any) { r.setIf(item, last) })
	}
	children := []any{"items", "additionalProperties"}
	if steps[0] != celvalue.Each {
		children = []any{"properties"}
	}
	for _, child := range children {
		next := below(schema, child)
		if child == "properties" {
			next = below(next, steps[0])
		}
		if _, ok := r.At(next...); ok {
			r.inSchema(next, steps[1:])
		}
	}
}

// inValue renames the field in a value.
func (r *renamer) inValue(value []any, steps []string) {
	at, ok := r.At(value...)
	switch {
	case !ok:
	case steps[0] != celvalue.Each && len(steps) == 1:
		r.add(edit.Rename(r.Document, r.name, below(value, steps[0])...))
	case steps[0] != celvalue.Each:
		r.inValue(below(value, steps[0]), steps[1:])
	case len(steps) > 1:
		for i := range at.Len() {
			r.inValue(below(value, i), steps[1:])
		}
		for key := range at.Entries() {
			r.inValue(below(value, key.Value), steps[1:])
		}
	}
}

// inExpression renames the field in an expression of a rule.
func (r *renamer) inExpression(expression []any, steps []string) {
	at, ok := r.At(expression...)
	if !ok {
		return
	}
	scalar, ok := at.Scalar()
	name, isIdentifier := apiservercel.Escape(r.name)
	if !ok || !isIdentifier {
		return
	}
	text := at.Node().Value
	for _, offset := range celvalue.Selections(text, steps) {
		start := len([]rune(text[:offset]))
		r.add(edit.Edit{Range: scalar.Range(start, start+len(identifier.FindString(text[offset:]))), NewText: name}, true)
	}
}

// identifier matches an identifier of CEL at the start of a string.
var identifier = regexp.MustCompile(`^\w+`)

// inPaths renames the field in the JSON paths of a version.
func (r *renamer) inPaths(version []any, steps []string) {
	for _, list := range []string{"additionalPrinterColumns", "selectableFields"} {
		r.each(below(version, list), func(item []any) { r.inPath(below(item, "jsonPath"), steps) })
	}
	for _, field := range []string{"specReplicasPath", "statusReplicasPath", "labelSelectorPath"} {
		r.inPath(below(version, "subresources", "scale", field), steps)
	}
}

// pathStep matches a step of a JSON path: a name, or brackets, in which @.name is a field of an item.
var (
	pathStep   = regexp.MustCompile(`\.([\w-]+)|\[[^\]]*\]`)
	filterStep = regexp.MustCompile(`@\.([\w-]+)`)
)

// inPath renames the field in a JSON path.
func (r *renamer) inPath(path []any, steps []string) {
	at, ok := r.At(path...)
	if !ok {
		return
	}
	text, changed := at.Node().Value, ""
	var before []string
	done := 0
	replace := func(start, end int) {
		changed += text[done:start] + r.name
		done = end
	}
	for _, m := range pathStep.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			if before = append(before, text[m[2]:m[3]]); slices.Equal(before, steps) {
				replace(m[2], m[3])
			}
			continue
		}
		before = append(before, celvalue.Each)
		for _, f := range filterStep.FindAllStringSubmatchIndex(text[m[0]:m[1]], -1) {
			if slices.Equal(append(slices.Clip(before), text[m[0]+f[2]:m[0]+f[3]]), steps) {
				replace(m[0]+f[2], m[0]+f[3])
			}
		}
	}
	if done > 0 {
		r.add(edit.Set(r.Document, changed+text[done:], path...))
	}
}
