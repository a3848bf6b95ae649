package quickfix

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// removeDuplicateKey removes the first of the keys with the name at the finding's range: kubectl sends
// the last value. It quotes keys that are equal only because YAML 1.1 reads both as booleans, such
// as y and on.
func removeDuplicateKey(p *problem) []playground.Fix {
	path := p.doc.PathAt(p.Range.Start)
	if len(path) == 0 {
		return nil
	}
	second := fmt.Sprint(path[len(path)-1])
	duplicates := p.doc.DuplicateKeys()
	if i := slices.IndexFunc(duplicates, func(d source.DuplicateKey) bool { return d.Range == p.Range }); i >= 0 {
		at := p.doc.PathAt(duplicates[i].First.Start)
		if first := fmt.Sprint(at[len(at)-1]); first != second {
			p.Hint = fmt.Sprintf("YAML 1.1 reads both %s and %s as %s. Quote the names.", first, second, duplicates[i].Decoded)
			return p.newFix(fmt.Sprintf("Quote %s and %s", first, second),
				replaceRange(duplicates[i].First, strconv.Quote(first)), replaceRange(p.Range, strconv.Quote(second)))
		}
	}
	if start, ok := p.secondObject(path); ok {
		p.Hint = "Two objects run together here. Add a line --- before the second one."
		return p.newFix("Add --- before the second object", replaceRange(playground.Range{Start: start, End: start}, "---\n"))
	}
	removed, ok := edit.DeleteFirst(p.doc, p.Range.Start)
	return p.newFix("Remove the first "+second+", which kubectl does not send", change{edit: removed, ok: ok})
}

// secondObject returns the position of the second object in a document, if a duplicate key at its
// root is one of apiVersion, kind and metadata, which the second object repeats.
func (p *problem) secondObject(path []any) (start playground.Position, ok bool) {
	typeMeta := map[any]bool{"apiVersion": true, "kind": true}
	if len(path) != 1 || !typeMeta[path[0]] && path[0] != "metadata" {
		return start, false
	}
	for _, duplicate := range p.doc.DuplicateKeys() {
		if at := p.doc.PathAt(duplicate.Range.Start); len(at) == 1 && typeMeta[at[0]] {
			if !ok {
				start = duplicate.Range.Start
			}
			delete(typeMeta, at[0])
			ok = true
		}
	}
	return start, len(typeMeta) == 0
}

// removeAppliedStatus removes the status from the document of a server-side apply that ignores it.
func removeAppliedStatus(p *problem) []playground.Fix {
	if version := p.requestedVersion(); p.scenario.Operation != playground.OperationApply || version == nil || !version.HasStatus {
		p.Hint = ""
		return nil
	}
	return keepsMeaning(removePath("status"))(p)
}

// setCurrentVersion suggests the served versions that are not deprecated.
func setCurrentVersion(p *problem) []playground.Fix {
	if p.Reason != playground.ReasonWarning {
		return nil
	}
	var fixes []playground.Fix
	for _, version := range p.crd.ServedByPriority() {
		if p.crd.Versions[version].DeprecationWarning == "" {
			fixes = append(fixes, p.setField(p.crd.V1.Spec.Group+"/"+version)...)
		}
	}
	return fixes
}

// nameObject suggests a name and a generateName.
func nameObject(p *problem) []playground.Fix {
	kind := strings.ToLower(p.crd.V1.Spec.Names.Kind)
	named := p.newFix("Set metadata.name: my-"+kind, p.setValue("my-"+kind, "metadata", "name"))
	if p.object.Old != nil || p.scenario.Operation != "" && p.scenario.Operation != playground.OperationCreate {
		return named // only a create generates names
	}
	return append(named, p.newFix("Set metadata.generateName: "+kind+"-", p.setValue(kind+"-", "metadata", "generateName"))...)
}

// restoreOld sets the field to the old object's value.
func restoreOld(p *problem) []playground.Fix {
	var value any = p.object.Old
	for _, step := range p.path {
		mapping, isMapping := value.(map[string]any)
		name, isName := step.(string)
		if !isMapping || !isName || mapping[name] == nil {
			return nil
		}
		value = mapping[name]
	}
	if len(p.path) == 0 {
		return nil
	}
	return p.newFix(fmt.Sprintf("Set %s back to %s", p.label(), formatValue(value)), p.setValue(value, p.path...))
}

