package assist

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// template responds with the start of a conversion or admission document for a CRD. It is
// empty if the CRD cannot be decoded.
func (a *Assistant) template(ctx context.Context, request playground.TemplateRequest) (*playground.TemplateResult, error) {
	s, err := engine.SetDefaults(playground.Scenario{CRD: request.CRD})
	if err != nil {
		return nil, err
	}
	c, err := a.evaluateCRD(ctx, s)
	if err != nil || c.Internal == nil {
		return &playground.TemplateResult{}, err
	}
	switch request.Document {
	case playground.DocumentConversion:
		return &playground.TemplateResult{Text: conversionTemplate(c)}, nil
	case playground.DocumentAdmission:
		return &playground.TemplateResult{Text: admissionTemplate(c.Internal.Spec)}, nil
	}
	return nil, &playground.InvalidScenarioError{Parameter: "document", Message: "must be conversion or admission"}
}

// admissionTemplate returns a policy for the resource of a CRD, with its binding.
func admissionTemplate(spec apiextensions.CustomResourceDefinitionSpec) string {
	name := "check-" + spec.Names.Plural
	return fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: %[1]s
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: [%[2]s]
      apiVersions: ["*"]
      operations: [CREATE, UPDATE]
      resources: [%[3]s]
  validations:
  # The variables are object, oldObject, request, authorizer, params and namespaceObject.
  - expression: object.metadata.name.size() <= 63
    message: the name must have at most 63 characters
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: %[1]s
spec:
  policyName: %[1]s
  validationActions: [Deny]
`, yamlString(name), yamlString(spec.Group), yamlString(spec.Names.Plural))
}

// conversionTemplate drafts APIConversion rules between the storage version and each other
// version of a CRD, from the differences of their schemas.
func conversionTemplate(c *crd.CRD) string {
	spec := c.Internal.Spec
	var b strings.Builder
	if !c.ConvertsByWebhook() {
		b.WriteString("# These rules apply if the CRD has spec.conversion.strategy: Webhook.\n")
	}
	b.WriteString("kind: APIConversion\nspec:\n")
	storage := slices.IndexFunc(spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Storage })
	if storage < 0 || len(spec.Versions) < 2 {
		b.WriteString("  # A conversion needs a second version in spec.versions of the CRD.\n  conversions: []\n")
		return b.String()
	}
	b.WriteString("  conversions:\n")
	hub := spec.Versions[storage].Name
	for _, version := range spec.Versions {
		if version.Name != hub {
			writeConversion(&b, c, version.Name, hub)
			writeConversion(&b, c, hub, version.Name)
		}
	}
	return b.String()
}

// writeConversion writes the rules from one version to another.
func writeConversion(b *strings.Builder, c *crd.CRD, from, to string) {
	fmt.Fprintf(b, "  - from: %s\n    to: %s\n", yamlString(from), yamlString(to))
	d := conversionDraft{}
	d.compare(c.VersionSchema(from), c.VersionSchema(to), "")
	if len(d.rules)+len(d.open) == 0 {
		b.WriteString("    rules: []\n")
	} else {
		b.WriteString("    rules:\n")
	}
	for _, rule := range d.rules {
		rule.write(b, "    ")
	}
	for _, open := range d.open {
		fmt.Fprintf(b, "    # %s\n", open.note)
		open.rule.write(b, "    # ")
	}
	if len(d.preserve) > 0 {
		b.WriteString("    preserve:\n")
	}
	for _, field := range d.preserve {
		fmt.Fprintf(b, "    - %s\n", yamlString(field))
	}
}

// A conversionDraft collects the rules that convert objects of one schema to another.
// Fields that both schemas specify alike need no rule.
type conversionDraft struct {
	rules []draftedRule
	// preserve lists the fields that the other schema lacks. An annotation keeps them.
	preserve []string
	// open lists the differences that the schemas do not explain.
	open []openDifference
}

// An openDifference is a difference for which the user must complete a rule.
type openDifference struct {
	note string
	rule draftedRule
}

type draftedRule struct{ field, destination, transformation string }

// write writes the rule as an item of a list whose lines begin with prefix.
func (r draftedRule) write(b *strings.Builder, prefix string) {
	fmt.Fprintf(b, "%[1]s- field: %[2]s\n%[1]s  destination: %[3]s\n", prefix, yamlString(r.field), yamlString(r.destination))
	if r.transformation != "" {
		fmt.Fprintf(b, "%s  transformation: %s\n", prefix, yamlString(r.transformation))
	}
}

// compare adds the differences between the fields of two schema nodes at a path.
func (d *conversionDraft) compare(from, to *apiextensions.JSONSchemaProps, path string) {
	if from == nil || to == nil {
		return
	}
	removed, added := onlyIn(from, to, path), onlyIn(to, from, path)
	if len(removed) == 1 && len(added) == 1 && hasSameType(from.Properties[removed[0]], to.Properties[added[0]]) {
		d.rules = append(d.rules, draftedRule{field: path + "." + removed[0], destination: path + "." + added[0]})
		removed, added = nil, nil
	}
	for _, name := range removed {
		d.preserve = append(d.preserve, path+"."+name)
	}
	for i, name := range added {
		// A field that the other version lacks is the likely source, or else the object around the new field.
		rule := draftedRule{field: cmp.Or(path, "."), destination: path + "." + name, transformation: "self"}
		if len(removed) > 0 {
			rule.field = path + "." + removed[min(i, len(removed)-1)]
		}
		d.open = append(d.open, openDifference{fmt.Sprintf("%s.%s is new. If another field determines its value, complete this rule:", path, name), rule})
	}
	for _, name := range slices.Sorted(maps.Keys(from.Properties)) {
		if other, ok := to.Properties[name]; ok && isPathStep(name) && !(path == "" && name == "metadata") {
			d.compareField(from.Properties[name], other, path+"."+name)
		}
	}
}

// compareField adds the difference between the schemas of a field.
func (d *conversionDraft) compareField(from, to apiextensions.JSONSchemaProps, path string) {
	switch {
	case from.Type == "object" && to.Type == "object":
		d.compare(&from, &to, path)
	case from.Type == "array" && to.Type == "array":
		if from.Items != nil && to.Items != nil && from.Items.Schema != nil && to.Items.Schema != nil && !hasSameFields(*from.Items.Schema, *to.Items.Schema) {
			d.open = append(d.open, openDifference{fmt.Sprintf("The items of %s differ. Complete this rule, which makes each new item from an old one:", path), draftedRule{path, path, "self.map(item, item)"}})
		}
	case hasSameType(from, to):
	default:
		transformation, ok := scalarConversions[[2]string{from.Type, to.Type}]
		if !ok || from.XIntOrString || to.XIntOrString {
			d.open = append(d.open, openDifference{fmt.Sprintf("%s changes its type from %s to %s. Complete this rule:", path, typeName(from), typeName(to)), draftedRule{path, path, "self"}})
			return
		}
		d.rules = append(d.rules, draftedRule{path, path, transformation})
	}
}

// scalarConversions lists transformations by the types of the field and the destination.
var scalarConversions = map[[2]string]string{
	{"integer", "string"}:  "string(self)",
	{"number", "string"}:   "string(self)",
	{"boolean", "string"}:  "string(self)",
	{"integer", "number"}:  "double(self)",
	{"number", "integer"}:  "int(self)",
	{"string", "integer"}:  `self.matches("^-?[0-9]{1,18}$") ? int(self) : 0`,
	{"string", "boolean"}:  `self == "true"`,
	{"integer", "boolean"}: "self != 0",
	{"boolean", "integer"}: "self ? 1 : 0",
}

// onlyIn returns the properties of a schema node that another one lacks.
func onlyIn(node, other *apiextensions.JSONSchemaProps, path string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(node.Properties)) {
		isMeta := path == "" && (name == "apiVersion" || name == "kind" || name == "metadata")
		if _, ok := other.Properties[name]; !ok && !isMeta && isPathStep(name) {
			names = append(names, name)
		}
	}
	return names
}

// isPathStep reports whether a rule can address a property by its name.
func isPathStep(name string) bool { return name != "" && !strings.Contains(name, ".") }

func hasSameType(a, b apiextensions.JSONSchemaProps) bool {
	return a.Type == b.Type && a.XIntOrString == b.XIntOrString
}

// hasSameFields reports whether two schemas have the same types and fields.
func hasSameFields(a, b apiextensions.JSONSchemaProps) bool {
	return hasSameType(a, b) && maps.EqualFunc(a.Properties, b.Properties, hasSameFields)
}

func typeName(node apiextensions.JSONSchemaProps) string {
	if node.XIntOrString {
		return "integer or string"
	}
	return node.Type
}
