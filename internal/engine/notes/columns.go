package notes

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/quickfix"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// columnTypes maps the type of a printer column to the types of the values that it shows, see
// cellForJSONValue of k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor.
// A column of type string shows all values.
var columnTypes = map[string][]string{
	"integer": {"integer", "number", "int-or-string"}, "number": {"integer", "number", "int-or-string"}, "boolean": {"boolean"}, "date": {"string"},
}

// shows reports whether a column of a type can show values of a schema.
func shows(column string, schema *apiextensionsv1.JSONSchemaProps) bool {
	shown, ok := columnTypes[column]
	return !ok || typeOf(schema) == "" || slices.Contains(shown, typeOf(schema))
}

// columns calls visit for each printer column of the version that the document has, if n is the
// root.
func (n node) columns(visit func(c apiextensionsv1.CustomResourceColumnDefinition, at source.Location, path []any)) {
	if n.parent != nil {
		return
	}
	for i, column := range n.AdditionalPrinterColumns {
		path := []any{"spec", "versions", n.index, "additionalPrinterColumns", i}
		if at, ok := n.crd.Doc.At(path...); ok {
			visit(column, at, path)
		}
	}
}

// findTimes reports columns of another type than date that show the time of creation.
func findTimes(n node) (notes []playground.Finding) {
	n.columns(func(c apiextensionsv1.CustomResourceColumnDefinition, at source.Location, path []any) {
		if at, ok := at.At("type"); ok && c.JSONPath == ".metadata.creationTimestamp" && c.Type != "date" {
			notes = append(notes, newNote(at.Value(), fmt.Sprintf("the column %s shows a time instead of the age", c.Name),
				"kubectl prints the time since a date only in a column of type date.", n.set("Set type: date", "date", append(path, "type"))...))
		}
	})
	return notes
}

// findUntimedColumns reports columns of type date whose values may be other strings than times.
func findUntimedColumns(n node) (notes []playground.Finding) {
	n.columns(func(c apiextensionsv1.CustomResourceColumnDefinition, at source.Location, path []any) {
		t := resolve(n.schema, c.JSONPath)
		if at, ok := at.At("type"); ok && c.Type == "date" && t.problem == "" && t.schema != nil && typeOf(t.schema) == "string" && t.schema.Format != "date-time" && t.schema.Pattern == "" {
			notes = append(notes, newNote(at.Value(), fmt.Sprintf("kubectl shows <invalid> in the column %s unless the value is a time", c.Name),
				"A column of type date shows the time that has passed. Set format: date-time in the schema of the field, or type: string here.", n.set("Set type: string", "string", append(path, "type"))...))
		}
	})
	return notes
}

// findEmptyColumns reports columns that are empty for each object.
func findEmptyColumns(n node) (notes []playground.Finding) {
	n.columns(func(c apiextensionsv1.CustomResourceColumnDefinition, at source.Location, path []any) {
		t := resolve(n.schema, c.JSONPath)
		switch {
		case t.problem != "":
			at, _ := at.At("jsonPath")
			notes = append(notes, newNote(at.Value(), fmt.Sprintf("the column %s is always empty: %s", c.Name, t.problem),
				t.hint(), n.correctPath(c.JSONPath, t, append(path, "jsonPath"))...))
		case t.schema != nil && !shows(c.Type, t.schema):
			at, _ := at.At("type")
			hint := "The API server shows a value only if it has the type of the column."
			if t.schema.Type == "array" || t.several {
				hint += " A column cannot count the items of a list: let the controller write their number into the status."
			}
			var fixes []playground.Fix
			if t.schema.Type != "array" && t.schema.Type != "object" {
				fixes = n.set("Set type: "+columnType(t.schema), columnType(t.schema), append(path, "type"))
			}
			notes = append(notes, newNote(at.Value(), fmt.Sprintf("the column %s is always empty: its type is %s, but its path selects %s", c.Name, c.Type, describe(t.schema)), hint, fixes...))
		}
	})
	return notes
}