// supplyValue sets a missing field to a sample value of its schema.
func supplyValue(p *problem) []playground.Fix {
	node, _ := crdschema.NodeAt(p.schema, p.path)
	if p.schema == nil || node == nil {
		return nil
	}
	if p.exists(p.path...) {
		return p.explainNull()
	}
	schema := crdschema.Schema{Schema: node.ToKubeOpenAPI(), Types: &crdschema.Types{}}
	return p.setField(crdschema.Sample(schema))
}

// lowerCaseObjectName corrects the name of an object. The name of a CRD depends
// on other fields; see nameCRD.
func lowerCaseObjectName(p *problem) []playground.Fix {
	if p.schema == nil {
		return nil
	}
	return lowerCaseName(p)
}

// chooseEnumValue suggests the supported values, the most similar first.
func chooseEnumValue(p *problem) []playground.Fix {
	supported := p.supportedValues()
	names := make([]string, len(supported))
	for i, value := range supported {
		names[i] = fmt.Sprint(value)
	}
	var fixes []playground.Fix
	if value := p.nodeAt(p.path...); p.schema != nil && value != nil && value.Kind == yaml.ScalarNode && value.Value == "" && !p.isRequired() {
		p.Hint = "Go clients send an empty string for a field without omitempty. Remove the field, or add \"\" to the enum."
		fixes = removeField(p)
	}
	tried := map[string]bool{}
	for _, name := range append(SimilarNames(p.scalar(p.path...), names), names...) {
		if len(fixes) == maxFixes || len(tried) == maxCompared {
			break
		}
		if !tried[name] {
			tried[name] = true
			fixes = append(fixes, p.setAccepted(supported[slices.Index(names, name)])...)
		}
	}
	return fixes
}

// supportedValues returns the values of the schema's enum. Fields of a CRD have
// no schema; the message lists their values.
func (p *problem) supportedValues() []any {
	var values []any
	if p.schema == nil {
		_ = json.Unmarshal([]byte("["+p.match[1]+"]"), &values) // an unreadable list yields no suggestions
		return values
	}
	node, _ := crdschema.NodeAt(p.schema, p.path)
	if node == nil || node.ValueValidation == nil {
		return nil
	}
	for _, value := range node.ValueValidation.Enum {
		_, isText := value.Object.(string)
		switch {
		case value.Object == nil: // nullable decides about null
		case node.Type == "array" && isText:
			p.Hint = "The enum applies to the list itself. Move it to items in the CRD. In Go, write +kubebuilder:validation:items:Enum."
		case node.XIntOrString && isText && p.isInteger():
			p.Hint = "The enum also applies to integers. To accept every integer, use a pattern instead, which applies only to strings."
			values = append(values, value.Object)
		case node.Type == "string" && !isText || node.Type != "string" && node.Type != "" && isText:
			p.Hint = fmt.Sprintf("No value of type %s can equal %s in the enum, which has another type. Correct the enum in the CRD, for example with quotes.", node.Type, formatValue(value.Object))
		default:
			values = append(values, value.Object)
		}
	}
	return values
}

// isInteger reports whether the value in the document is an integer.
func (p *problem) isInteger() bool {
	node := p.nodeAt(p.path...)
	return node != nil && node.ShortTag() == "!!int"
}

// convertType converts a scalar to the type that the message requires.
func convertType(p *problem) []playground.Fix { return p.convertTo(p.match[1]) }

// hasEnum reports whether the schema of the value at the path in an object has an enum.
func (p *problem) hasEnum() bool {
	if p.schema == nil {
		return false
	}
	node, _ := crdschema.NodeAt(p.schema, p.path)
	return node != nil && node.ValueValidation != nil && len(node.ValueValidation.Enum) > 0
}

