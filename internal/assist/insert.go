package assist

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// insert responds to an insert request.
func (a *Assistant) insert(ctx context.Context, request playground.InsertRequest) (*playground.InsertResult, error) {
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	c, err := a.evaluateCRD(ctx, s)
	if err != nil {
		return nil, err
	}
	if c.Internal == nil {
		return cannotInsert("The CRD cannot be decoded."), nil
	}
	text := s.Object
	if strings.TrimSpace(text) == "" {
		sample, err := a.sample(ctx, playground.SampleRequest{CRD: s.CRD, Version: request.Version})
		if err != nil {
			return nil, err
		}
		text = sample.Object
	}
	inserter := inserter{crd: c, field: request.Field, position: request.Position}
	document, problem := inserter.choose(text)
	if problem != "" {
		return cannotInsert("%s", problem), nil
	}
	inserter.kind = c.KindOfVersion(a.engine.KubernetesTypes(), versionOf(document))
	insertion := inserter.insert(document)
	if text != s.Object {
		return startObject(s.Object, text, insertion), nil
	}
	return insertion, nil
}

func cannotInsert(format string, arguments ...any) *playground.InsertResult {
	return &playground.InsertResult{Problem: fmt.Sprintf(format, arguments...)}
}

// startObject returns the insertion of a new object into a blank document. insertion is
// the insertion of the field into the object.
func startObject(blank, object string, insertion *playground.InsertResult) *playground.InsertResult {
	switch {
	case insertion.Problem != "":
		return insertion
	case insertion.Fix != nil:
		for _, e := range insertion.Fix.Edits {
			object = edit.Apply(object, edit.Edit{Range: e.Range, NewText: e.NewText})
		}
	}
	everything := playground.Range{End: playground.Position{Line: strings.Count(blank, "\n"), Character: len([]rune(blank[strings.LastIndexByte(blank, '\n')+1:]))}}
	return &playground.InsertResult{Fix: &playground.Fix{
		Title: "Start an object",
		Edits: []playground.TextEdit{{Document: playground.DocumentObject, Range: everything, NewText: object}},
	}}
}

// An inserter inserts a field into an object.
type inserter struct {
	crd      *crd.CRD
	kind     *crdschema.Kind
	field    []string
	position *playground.Position
	document *source.Document
	// cursor is the path of the value at the position.
	cursor []any
}

// choose returns the document of the object at the position, or of the first object of the
// CRD's kind.
func (i *inserter) choose(text string) (document *source.Document, problem string) {
	file, err := source.Parse(text, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return nil, "The object is too large."
	}
	names := i.crd.Internal.Spec.Names
	for _, d := range file.Documents {
		kind, _ := d.Lookup("kind")
		isAt := i.position != nil && d.Range.Start.Line <= i.position.Line && i.position.Line <= d.Range.End.Line
		switch {
		case d.Err != nil && (isAt || len(file.Documents) == 1):
			return nil, "The object is not valid YAML. Correct it first."
		case d.Err != nil, d.Empty(), kind != names.Kind && kind != "":
			continue
		case isAt:
			i.cursor = d.PathAt(*i.position)
			return d, ""
		case document == nil:
			document = d
		}
	}
	if document == nil {
		return nil, fmt.Sprintf("There is no object of the kind %s.", names.Kind)
	}
	return document, ""
}

func versionOf(document *source.Document) string {
	apiVersion, _ := document.Lookup("apiVersion")
	_, version, _ := strings.Cut(apiVersion, "/")
	return version
}

func (i *inserter) insert(document *source.Document) *playground.InsertResult {
	i.document = document
	if len(i.field) == 0 || i.kind == nil {
		return cannotInsert("There is no such field.")
	}
	path, ok := i.resolve(i.kind.Root, nil, i.field)
	if !ok {
		return cannotInsert("Version %s has no field %s.", i.kind.Version, strings.Join(i.field, "."))
	}
	if location, ok := document.At(path...); ok {
		return &playground.InsertResult{Present: new(location.Key())}
	}
	known := 0
	for known < len(path) {
		if _, ok := document.At(path[:known+1]...); !ok {
			break
		}
		known++
	}
	schema := i.kind.Root.At(path[:known+1])
	value := sampleWith(schema, sampleValue(schema), path[known+1:])
	change, ok := setInBlock(document, value, path[:known+1])
	if !ok {
		change, ok = edit.Set(document, value, path[:known+1]...)
	}
	if !ok {
		return cannotInsert("%s cannot contain a field: it is an alias, or its type is wrong.", pathName(path[:known]))
	}
	return &playground.InsertResult{Fix: &playground.Fix{
		Title: "Insert " + pathName(path),
		Edits: []playground.TextEdit{{Document: playground.DocumentObject, Range: change.Range, NewText: change.NewText}},
	}}
}

