// Package bundle handles scenarios with several CustomResourceDefinitions. The engine
// evaluates one CRD and the objects of its kind. This package divides a scenario into one
// for each CRD and matches the objects to the CRDs.
//
// The divided documents keep their lines: empty lines replace all other documents. The
// ranges of a report are therefore valid in the user's documents.
package bundle

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

const crdKind = "CustomResourceDefinition"

// A Bundle is a scenario with its CRDs.
type Bundle struct {
	scenario playground.Scenario
	crds     *crds
	chosen   int
	// objects and oldObjects hold the objects of Scenario.Object and OldObject.
	objects, oldObjects *objects
	// updated has, for a CRD whose name an earlier one in the document has, the index of the CRD
	// that it updates.
	updated map[int]int
}

// Evaluator returns a function that evaluates the CRDs of a scenario, each with the objects of
// its kind. The report is about the chosen CRD, see [playground.Scenario.CRDIndex], and has the
// reports on the others.
func Evaluator(evaluate playground.Evaluate) playground.Evaluate {
	var divider Divider
	return func(ctx context.Context, s playground.Scenario) (playground.Report, error) {
		b, err := divider.Divide(s)
		if err != nil {
			return playground.Report{}, err
		}
		each := func(ctx context.Context, _ int, s playground.Scenario) (playground.Report, error) {
			return evaluate(ctx, s)
		}
		report, _, err := b.Evaluate(ctx, each, &Others{}, MaxOthers)
		return report, err
	}
}

// A Divider divides scenarios. It remembers the last CRDs, because a user who edits
// objects repeats them. The zero value is ready for use, also concurrently.
type Divider struct{ last atomic.Pointer[crds] }

// Divide returns the bundle of a scenario. The error is a
// [playground.InvalidScenarioError].
func (v *Divider) Divide(s playground.Scenario) (*Bundle, error) {
	if s.CRDIndex < 0 {
		return nil, &playground.InvalidScenarioError{Parameter: "crdIndex", Message: "must not be negative"}
	}
	b := &Bundle{scenario: s}
	if strings.Count(s.CRD, crdKind) < 2 {
		return b, nil
	}
	b.crds = v.last.Load()
	if b.crds == nil || b.crds.text != s.CRD {
		b.crds = parseCRDs(s.CRD)
		v.last.Store(b.crds)
	}
	if b.Len() > 1 {
		b.chosen = min(s.CRDIndex, b.Len()-1)
		b.objects, b.oldObjects = parseObjects(s.Object, b.crds), parseObjects(s.OldObject, b.crds)
	}
	return b, nil
}

// Choose chooses the CRD of a position: the CRD at this position, or the CRD of the
// object at this position. It keeps the choice if there is neither.
func (b *Bundle) Choose(document playground.Document, at playground.Position) {
	if b.Len() == 1 {
		return
	}
	switch document {
	case playground.DocumentCRD:
		for i, crd := range b.crds.all {
			if contains(crd.document.Range, at) {
				b.chosen = i
			}
		}
	case playground.DocumentObject:
		b.chooseOwner(b.objects, at)
	case playground.DocumentOldObject:
		b.chooseOwner(b.oldObjects, at)
	}
}

func (b *Bundle) chooseOwner(o *objects, at playground.Position) {
	for d, owner := range o.owners {
		if contains(d.Range, at) {
			b.chosen = owner
		}
	}
}

func contains(r playground.Range, at playground.Position) bool {
	return r.Start.Line <= at.Line && at.Line <= r.End.Line
}

// Len returns the number of CRDs, or 1 if the scenario has no CRD.
func (b *Bundle) Len() int {
	if b.crds == nil {
		return 1
	}
	return max(1, len(b.crds.all))
}

// Scenario returns the scenario of the chosen CRD.
func (b *Bundle) Scenario() playground.Scenario { return b.At(b.chosen) }

// Chosen returns the index of the chosen CRD.
func (b *Bundle) Chosen() int { return b.chosen }

// At returns the scenario of a CRD with the objects of its kind.
func (b *Bundle) At(index int) playground.Scenario {
	s := b.scenario
	s.CRDIndex = 0
	if b.Len() == 1 {
		return s
	}
	crd := b.crds.all[index]
	s.CRD = b.crds.keep(func(d *source.Document) bool { return d == crd.document })
	s.OldCRD = oldCRD(s.OldCRD, crd.name)
	if old, ok := b.updated[index]; ok {
		s.OldCRD = b.crds.keep(func(d *source.Document) bool { return d == b.crds.all[old].document })
	}
	s.Object = b.objects.of(index)
	s.OldObject = b.oldObjects.of(index)
	return s
}