// convertTo converts the scalar at the path to a type. It returns nil if the scalar
// has no such value, or if the schema refuses it.
func (p *problem) convertTo(wanted string) []playground.Fix {
	typed := p.nodeAt(p.path...)
	if typed == nil || len(typed.Content) > 0 {
		return nil
	}
	switch wanted {
	case "string":
		if isOldBoolean(typed) {
			p.Hint = fmt.Sprintf("YAML 1.1 reads %s as a boolean. Quote it to make it a string.", typed.Value)
			return p.newFix("Quote "+typed.Value, p.setValue(typed.Value, p.path...))
		}
		if p.hasEnum() && !slices.Contains(p.supportedValues(), any(typed.Value)) {
			return nil // the enum refuses the string
		}
		if p.schema != nil && typed.ShortTag() == "!!int" {
			p.Hint = "The CRD requires a string. To allow numbers as well, as for ports and percentages, set x-kubernetes-int-or-string: true in the CRD."
		}
		return p.setAccepted(typed.Value)
	case "integer":
		if n, err := strconv.ParseInt(strings.TrimSpace(typed.Value), 10, 64); err == nil {
			return p.setAccepted(n)
		}
	case "number":
		if n, err := strconv.ParseFloat(typed.Value, 64); err == nil {
			return p.setAccepted(n)
		}
	case "boolean":
		switch strings.ToLower(typed.Value) {
		case "true", "yes", "on", "1":
			return p.setAccepted(true)
		case "false", "no", "off", "0":
			return p.setAccepted(false)
		}
	}
	return nil
}

// isOldBoolean reports whether only YAML 1.1 reads a plain scalar as a boolean.
func isOldBoolean(n *yaml.Node) bool {
	switch strings.ToLower(n.Value) {
	case "y", "n", "yes", "no", "on", "off":
		return n.Style == 0
	}
	return false
}

// setToBound sets a number to the nearest permitted value.
func setToBound(p *problem) []playground.Fix {
	limit, err := strconv.ParseFloat(p.match[3], 64)
	if err != nil || !strings.HasPrefix(p.Message, "Invalid value: "+p.scalar(p.path...)+":") {
		return nil // a default or a converted value
	}
	if p.match[2] == "" { // an exclusive limit
		if limit != float64(int64(limit)) {
			return nil
		}
		if limit--; p.match[1] == "greater" {
			limit += 2
		}
	}
	return p.setAccepted(wholeOrFloat(limit))
}

// wholeOrFloat returns n as an int64 if it is a whole number.
func wholeOrFloat(n float64) any {
	if n == float64(int64(n)) {
		return int64(n)
	}
	return n
}

// shortenString cuts a string at the maximum length, without splitting a
// character.
func shortenString(p *problem) []playground.Fix {
	limit, err := strconv.Atoi(p.match[1])
	present := p.scalar(p.path...)
	if err != nil || limit == 0 || len(present) <= limit {
		return nil
	}
	return p.newFix("Shorten it to "+p.match[1], p.setValue(strings.ToValidUTF8(present[:limit], ""), p.path...))
}

// setAccepted sets the field to a value, unless its schema refuses the value. The properties that
// identify the items of a list must be scalars.
func (p *problem) setAccepted(value any) []playground.Fix {
	if (value == "object" || value == "array") && p.isMapKeyType() {
		return nil
	}
	if schema := p.valueSchema(); schema != nil {
		validator, _, err := validation.NewSchemaValidator(schema)
		if err != nil || len(validation.ValidateCustomResource(nil, value, validator)) > 0 {
			return nil
		}
	}
	return p.setField(value)
}

// valueSchema returns the schema of the value at the path in an object, or of the default at the
// path in a CRD; nil if it is unknown.
func (p *problem) valueSchema() *apiextensions.JSONSchemaProps {
	if p.schema != nil {
		version := p.requestedVersion()
		node, path := crdschema.NodeAt(p.schema, p.path)
		if version == nil || node == nil {
			return nil
		}
		return crd.SchemaAt(p.crd.VersionSchema(version.Kind.Version), path)
	}
	root, path := p.crd.SchemaOf(p.path)
	if root == nil || len(path) == 0 || path[len(path)-1] != "default" {
		return nil
	}
	return crd.SchemaAt(root, path[:len(path)-1])
}

// isRequired reports whether the schema requires the field of an object.
func (p *problem) isRequired() bool {
	node, _ := crdschema.NodeAt(p.schema, p.parent())
	return node == nil || isRequired(node, p.name())
}
