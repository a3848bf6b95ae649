// Package notes explains mistakes that the API server accepts without a word, although the CRD does
// not do what its author probably wants.
package notes

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// kinds lists the kinds of notes. A check reports the notes about one schema node, and at the
// root also those about the other parts of the version.
var kinds = []struct {
	code  string
	check func(node) []playground.Finding
}{
	{"column-no-value", findEmptyColumns},
	{"column-first-value", findFirstValues},
	{"column-age", findTimes},
	{"column-no-value", findUntimedColumns},
	{"scale-no-value", findScalePaths},
	{"status-with-spec", findSharedStatus},
	{"lost-fields", findLostFields},
	{"unstored-value", findUnstored},
	{"enum-type", findMistypedEnums},
	{"boolean-key", findBooleanKeys},
	{"unknown-field-in-crd", findIgnoredKeywords},
	{"int-or-string-pattern", findUncheckedIntegers},
	{"escaped-map-key", findEscapedKeys},
	{"embedded-metadata", findPrunedMetadata},
	{"all-of-bound", findUncountedBounds},
	{"transition-avoided", findAvoidedTransitions},
	{"message-expression", findExpressionMessages},
}

// maxNotes is the maximum number of notes that a report describes.
const maxNotes = 50

// maxPlaces is the maximum number of places that a note names.
const maxPlaces = 16

// Add adds the notes about an accepted CRD to its report.
func Add(c *crd.CRD) {
	if c.V1 == nil || !c.Report.Accepted || c.V1.Spec.PreserveUnknownFields {
		return
	}
	l := list{merged: map[string]int{}, patterns: map[string]bool{}, hasNullable: strings.Contains(c.Doc.Text, "nullable")}
	for i, v := range c.V1.Spec.Versions {
		root, ok := c.Doc.At(c.SchemaPath(i, nil)...)
		if !ok || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue // the existing CRD has the schema
		}
		schema := v.Schema.OpenAPIV3Schema
		properties := sync.OnceValue(func() map[string]bool { return propertiesOf(schema, map[string]bool{}) })
		l.walk(node{version: &version{v, i, c, &l, properties}, place: &place{known: true, at: root, exists: true}, schema: schema})
	}
	slices.SortStableFunc(l.notes, func(a, b playground.Finding) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	notes := finding.NewCollector(maxNotes)
	notes.Add(l.notes...)
	c.Report.Findings = append(c.Report.Findings, notes.List()...)
	playground.SortFindings(c.Report.Findings)
}

// A version is a version of a CRD.
type version struct {
	apiextensionsv1.CustomResourceDefinitionVersion
	index int // in spec.versions
	crd   *crd.CRD
	list  *list
	// properties returns the names of all properties of the schema.
	properties func() map[string]bool
}

// A node is a schema node of a version.
type node struct {
	*version
	path crdschema.Path
	*place
	schema *apiextensionsv1.JSONSchemaProps
	// parent is the schema that contains the node; nil for the root.
	parent *apiextensionsv1.JSONSchemaProps
	// unchecked reports whether strict decoding ignores unknown keywords here.
	unchecked bool
}

// A place is the place of a schema node in the document. Few nodes have notes, so the document is
// searched for a place only once somebody asks for it.
type place struct {
	above *place // nil for the root
	// keyword is the keyword of the schema above that holds the node, as the property of this name
	// for properties.
	keyword, property string

	known  bool
	at     source.Location
	exists bool
}

// find returns the location of the place. ok is false if the document lacks it.
func (p *place) find() (at source.Location, ok bool) {
	if p.known {
		return p.at, p.exists
	}
	p.known = true
	from, ok := p.above.find()
	if ok {
		p.at, p.exists = from.At(p.keyword)
	}
	if p.exists && p.keyword == "properties" {
		p.at, p.exists = p.at.At(p.property)
	}
	return p.at, p.exists
}

// location returns the location of the node; the zero location if the document lacks it.
func (n node) location() source.Location {
	at, _ := n.find()
	return at
}

// lookup returns the location of a field of the node.
func (n node) lookup(path ...any) (source.Location, bool) {
	at, ok := n.find()
	if !ok {
		return at, false
	}
	return at.At(path...)
}

