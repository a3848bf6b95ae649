package quickfix

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/gotype"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// A knownField is a field that authors write in a CRD although v1 lacks it there.
type knownField struct {
	name string
	// parent is the last step of the path that contains the field, or nil for any.
	parent any
	hint   string
	// fixes is nil if the general fixes suffice.
	fixes fixFunc
}

// knownFields lists fields of v1beta1, of OpenAPI, and common confusions.
var knownFields = []knownField{
	{"validation", "spec", "In v1, each version has its own schema: spec.versions[].schema.", moveToVersions("schema")},
	{"subresources", "spec", "In v1, each version has its own subresources: spec.versions[].subresources.", moveToVersions("subresources")},
	{"additionalPrinterColumns", "spec", "In v1, each version has its own columns: spec.versions[].additionalPrinterColumns.", moveToVersions("additionalPrinterColumns")},
	{"version", "spec", "v1 has no spec.version; spec.versions lists all versions.", nil},
	{"webhookClientConfig", "conversion", "In v1, this field is spec.conversion.webhook.clientConfig.", moveToWebhook("clientConfig")},
	{"conversionReviewVersions", "conversion", "In v1, this field is spec.conversion.webhook.conversionReviewVersions.", moveToWebhook("conversionReviewVersions")},
	{"preserveUnknownFields", nil, "In a schema, this keyword is x-kubernetes-preserve-unknown-fields.", renameTo("x-kubernetes-preserve-unknown-fields")},
	{"preserveUnknownProperties", nil, "In a schema, this keyword is x-kubernetes-preserve-unknown-fields.", renameTo("x-kubernetes-preserve-unknown-fields")},
	{"readOnly", nil, "Kubernetes has no readOnly. The rule self == oldSelf makes a field immutable.", replaceWithImmutableRule},
	{"writeOnly", nil, "Kubernetes has no writeOnly.", nil},
	{"const", nil, "Kubernetes has no const. An enum with a single value has the same effect.", replaceWithEnum},
	{"if", nil, conditionHint, nil},
	{"then", nil, conditionHint, nil},
	{"else", nil, conditionHint, nil},
	{"examples", nil, "Kubernetes has only example, with a single value.", nil},
}

const conditionHint = "Kubernetes has no conditional schemas. Use a CEL rule in x-kubernetes-validations."

// unknownField recognizes the error of strict decoding about an unknown field.
var unknownField = pattern(`^unknown field "`)

// explainKnownField adds the hint and fixes for a known field to a finding about
// an unknown field of a CRD.
func (p *problem) explainKnownField() {
	p.path = p.doc.PathAt(p.Range.Start)
	if len(p.path) == 0 {
		return
	}
	name := p.name()
	var parent any
	if len(p.path) > 1 {
		parent = p.path[len(p.path)-2]
	}
	i := slices.IndexFunc(knownFields, func(k knownField) bool { return k.name == name && (k.parent == nil || k.parent == parent) })
	if i < 0 {
		return
	}
	p.Hint = knownFields[i].hint
	if compute := knownFields[i].fixes; compute != nil {
		p.Fixes = append(p.computeFixes(compute), removeField(p)...)
	}
}

// moveToVersions returns a fix function that moves the field into each version.
func moveToVersions(name string) fixFunc {
	return func(p *problem) []playground.Fix {
		var value any
		node, versions := p.nodeAt(p.path...), p.nodeAt("spec", "versions")
		if node == nil || versions == nil || node.Decode(&value) != nil {
			return nil
		}
		changes := []change{p.deleteAt(p.path...)}
		for i := range versions.Content {
			if !p.exists("spec", "versions", i, name) {
				changes = append(changes, p.setValue(value, "spec", "versions", i, name))
			}
		}
		if len(changes) == 1 {
			return nil
		}
		return p.newFix("Move it to spec.versions[]."+name, changes...)
	}
}

// moveToWebhook returns a fix function that moves the field into
// spec.conversion.webhook.
func moveToWebhook(name string) fixFunc {
	return func(p *problem) []playground.Fix {
		return p.move("Move it to spec.conversion.webhook."+name, p.path, []any{"spec", "conversion", "webhook", name})
	}
}

