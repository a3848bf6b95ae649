package quickfix

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// maxListed is the largest number of fields that a hint lists.
const maxListed = 12

// selectionBefore matches the selection from self at the end of a string, with optional fields.
var selectionBefore = regexp.MustCompile(`\b(?:self|oldSelf)((?:\.\??\w+)*)\.?\??$`)

// embeddedMetadata matches the selection of the metadata of an item.
var embeddedMetadata = regexp.MustCompile(`\.\??metadata\.\??$`)

// explainUndefined sets the hint for a selection of a field that the schema does not declare. before
// is the rule before the name of the field.
func (p *problem) explainUndefined(rule crd.RuleLocation, before, name string) {
	before = strings.TrimRight(before, " \t\n")
	m := selectionBefore.FindStringSubmatch(before)
	if m == nil {
		if embeddedMetadata.MatchString(before) {
			p.Hint = fmt.Sprintf("Rules see only the fields of embedded metadata that the schema declares. Declare %s there, as controller-gen does with generateEmbeddedObjectMeta=true.", name)
		}
		return
	}
	node, path := rule.Node, []string(nil)
	for _, step := range strings.FieldsFunc(m[1], func(r rune) bool { return r == '.' || r == '?' }) {
		path = append(path, step)
		if node != nil {
			node = crd.SchemaAt(node, []string{"properties", step})
		}
	}
	at := "the value"
	if len(path) > 0 {
		at = strings.Join(path, ".")
	}
	switch {
	case len(rule.Path) == 0 && len(path) == 1 && path[0] == "metadata":
		p.Hint = "Rules see only metadata.name and metadata.generateName, and a schema cannot declare the rest. A ValidatingAdmissionPolicy can read object.metadata." + name + "."
	case node == nil:
	case len(path) == 0 && ownerOf(node, name) != "":
		owner := ownerOf(node, name)
		p.Hint = fmt.Sprintf("self has no field %s here, but its %s has. Write self.%s.%s, or move the rule to %s.", name, owner, owner, name, owner)
	case node.XPreserveUnknownFields != nil && *node.XPreserveUnknownFields:
		p.Hint = fmt.Sprintf("Rules see only declared fields, even where x-kubernetes-preserve-unknown-fields keeps others. Declare %s in the properties of %s.", name, at)
	case len(node.Properties) > 0 && len(node.Properties) <= maxListed:
		p.Hint = fmt.Sprintf("The schema declares no field %s in %s, only %s. Correct the name, or declare the field.", name, at, strings.Join(slices.Sorted(maps.Keys(node.Properties)), ", "))
	case len(node.Properties) > 0:
		p.Hint = fmt.Sprintf("The schema declares no field %s in %s. Correct the name, or declare the field.", name, at)
	}
}

// ownerOf returns the only property of a schema that has a property of that name, or an empty string.
func ownerOf(node *apiextensions.JSONSchemaProps, name string) (owner string) {
	for _, property := range slices.Sorted(maps.Keys(node.Properties)) {
		schema := node.Properties[property]
		if _, ok := schema.Properties[name]; !ok {
			continue
		}
		if owner != "" {
			return ""
		}
		owner = property
	}
	return owner
}

// selfField matches the first field of a selection from self or oldSelf.
var selfField = regexp.MustCompile(`\b(self|oldSelf)\.(\??)(\w+)`)

// moveSelection makes a rule select its undeclared fields from the property that declares them.
func (p *problem) moveSelection(rule crd.RuleLocation, name string) []playground.Fix {
	owner := ownerOf(rule.Node, name)
	if owner == "" {
		return nil
	}
	written := p.scalar(p.path...)
	moved := selfField.ReplaceAllStringFunc(written, func(selection string) string {
		m := selfField.FindStringSubmatch(selection)
		if ownerOf(rule.Node, m[3]) != owner {
			return selection
		}
		if _, declared := rule.Node.Properties[m[3]]; declared {
			return selection
		}
		return m[1] + "." + owner + "." + m[2] + m[3]
	})
	if moved == written || !rule.Compiles(moved) {
		return nil
	}
	return p.newFix(fmt.Sprintf("Select from self.%s", owner), p.setValue(moved, p.path...))
}

// optionalOldSelf matches the use of oldSelf as an optional value.
var optionalOldSelf = regexp.MustCompile(`\boldSelf\.(?:\?|(?:hasValue|value|orValue|or|optMap|optFlatMap)\()`)

// explainOverload sets the hint for operands of types that a function does not accept, if they come
// from optionalOldSelf or from undeclared fields.
func (p *problem) explainOverload() {
	rule, ok := p.rule()
	if !ok || rule.Index >= len(rule.Node.XValidations) {
		return
	}
	validation := rule.Node.XValidations[rule.Index]
	switch {
	case validation.OptionalOldSelf != nil && *validation.OptionalOldSelf && strings.Contains(p.Message, "optional"):
		p.Hint = "With optionalOldSelf: true, oldSelf is an optional value. Write !oldSelf.hasValue() || oldSelf.value() == self. Without optionalOldSelf, a rule that uses oldSelf does not run on create."
	case (validation.OptionalOldSelf == nil || !*validation.OptionalOldSelf) && optionalOldSelf.MatchString(validation.Rule):
		p.Hint = "oldSelf is optional only with optionalOldSelf: true (Kubernetes 1.30 and later). The rule then also runs on create."
	case strings.Contains(p.Message, "'@in'") || strings.Contains(p.Message, "'_[_]'"):
		if preservesBelow(rule.Node) {
			p.Hint = "Rules see only declared fields, even where x-kubernetes-preserve-unknown-fields keeps others, and only a map with additionalProperties has keys. Declare the field in properties, and select it with a dot."
		}
	}
}