// A Kind identifies the objects that a CRD describes.
type Kind struct{ Group, Kind string }

// KindOf returns the group and kind of an object. It also finds them in a document with a
// syntax error, if each has a line of its own. They are empty in other documents.
func KindOf(d *source.Document) Kind {
	group, _, ok := strings.Cut(field(d, "apiVersion"), "/")
	if !ok {
		group = "" // the core group: "v1"
	}
	return Kind{group, field(d, "kind")}
}

// Described returns the name of a CRD and the kind of the objects that it describes. ok is
// false if the document is no CRD.
func Described(d *source.Document) (name string, kind Kind, ok bool) {
	if field(d, "kind") != crdKind {
		return "", Kind{}, false
	}
	name, _ = d.Lookup("metadata", "name")
	kind.Group, _ = d.Lookup("spec", "group")
	kind.Kind, _ = d.Lookup("spec", "names", "kind")
	return name, kind, true
}

// A crd is a CustomResourceDefinition of a file.
type crd struct {
	document *source.Document
	name     string
	Kind
}

// crds holds the CustomResourceDefinitions of a file.
type crds struct {
	file
	all []crd
}

func parseCRDs(text string) *crds {
	c := &crds{file: parse(text)}
	for _, d := range c.documents {
		if name, kind, ok := Described(d); ok {
			c.all = append(c.all, crd{d, name, kind})
		}
	}
	return c
}

// owner returns the index of the CRD that describes an object: the CRD of its group and
// kind, otherwise the first CRD of its group, otherwise the first.
func (c *crds) owner(d *source.Document) int {
	kind, ofGroup := KindOf(d), 0
	for i, crd := range slices.Backward(c.all) {
		if crd.Group != kind.Group {
			continue
		}
		if crd.Kind == kind {
			return i
		}
		ofGroup = i
	}
	return ofGroup
}

// oldCRD returns the previous CRDs that have a name.
func oldCRD(text, name string) string {
	if strings.Count(text, crdKind) < 2 {
		return text
	}
	old := parseCRDs(text)
	return old.keep(func(d *source.Document) bool {
		for _, crd := range old.all {
			if crd.document == d {
				return crd.name == name
			}
		}
		return false
	})
}

// objects holds the objects of a file with the CRDs that describe them.
type objects struct {
	file
	owners map[*source.Document]int
}

func parseObjects(text string, c *crds) *objects {
	o := &objects{file: parse(text), owners: map[*source.Document]int{}}
	for _, d := range o.documents {
		if !d.Empty() {
			o.owners[d] = c.owner(d)
		}
	}
	return o
}

// of returns the objects that a CRD describes.
func (o *objects) of(crd int) string {
	return o.keep(func(d *source.Document) bool { return o.owners[d] == crd })
}

func (o *objects) count(crd int) int {
	n := 0
	for _, owner := range o.owners {
		if owner == crd {
			n++
		}
	}
	return n
}

// A file is a parsed file.
type file struct {
	text      string
	documents []*source.Document
}

// parse parses a file. A file that exceeds a limit has no documents, so that keep returns
// it as it is and the engine reports the limit.
func parse(text string) file {
	parsed, err := source.Parse(text, source.DefaultLimits)
	if exceeded := (*source.LimitError)(nil); errors.As(err, &exceeded) {
		return file{text, nil}
	}
	return file{text, parsed.Documents}
}

// keep returns the file with empty lines instead of the documents that it does not keep.
func (f file) keep(keeps func(*source.Document) bool) string {
	var kept strings.Builder
	end := 0
	for _, d := range f.documents {
		if keeps(d) {
			continue
		}
		layout := d.Layout()
		kept.WriteString(f.text[end:layout.Start])
		kept.WriteString(strings.Repeat("\n", strings.Count(f.text[layout.Start:layout.End], "\n")))
		end = layout.End
	}
	kept.WriteString(f.text[end:])
	return kept.String()
}

// field returns the value of apiVersion or kind. It also finds the field in a document
// with a syntax error, if it has a line of its own.
func field(d *source.Document, name string) string {
	if value, ok := d.Lookup(name); ok || d.Err == nil {
		return value
	}
	match := regexp.MustCompile(fmt.Sprintf(`(?m)^%s:[ \t]*["']?([\w./-]+)`, name)).FindStringSubmatch(d.Text)
	if match == nil {
		return ""
	}
	return match[1]
}
