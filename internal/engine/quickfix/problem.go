package quickfix

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// maxFixes is how many ways out of one mistake are worth offering.
const maxFixes = 4

// A mistake is a finding together with what it takes to mend it.
type problem struct {
	playground.Finding
	doc *source.Document
	// path is the way to the field in doc; its end may be missing there.
	path []any
	// match is what the remedy's pattern found in the message.
	match []string
	crd   *crd.CRD
	// schema is that of the object's version; nil for findings in a CRD.
	schema *structuralschema.Structural
	// old is what the object replaces; nil on create and for a CRD.
	old map[string]any
}

// newProblem completes m by the place of its range in the text.
func newProblem(m problem) *problem {
	m.path = []any{}
	if m.doc.Err == nil && !m.doc.Empty() {
		m.path = m.doc.PathAt(m.Range.Start)
	}
	return &m
}

// at is the mistake at the place of its field, which may be missing there.
func (m *problem) at(location source.Location) *problem {
	if location.Node() == nil {
		return m
	}
	m.path = []any{}
	if location.Key() != m.doc.Root().Key() || location.Node().Kind == yaml.ScalarNode {
		m.path = m.doc.PathAt(location.Key().Start)
	}
	for _, name := range missingStep.FindAllStringSubmatch(location.Missing, -1) {
		var step any = name[1] + name[2]
		if i, err := strconv.Atoi(name[2]); err == nil {
			step = i
		}
		m.path = jsonvalue.AppendStep(m.path, step)
	}
	return m
}

// missingStep is a step of a field as the API server writes it: "spec" or "[name]".
var missingStep = regexp.MustCompile(`([^.\[\]]+)|\[([^\]]*)\]`)

// parent is the path of what holds the field.
func (m *problem) parent() []any {
	if len(m.path) == 0 {
		return nil
	}
	return slices.Clip(m.path[:len(m.path)-1])
}

// name is the last step of the path if that is a key.
func (m *problem) name() string {
	if len(m.path) == 0 {
		return ""
	}
	name, _ := m.path[len(m.path)-1].(string)
	return name
}

// node is the YAML node at a path, or nil.
func (m *problem) node(path ...any) *yaml.Node {
	location, ok := m.doc.At(path...)
	if !ok {
		return nil
	}
	return location.Node()
}

// has reports whether there is a value at a path.
func (m *problem) has(path ...any) bool { return m.node(path...) != nil }

// text is the scalar at a path, or empty.
func (m *problem) text(path ...any) string {
	if n := m.node(path...); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// A textChange is an edit of the mistake's document, if there is one that does it.
type textChange struct {
	edit edit.Edit
	ok   bool
}

func (m *problem) set(value any, path ...any) textChange {
	edit, ok := edit.Set(m.doc, value, path...)
	return textChange{edit, ok}
}

func (m *problem) delete(path ...any) textChange {
	edit, ok := edit.Delete(m.doc, path...)
	return textChange{edit, ok}
}

func (m *problem) rename(name string, path ...any) textChange {
	edit, ok := edit.Rename(m.doc, name, path...)
	return textChange{edit, ok}
}

// replace puts text in the place of a range of the document.
func replace(at playground.Range, text string) textChange {
	return textChange{edit.Edit{Range: at, NewText: text}, true}
}

// fix is the fix that consists of changes; none if one of them cannot be made.
func (m *problem) fix(title string, changes ...textChange) []playground.Fix {
	fix := playground.Fix{Title: title, Edits: []playground.TextEdit{}}
	for _, c := range changes {
		if !c.ok {
			return nil
		}
		fix.Edits = append(fix.Edits, playground.TextEdit{Document: m.Document, Range: c.edit.Range, NewText: c.edit.NewText})
	}
	if len(fix.Edits) == 0 {
		return nil
	}
	return []playground.Fix{fix}
}

// remove is the fix that takes out the field.
func (m *problem) remove() []playground.Fix {
	if m.name() == "" {
		return nil
	}
	return m.fix("Remove "+m.name(), m.delete(m.path...))
}

// setTo is a fix that gives the field a value.
func setTo(value any) func(*problem) []playground.Fix {
	return func(m *problem) []playground.Fix { return m.give(value) }
}

func (m *problem) give(value any) []playground.Fix {
	return m.fix(fmt.Sprintf("Set %s: %s", m.name(), shown(value)), m.set(value, m.path...))
}

// shown is a value as it stands on a button.
func shown(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case map[string]any:
		return "{…}"
	}
	return fmt.Sprint(value)
}

// removeField is the fix that takes out the field.
func removeField(m *problem) []playground.Fix { return m.remove() }

// remedy fills in what to do about a finding: the first hint that fits, and
// the fixes that can be computed.
func (m *problem) remedy() playground.Finding {
	f := m.Finding
	for _, r := range remedies {
		if !r.field.fits(f.Field) {
			continue
		}
		if m.match = r.message.find(f.Message); m.match == nil {
			continue
		}
		if f.Hint == "" {
			f.Hint = r.hint
		}
		if r.fixes != nil && len(f.Fixes) == 0 {
			f.Fixes = append(f.Fixes, m.computed(r.fixes)...)
		}
		if f.Hint != "" && len(f.Fixes) > 0 {
			break
		}
	}
	return f
}

// computed are the fixes of a text that upstream may have refused for any
// reason; a mistake that is not as it should be has none.
func (m *problem) computed(fixes func(*problem) []playground.Fix) []playground.Fix {
	var list []playground.Fix
	_ = upstream.Guard(m.Stage, func() error {
		list = fixes(m)
		return nil
	})
	return list[:min(len(list), maxFixes)]
}