// renameTo returns a fix function that renames the field.
func renameTo(name string) fixFunc {
	return func(p *problem) []playground.Fix {
		if p.exists(append(p.parent(), name)...) {
			return nil
		}
		return p.newFix("Rename to "+name, p.renameKey(name, p.path...))
	}
}

// replaceWithImmutableRule replaces the field with a rule that rejects changes.
func replaceWithImmutableRule(p *problem) []playground.Fix {
	rule := map[string]any{"rule": "self == oldSelf", "message": "field is immutable"}
	rules := append(p.parent(), "x-kubernetes-validations")
	if n := p.nodeAt(rules...); n != nil {
		return p.newFix("Add the rule self == oldSelf", p.deleteAt(p.path...), p.setValue(rule, append(rules, len(n.Content))...))
	}
	return p.newFix("Add the rule self == oldSelf", p.deleteAt(p.path...), p.setValue([]any{rule}, rules...))
}

// replaceWithEnum replaces the field with an enum of its value.
func replaceWithEnum(p *problem) []playground.Fix {
	var value any
	if n := p.nodeAt(p.path...); n == nil || n.Decode(&value) != nil {
		return nil
	}
	return p.newFix(fmt.Sprintf("Set enum: [%s]", formatValue(value)), p.deleteAt(p.path...), p.setValue([]any{value}, append(p.parent(), "enum")...))
}

// indentUnknownField moves an unknown field of an object into the field above it,
// if that field has such a property.
func (p *problem) indentUnknownField(path []any) []playground.Fix {
	parent := path[: len(path)-1 : len(path)-1]
	mapping, name := p.nodeAt(parent...), path[len(path)-1]
	if mapping == nil || p.schema == nil {
		return nil
	}
	above := ""
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i].Value; key != name {
			above = key
			continue
		}
		break
	}
	if above == "" || !p.hasField(append(parent, above), name.(string)) {
		return nil
	}
	return p.move(fmt.Sprintf("Move it into %s", above), path, append(parent, above, name))
}

// outdentUnknownField moves a field out of the nearest mapping around it in whose parent the schema
// has such a field: usually only its indentation is wrong.
func (p *problem) outdentUnknownField(path []any) []playground.Fix {
	name, isName := path[len(path)-1].(string)
	for i := len(path) - 2; i >= 0 && isName; i-- {
		around, isKey := path[i].(string)
		if to := append(slices.Clip(path[:i]), any(name)); isKey && slices.Contains(p.fieldNames(path[:i]), name) {
			return p.move(fmt.Sprintf("Move it out of %s", around), path, to)
		}
	}
	return nil
}

// hasField reports whether the schema of an object permits a field in the mapping at a path.
func (p *problem) hasField(path []any, name string) bool {
	if slices.Equal(path, []any{"metadata"}) {
		return slices.Contains(gotype.FieldNames(reflect.TypeFor[metav1.ObjectMeta](), nil), name)
	}
	node, _ := crdschema.NodeAt(p.schema, path)
	if node == nil {
		return false
	}
	_, ok := node.Properties[name]
	return ok
}

// correctUnknownField suggests similar fields of the schema, and removing the
// field.
func correctUnknownField(p *problem) []playground.Fix {
	path := p.doc.PathAt(p.Range.Start)
	if len(path) == 0 {
		return nil
	}
	parent := slices.Clip(path[:len(path)-1])
	typed, ok := path[len(path)-1].(string)
	if !ok || !strings.Contains(p.Message, typed) {
		return nil // The message has characters that the API server escapes.
	}
	if p.Document == playground.DocumentObject {
		p.Hint = "The schema has no such field, so the API server prunes it. Correct the name, or add the field to the schema."
		if p.Severity == playground.SeverityError {
			p.Hint = "The schema has no such field. Correct the name, add the field to the schema, or set field validation to Warn or Ignore to have it pruned."
		}
	}
	if node := p.nodeAt(path...); node != nil && node.Anchor != "" {
		p.Hint = "YAML copies the anchored value to each alias, but the key that holds the anchor remains a field. Set the anchor at its first use instead, and remove this key."
	} else if typed == "namespace" && slices.Contains(parent, any("ownerReferences")) {
		p.Hint = "A namespaced owner must be in the same namespace as the object, so the reference has no field for it."
	} else if above := p.preservingAbove(parent); above != "" {
		p.Hint += fmt.Sprintf(" %s preserves unknown fields, but not below the fields that its schema declares. To keep unknown fields here, too, set x-kubernetes-preserve-unknown-fields: true here.", above)
	}
	var fixes []playground.Fix
	for _, name := range SimilarNames(typed, p.fieldNames(parent)) {
		if !p.exists(append(parent, name)...) {
			fixes = append(fixes, p.newFix("Rename to "+name, p.renameKey(name, path...))...)
		}
	}
	fixes = append(fixes, p.indentUnknownField(path)...)
	fixes = append(fixes, p.outdentUnknownField(path)...)
	fixes = append(fixes, p.keepUnknownFields(parent)...)
	fixes = append(fixes, p.moveToProperties(path)...)
	return append(fixes, p.newFix("Remove "+typed, p.deleteAt(path...))...)
}