// preservesBelow reports whether a schema keeps unknown fields at a property.
func preservesBelow(s *apiextensions.JSONSchemaProps) bool {
	for _, property := range s.Properties {
		if property.XPreserveUnknownFields != nil && *property.XPreserveUnknownFields {
			return true
		}
	}
	return false
}

// moveOutOfJunctor moves a keyword from a schema in allOf, anyOf, oneOf or not to the enclosing
// schema, or removes it if that has it.
func moveOutOfJunctor(p *problem) []playground.Fix {
	for i := len(p.path) - 1; i > 0; i-- {
		name, isName := p.path[i].(string)
		if !isName || !slices.Contains([]string{"allOf", "anyOf", "oneOf", "not"}, name) || p.path[i-1] == "properties" {
			continue
		}
		if rest := p.path[i+1:]; len(rest) > 2 || name != "not" && len(rest) != 2 {
			break // The keyword belongs to a property of the alternative.
		}
		to := append(slices.Clip(p.path[:i]), p.name())
		if p.exists(to...) {
			break
		}
		return p.move(fmt.Sprintf("Move %s out of %s", p.name(), name), p.path, to)
	}
	return removeField(p)
}

// explainNull sets the hint for a required field whose null the API server dropped, and replaces it.
func (p *problem) explainNull() []playground.Fix {
	n := p.nodeAt(p.path...)
	node, _ := crdschema.NodeAt(p.schema, p.path)
	if n == nil || n.Kind != yaml.ScalarNode || n.ShortTag() != "!!null" || node == nil {
		return nil
	}
	p.Hint = "The API server drops null values unless the schema has nullable: true, so the field is missing."
	var empty any
	switch node.Type {
	case "array":
		p.Hint += " Go clients send null for an empty list without omitempty. Write an empty list."
		empty = []any{}
	case "object":
		empty = map[string]any{}
	default:
		return nil
	}
	return p.setAccepted(empty)
}

// keepUnknownFields keeps all fields of an object whose schema declares none. The API server prunes
// them otherwise.
func (p *problem) keepUnknownFields(parent []any) []playground.Fix {
	if p.Document != playground.DocumentObject {
		return nil
	}
	node, path := crdschema.NodeAt(p.schema, parent)
	version := p.requestedVersion()
	if node == nil || version == nil || node.Type != "object" || len(node.Properties) > 0 || node.AdditionalProperties != nil || len(parent) == 0 {
		return nil
	}
	name := fmt.Sprint(parent[len(parent)-1])
	p.Hint = fmt.Sprintf("The schema of %s declares no fields, so the API server prunes all of them. To keep any content, set x-kubernetes-preserve-unknown-fields: true there. For a map, set additionalProperties.", name)
	kept, ok := edit.Set(p.crd.Doc, true, append(p.crd.SchemaPath(version.Index, path), "x-kubernetes-preserve-unknown-fields")...)
	return widens(p.newFix(fmt.Sprintf("Accept any fields in %s: set x-kubernetes-preserve-unknown-fields", name), change{edit: kept, ok: ok, document: playground.DocumentCRD}))
}

// correctSelectable explains why a path cannot be selected, and suggests similar ones.
func correctSelectable(p *problem) []playground.Fix {
	written := p.scalar(p.path...)
	switch {
	case strings.HasPrefix(written, ".metadata."):
		p.Hint = "metadata.name and metadata.namespace are always selectable, and labels have their own selector (kubectl get -l). Remove this entry."
		return removeParent(p)
	case strings.Contains(written, "["):
		p.Hint = "A selectable field has a single value, so it cannot be in a list."
		return removeParent(p)
	}
	root, _ := p.crd.SchemaOf(p.path)
	names := strings.Split(strings.TrimPrefix(written, "."), ".")
	p.Hint = "The schema has no such field. A selectable field must be a string, boolean or integer."
	var fixes []playground.Fix
	for i, name := range names {
		node := root
		for _, step := range names[:i] {
			if node != nil {
				node = crd.SchemaAt(node, []string{"properties", step})
			}
		}
		if node == nil || crd.SchemaAt(node, []string{"properties", name}) != nil {
			continue
		}
		for _, similar := range SimilarNames(name, slices.Sorted(maps.Keys(node.Properties))) {
			corrected := slices.Clone(names)
			corrected[i] = similar
			if p.selects(corrected) {
				fixes = append(fixes, p.setField("."+strings.Join(corrected, "."))...)
			}
		}
		break
	}
	return append(fixes, removeParent(p)...)
}

// explainFactor sets the hint for a multipleOf that the API server cuts to 0 for an integer.
func (p *problem) explainFactor() {
	version := p.requestedVersion()
	if p.schema == nil || version == nil {
		return
	}
	_, path := crdschema.NodeAt(p.schema, p.path)
	schema := crd.SchemaAt(p.crd.VersionSchema(version.Kind.Version), path)
	if schema == nil || schema.MultipleOf == nil || *schema.MultipleOf <= 0 {
		return
	}
	p.Hint = fmt.Sprintf("For whole numbers, the API server truncates multipleOf: %v to 0. It checks only numbers with a fraction. Use an integer in a smaller unit, or a rule.", *schema.MultipleOf)
}
