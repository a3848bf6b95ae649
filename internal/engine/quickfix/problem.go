package quickfix

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

const (
	// maxFixes is the maximum number of alternative fixes for one finding.
	maxFixes = 4
	// maxEdits is the maximum number of nodes that one fix limits, or of items that
	// it removes. A larger fix is too hard to review.
	maxEdits = 16
	// maxCompared is the maximum number of list items or of field names with which the
	// fixes compare a value.
	maxCompared = 500
)

// A problem is a finding with the input for its fixes.
type problem struct {
	playground.Finding
	doc *source.Document
	// path leads to the field in doc, where its last steps may be missing.
	path []any
	// match holds the message's match with the pattern of the suggestion, and its
	// groups.
	match []string
	crd   *crd.CRD
	// schema is the schema of the object's version, or nil for findings in a CRD.
	schema *structuralschema.Structural
	// object is the outcome of the request for the object; empty for findings in other documents.
	object object.Evaluated
	// fault is the cause of an error of a rule, or nil.
	fault *celrule.Fault
	// scenario is the one of the object; empty for findings in other documents.
	scenario playground.Scenario
}

// locateRange sets the path to the node at the finding's range.
func (p *problem) locateRange() {
	p.path = []any{}
	if p.doc.Err == nil && !p.doc.Empty() {
		p.path = p.doc.PathAt(p.Range.Start)
	}
}

// locateField sets the path to the finding's field. Its location may lack the
// last steps of the field.
func (p *problem) locateField(location source.Location) {
	if location.Node() == nil {
		return
	}
	p.path = []any{}
	if location.Key() != p.doc.Root().Key() || location.Node().Kind == yaml.ScalarNode {
		p.path = p.doc.PathAt(location.Key().Start)
	}
	for _, name := range missingStep.FindAllStringSubmatch(location.Missing, -1) {
		var step any = name[1] + name[2]
		if i, err := strconv.Atoi(name[2]); err == nil {
			step = i
		}
		p.path = jsonvalue.AppendStep(p.path, step)
	}
}

// missingStep matches one step of a field path as the API server formats it:
// "spec" or "[name]".
var missingStep = regexp.MustCompile(`([^.\[\]]+)|\[([^\]]*)\]`)

// parent returns the path of the mapping or list that contains the field.
func (p *problem) parent() []any {
	if len(p.path) == 0 {
		return nil
	}
	return slices.Clip(p.path[:len(p.path)-1])
}

// name returns the field's key. It is empty for the items of a list.
func (p *problem) name() string {
	if len(p.path) == 0 {
		return ""
	}
	name, _ := p.path[len(p.path)-1].(string)
	return name
}

// label returns the field's key. The label of an item of a list is the list's, with the index.
func (p *problem) label() string {
	from := len(p.path)
	for i, step := range p.path {
		if _, isKey := step.(string); isKey {
			from = i
		}
	}
	return jsonvalue.PathString(p.path[from:])
}

// rule returns the location of the rule that the finding concerns.
func (p *problem) rule() (crd.RuleLocation, bool) { return p.crd.RuleAt(p.path) }

// nodeAt returns the YAML node at a path, or nil.
func (p *problem) nodeAt(path ...any) *yaml.Node {
	location, ok := p.doc.At(path...)
	if !ok {
		return nil
	}
	return location.Node()
}

// exists reports whether the document has a node at a path.
func (p *problem) exists(path ...any) bool { return p.nodeAt(path...) != nil }

// scalar returns the scalar at a path as written, or an empty string.
func (p *problem) scalar(path ...any) string {
	if n := p.nodeAt(path...); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// scalars returns the scalars of the list at a path as written.
func (p *problem) scalars(path ...any) []string {
	var values []string
	if n := p.nodeAt(path...); n != nil && n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			values = append(values, item.Value)
		}
	}
	return values
}

// A change is an edit of the finding's document. ok is false if no edit can
// make the change.
type change struct {
	edit edit.Edit
	ok   bool
	// document is empty for the finding's document.
	document playground.Document
}

func (p *problem) setValue(value any, path ...any) change {
	edit, ok := edit.Set(p.doc, value, path...)
	return change{edit: edit, ok: ok}
}

// appendValue appends a value to the list at a path. The list need not exist.
func (p *problem) appendValue(value any, path ...any) change {
	return p.setValue(value, append(path, len(p.scalars(path...)))...)
}

func (p *problem) deleteAt(path ...any) change {
	edit, ok := edit.Delete(p.doc, path...)
	return change{edit: edit, ok: ok}
}

func (p *problem) renameKey(name string, path ...any) change {
	edit, ok := edit.Rename(p.doc, name, path...)
	return change{edit: edit, ok: ok}
}

func replaceRange(r playground.Range, replacement string) change {
	return change{edit: edit.Edit{Range: r, NewText: replacement}, ok: true}
}

// newFix returns one fix that makes all changes, or nil if a change is
// impossible or there are no changes.
func (p *problem) newFix(title string, changes ...change) []playground.Fix {
	fix := playground.Fix{Title: title, Edits: []playground.TextEdit{}}
	for _, c := range changes {
		if !c.ok {
			return nil
		}
		fix.Edits = append(fix.Edits, playground.TextEdit{Document: cmp.Or(c.document, p.Document), Range: c.edit.Range, NewText: c.edit.NewText})
	}
	if len(fix.Edits) == 0 {
		return nil
	}
	return []playground.Fix{fix}
}

// setField sets the field to a value.
func (p *problem) setField(value any) []playground.Fix {
	return p.newFix(fmt.Sprintf("Set %s: %s", p.label(), formatValue(value)), p.setValue(value, p.path...))
}

// setFieldTo returns a fix function that sets the field to a constant value.
func setFieldTo(value any) fixFunc {
	return func(p *problem) []playground.Fix { return p.setField(value) }
}

// removeField removes the field.
func removeField(p *problem) []playground.Fix {
	if p.name() == "" {
		return nil
	}
	return p.newFix("Remove "+p.name(), p.deleteAt(p.path...))
}

// removePath returns a fix function that removes the field at a path, which the
// finding does not name.
func removePath(path ...any) fixFunc {
	return func(p *problem) []playground.Fix {
		return p.newFix(fmt.Sprintf("Remove %s", path[len(path)-1]), p.deleteAt(path...))
	}
}

// formatValue formats a value for the title of a fix.
func formatValue(value any) string {
	switch value := value.(type) {
	case string:
		if node := (yaml.Node{Kind: yaml.ScalarNode, Value: value}); node.ShortTag() != "!!str" || isOldBoolean(&node) {
			return strconv.Quote(value) // as the document has it
		}
		return value
	case map[string]any:
		return "{…}"
	}
	return fmt.Sprint(value)
}