// preservingAbove returns the nearest field above a path whose schema preserves unknown fields, or an empty string.
func (p *problem) preservingAbove(path []any) string {
	for i := len(path) - 1; i >= 0 && p.schema != nil; i-- {
		if node, _ := crdschema.NodeAt(p.schema, path[:i]); node != nil && node.XPreserveUnknownFields {
			return cmp.Or(jsonvalue.PathString(path[:i]), "the object")
		}
	}
	return ""
}

// moveToProperties moves a field of a schema in a CRD that looks like a property, because its
// value is a schema, below the properties of its parent.
func (p *problem) moveToProperties(path []any) []playground.Fix {
	parent, value := path[:len(path)-1:len(path)-1], p.nodeAt(path...)
	if p.Document != playground.DocumentCRD || !slices.Contains(path, any("openAPIV3Schema")) || value == nil || p.scalar(append(path, "type")...) == "" {
		return nil
	}
	object := parent
	if !p.exists(append(parent, "properties")...) && p.scalar(append(parent, "type")...) != "object" {
		// The field is indented below a property, which has no properties.
		if len(parent) < 2 || parent[len(parent)-2] != "properties" {
			return nil
		}
		object = parent[: len(parent)-2 : len(parent)-2]
	}
	owner := object[len(object)-1]
	if owner == "openAPIV3Schema" {
		owner = "the object"
	}
	return p.move(fmt.Sprintf("Move it to the properties of %v", owner), path, append(object, "properties", path[len(path)-1]))
}

// admissionTypes has the type of each kind of the group admissionregistration.k8s.io.
var admissionTypes = map[string]reflect.Type{
	"ValidatingAdmissionPolicy":        reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicy](),
	"ValidatingAdmissionPolicyBinding": reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyBinding](),
	"MutatingAdmissionPolicy":          reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicy](),
	"MutatingAdmissionPolicyBinding":   reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicyBinding](),
	"ValidatingWebhookConfiguration":   reflect.TypeFor[admissionregistrationv1.ValidatingWebhookConfiguration](),
	"MutatingWebhookConfiguration":     reflect.TypeFor[admissionregistrationv1.MutatingWebhookConfiguration](),
}

// fieldNames returns the fields that the schema permits in the mapping at a
// path.
func (p *problem) fieldNames(path []any) []string {
	if p.Document == playground.DocumentCRD {
		return gotype.FieldNames(reflect.TypeFor[apiextensionsv1.CustomResourceDefinition](), path)
	}
	if kind, _ := p.doc.Lookup("kind"); p.Document == playground.DocumentAdmission && admissionTypes[kind] != nil {
		return gotype.FieldNames(admissionTypes[kind], path)
	}
	if p.Document == playground.DocumentConversion {
		return gotype.FieldNames(reflect.TypeFor[conversion.APIConversion](), path)
	}
	if p.schema == nil {
		return nil
	}
	names := []string{}
	if len(path) == 0 {
		names = append(names, "apiVersion", "kind", "metadata")
	}
	if node, _ := crdschema.NodeAt(p.schema, path); node != nil && len(node.Properties) <= maxCompared {
		names = append(names, slices.Sorted(maps.Keys(node.Properties))...)
	}
	return names
}