// columnType returns the type of a column that shows the values of a schema.
func columnType(schema *apiextensionsv1.JSONSchemaProps) string {
	if _, ok := columnTypes[schema.Type]; ok {
		return schema.Type
	}
	return "string"
}

// findFirstValues reports columns that show only the first of several values.
func findFirstValues(n node) (notes []playground.Finding) {
	n.columns(func(c apiextensionsv1.CustomResourceColumnDefinition, at source.Location, _ []any) {
		if t := resolve(n.schema, c.JSONPath); t.several && t.problem == "" && (t.schema == nil || shows(c.Type, t.schema)) {
			at, _ := at.At("jsonPath")
			notes = append(notes, newNote(at.Value(), fmt.Sprintf("the column %s shows only the first of the values that its path selects", c.Name),
				"A column shows a single value. With type: string, the path of a list without [*] shows the whole list as JSON. Otherwise, let the controller write a summary into the status."))
		}
	})
	return notes
}

// findScalePaths reports paths of the scale subresource that lead to no value of the right type.
func findScalePaths(n node) (notes []playground.Finding) {
	if n.parent != nil || n.Subresources == nil || n.Subresources.Scale == nil {
		return nil
	}
	scale := n.Subresources.Scale
	fields := []struct{ name, path, want, effect string }{
		{"specReplicasPath", scale.SpecReplicasPath, "integer", "no object can be scaled"},
		{"statusReplicasPath", scale.StatusReplicasPath, "integer", "the scale subresource reports no replicas"},
	}
	if scale.LabelSelectorPath != nil {
		fields = append(fields, struct{ name, path, want, effect string }{"labelSelectorPath", *scale.LabelSelectorPath, "string", "the scale subresource reports no selector"})
	}
	if at, ok := n.crd.Doc.At("spec", "versions", n.index, "subresources", "scale"); ok && scale.LabelSelectorPath == nil {
		notes = append(notes, newNote(at.Key(), "a HorizontalPodAutoscaler finds no pods, because the scale subresource has no labelSelectorPath",
			"Set labelSelectorPath: .status.selector, and let the controller write the selector as a string, such as app=a."))
	}
	for _, f := range fields {
		path := []any{"spec", "versions", n.index, "subresources", "scale", f.name}
		at, ok := n.crd.Doc.At(path...)
		if !ok {
			continue
		}
		t := resolve(n.schema, f.path)
		switch {
		case t.problem != "":
			notes = append(notes, newNote(at.Value(), f.effect+": "+t.problem, t.hint(), n.correctPath(f.path, t, path)...))
		case t.schema != nil && typeOf(t.schema) != "" && typeOf(t.schema) != f.want && typeOf(t.schema) != "int-or-string":
			notes = append(notes, newNote(at.Value(), fmt.Sprintf("%s of the scale subresource needs a value of type %s, but %s is %s", f.name, f.want, t.walked, describe(t.schema)),
				"Requests for the scale subresource of an object with this value fail."))
		}
	}
	return notes
}

// correctPath returns fixes that replace the missing name of a path by similar names.
func (n node) correctPath(jsonPath string, t target, path []any) (fixes []playground.Fix) {
	if t.missing == "" || strings.Count(jsonPath, "."+t.missing) != 1 {
		return nil
	}
	for _, name := range quickfix.SimilarNames(t.missing, t.known) {
		corrected := strings.Replace(jsonPath, "."+t.missing, "."+name, 1)
		fixes = append(fixes, n.set("Replace with "+corrected, corrected, path)...)
	}
	return fixes
}

// set returns the fix that sets a value of the document, if that is possible.
func (n node) set(title string, value any, path []any) []playground.Fix {
	e, ok := n.setting(value, path...)
	if !ok {
		return nil
	}
	return newFix(title, e)
}
