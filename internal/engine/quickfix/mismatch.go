package quickfix

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/gotype"
	"github.com/crdlab/crdlab/internal/playground"
)

// typeError recognizes the errors of encoding/json about a value of the wrong
// type.
var typeError = pattern(`cannot unmarshal|illegal base64 data`)

// explainMismatch moves a finding about a wrong type to the value, and adds a
// hint and fixes.
func (p *problem) explainMismatch() {
	m := p.findMismatch()
	if m == nil || len(m.Path) == 0 {
		return
	}
	p.path = m.Path
	if location, ok := p.doc.At(m.Path...); ok {
		p.Range = finding.Mark(location)
	}
	if keyword, schema, ok := misplacedKeyword(m.Path); ok {
		p.Hint = fmt.Sprintf("%s is read as a property here. Indent it less to make it a keyword of the schema.", keyword)
		p.Fixes = append(p.Fixes, p.move("Move "+keyword+" out of properties",
			append(schema, "properties", keyword), append(schema, keyword))...)
		return
	}
	p.Hint = m.Hint()
	p.Fixes = append(p.Fixes, p.fixMismatch(m)...)
}

// findMismatch returns the mismatch in a CRD or in the metadata of an object, or
// nil. The API server decodes no other part of an object into a Go type.
func (p *problem) findMismatch() *gotype.Mismatch {
	switch p.Document {
	case playground.DocumentCRD:
		return gotype.FindMismatch(p.doc, reflect.TypeFor[apiextensionsv1.CustomResourceDefinition](), p.Message)
	case playground.DocumentObject:
		return gotype.FindMismatch(p.doc, reflect.TypeFor[metav1.PartialObjectMetadata](), p.Message)
	}
	return nil
}

func (p *problem) fixMismatch(m *gotype.Mismatch) []playground.Fix {
	switch {
	case m.Want == gotype.String && m.Got != nil:
		return p.newFix("Quote "+m.Node.Value, p.setValue(m.Node.Value, m.Path...))
	case m.Want == gotype.Base64 && strings.Contains(m.Node.Value, "-----BEGIN"):
		return p.newFix("Encode as base64", p.setValue(base64.StdEncoding.EncodeToString([]byte(m.Node.Value)), m.Path...))
	case m.Want == gotype.Boolean:
		return p.convertTo("boolean")
	case m.Want == gotype.Integer:
		return p.convertTo("integer")
	case m.Want == gotype.Number:
		return p.convertTo("number")
	}
	return nil
}

// misplacedKeyword returns the keyword of a schema that is below properties, and
// the path of the schema, if a path leads to such a keyword.
func misplacedKeyword(path []any) (keyword string, schema []any, ok bool) {
	for i := len(path) - 1; i > 0; i-- {
		keyword, isKey := path[i].(string)
		if isKey && path[i-1] == "properties" && isSchemaKeyword(keyword) {
			return keyword, path[: i-1 : i-1], true
		}
	}
	return "", nil, false
}

func isSchemaKeyword(name string) bool {
	found := false
	gotype.Fields(reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), func(field string, _ reflect.Type) { found = found || field == name })
	return found
}

// move moves the value at a path to another path, where the document must not
// have a value.
func (p *problem) move(title string, from, to []any) []playground.Fix {
	var value any
	node := p.nodeAt(from...)
	if node == nil || p.exists(to...) || node.Decode(&value) != nil {
		return nil
	}
	return p.newFix(title, p.deleteAt(from...), p.setValue(value, to...))
}