// setInBlock sets the first field of a mapping that is written as {}, in block style. ok is
// false for other parents.
func setInBlock(document *source.Document, value any, path []any) (change edit.Edit, ok bool) {
	parent, ok := document.At(path[:len(path)-1]...)
	if !ok || len(path) == 1 || document.JSON() || parent.Len() > 0 {
		return edit.Edit{}, false
	}
	braces := parent.Value()
	if braces.End.Line != braces.Start.Line || braces.End.Character-braces.Start.Character != len("{}") {
		return edit.Edit{}, false
	}
	start := document.Range.Start.Line
	local := playground.Range{
		Start: playground.Position{Line: braces.Start.Line - start, Character: braces.Start.Character - 1}, // with the blank
		End:   playground.Position{Line: braces.End.Line - start, Character: braces.End.Character},
	}
	file, err := source.Parse(edit.Apply(document.Text, edit.Edit{Range: local}), finding.ObjectText)
	if err != nil || len(file.Documents) != 1 {
		return edit.Edit{}, false
	}
	change, ok = edit.Set(file.Documents[0], value, path...)
	isBlock := ok && strings.HasPrefix(change.NewText, "\n")
	if !isBlock || change.Range.Start != local.Start || change.Range.End != local.Start {
		return edit.Edit{}, false
	}
	braces.Start.Character--
	return edit.Edit{Range: braces, NewText: change.NewText}, true
}

func pathName(path []any) string {
	if len(path) == 0 {
		return "The object"
	}
	return jsonvalue.PathString(path)
}

// resolve returns the path of a field below path. It selects the items of lists and the
// keys of maps. It reports false if the schema has no such field.
func (i *inserter) resolve(schema crdschema.Schema, path []any, names []string) (resolved []any, ok bool) {
	if len(names) == 0 {
		return path, true
	}
	if step, _ := contentsOf(schema); step != nil {
		return i.resolveContents(schema, path, names)
	}
	child := schema.Child(names[0])
	if child.Schema == nil {
		return nil, false
	}
	return i.resolve(child, jsonvalue.AppendStep(path, names[0]), names[1:])
}

// maxItemsTried limits the items of a list to search for one without the field.
const maxItemsTried = 20

// resolveContents selects an item of a list or a value of a map: the one at the cursor, the
// first one without the field, the first one, or a new one.
func (i *inserter) resolveContents(schema crdschema.Schema, path []any, names []string) (resolved []any, ok bool) {
	var first []any
	for _, step := range i.steps(schema, path) {
		candidate, ok := i.resolve(schema.Child(step), jsonvalue.AppendStep(path, step), names)
		if !ok {
			return nil, false
		}
		if _, isPresent := i.document.At(candidate...); !isPresent {
			return candidate, true
		}
		if first == nil {
			first = candidate
		}
	}
	return first, true
}

// steps returns the steps from a list or map to its items or values in order of preference.
func (i *inserter) steps(schema crdschema.Schema, path []any) []any {
	step, _ := contentsOf(schema)
	if n := len(path); len(i.cursor) > n && slices.Equal(i.cursor[:n], path) {
		if _, isIndex := i.cursor[n].(int); isIndex == (step == 0) {
			return []any{i.cursor[n]}
		}
	}
	var steps []any
	if location, ok := i.document.At(path...); ok && step == 0 {
		for index := range min(location.Len(), maxItemsTried) {
			steps = append(steps, index)
		}
	} else if ok {
		for key := range location.Entries() {
			steps = append(steps, key.Value)
		}
	}
	switch {
	case len(steps) > 0:
		return steps[:min(len(steps), maxItemsTried)]
	case step == 0:
		return []any{0}
	}
	return []any{"key1"}
}

// sampleValue returns the value of a new field. The caller may change it.
func sampleValue(schema crdschema.Schema) any {
	return runtime.DeepCopyJSONValue(exampleValue(schema))
}

// sampleWith adds the value at a path below a sample of a schema.
func sampleWith(schema crdschema.Schema, sample any, path []any) any {
	if len(path) == 0 {
		return sample
	}
	child := schema.Child(path[0])
	if index, isIndex := path[0].(int); isIndex {
		list, _ := sample.([]any)
		if len(list) == 0 {
			list = []any{crdschema.SampleItem(schema)}
		}
		list[index] = sampleWith(child, list[index], path[1:])
		return list
	}
	fields, isMap := sample.(map[string]any)
	if !isMap {
		fields = map[string]any{}
	}
	name := path[0].(string)
	value, isThere := fields[name]
	if !isThere {
		value = sampleValue(child)
	}
	fields[name] = sampleWith(child, value, path[1:])
	return fields
}