// children calls visit for each node below n. Nodes are valid until visit returns.
func (n node) children(visit func(node)) {
	child := n
	child.parent = n.schema
	below := func(path crdschema.Path, schema *apiextensionsv1.JSONSchemaProps, keyword, property string) {
		child.path, child.place, child.schema = path, &place{above: n.place, keyword: keyword, property: property}, schema
		visit(child)
	}
	if len(n.schema.Properties) > 0 {
		schema := new(apiextensionsv1.JSONSchemaProps)
		for _, name := range slices.Sorted(maps.Keys(n.schema.Properties)) {
			*schema = n.schema.Properties[name]
			below(n.path.Property(name), schema, "properties", name)
		}
	}
	child.unchecked = true
	if items := n.schema.Items; items != nil && items.Schema != nil {
		below(n.path.Items(), items.Schema, "items", "")
	}
	if additional := n.schema.AdditionalProperties; additional != nil && additional.Schema != nil {
		below(n.path.Additional(), additional.Schema, "additionalProperties", "")
	}
}

// A list collects notes, one for each cause in several versions.
type list struct {
	notes []playground.Finding
	// merged holds the index of a note by its code, schema node and message.
	merged map[string]int
	// patterns caches the results of matchesIntegers: CRDs repeat the pattern of quantities.
	patterns map[string]bool
	// hasNullable reports whether any schema may write nullable.
	hasNullable bool
}

func (l *list) walk(n node) {
	for _, kind := range kinds {
		for _, note := range kind.check(n) {
			if _, ok := n.find(); !ok {
				continue
			}
			note.Code = kind.code
			l.add(n, note)
		}
	}
	n.children(l.walk)
}

// add adds a note about n. It merges a note that another version has at the same node.
func (l *list) add(n node, note playground.Finding) {
	key := note.Code + "\n" + n.path.String() + "\n" + note.Message
	i, ok := l.merged[key]
	if !ok {
		l.merged[key] = len(l.notes)
		l.notes = append(l.notes, note)
		return
	}
	known := &l.notes[i]
	if known.Range == note.Range || len(known.Related) >= maxPlaces {
		return // an alias, or too long to read
	}
	known.Related = append(known.Related, playground.Related{Document: note.Document, Range: note.Range, Message: "Also here"})
	for j := range min(len(known.Fixes), len(note.Fixes)) {
		known.Fixes[j].Edits = append(known.Fixes[j].Edits, note.Fixes[j].Edits...)
	}
}

// newNote returns a note about a range of the CRD document.
func newNote(at playground.Range, message, hint string, fixes ...playground.Fix) playground.Finding {
	note := finding.New(playground.SeverityInfo, playground.DocumentCRD, playground.StageNotes, at, message)
	note.Reason, note.Hint = playground.ReasonNote, hint
	note.Fixes = append(note.Fixes, fixes...)
	return note
}

// newFix returns a fix that makes the edits; nothing without edits.
func newFix(title string, edits ...edit.Edit) []playground.Fix {
	if len(edits) == 0 {
		return nil
	}
	fix := playground.Fix{Title: title}
	for _, e := range edits {
		fix.Edits = append(fix.Edits, playground.TextEdit{Document: playground.DocumentCRD, Range: e.Range, NewText: e.NewText})
	}
	return []playground.Fix{fix}
}

// newWideningFix returns a fix after which the API server accepts more objects.
func newWideningFix(title string, edits ...edit.Edit) []playground.Fix {
	fixes := newFix(title, edits...)
	for i := range fixes {
		fixes[i].Effect = playground.FixWidens
	}
	return fixes
}

// setting returns the edit that sets a value of the document, see [node.edit].
func (n node) setting(value any, path ...any) (edit.Edit, bool) {
	return n.edit(func() (edit.Edit, bool) { return edit.Set(n.crd.Doc, value, path...) })
}

// edit returns the result of compute. ok is false if there is no such edit, or if the report
// probably has no room for the note: finding the place for an edit takes time.
func (n node) edit(compute func() (edit.Edit, bool)) (e edit.Edit, ok bool) {
	if len(n.list.notes) >= maxNotes {
		return e, false
	}
	return compute()
}

// documentPath returns the path of a field of the node in the document.
func (n node) documentPath(steps ...any) []any {
	return append(n.crd.SchemaPath(n.index, n.path), steps...)
}
