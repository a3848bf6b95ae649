package quickfix

import (
	"maps"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/playground"
)

// conversionErrors lists errors of the document that replaces the conversion webhook.
var conversionErrors = []suggestion{
	{code: "cel-syntax", message: pattern(`Syntax error`), hint: "Invalid CEL syntax at the marked position."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '[^']+'`), hint: "Unknown identifier. In the expressions of a conversion, self is the value of the field."},
	{code: "conversion-failed", message: pattern(`^the rule fails for the object `), hint: "The rule must handle every object that the schema of its version accepts. Check the value first, for example with size() or a condition."},
	{code: "conversion-document", message: pattern(`^kind "[^"]*" does not describe a conversion webhook`),
		hint: "The document stands for the conversion webhook: it has rules (kind: APIConversion), or responses (kind: ConversionReview).", fixes: correctConversionKind},
	{code: "unknown-field", message: pattern(`^unknown field "`), hint: "The description of a conversion has no such field. Correct the name, or remove the field.", fixes: correctUnknownField},
	{code: "conversion-no-effect", message: pattern(`^the CRD has no version "[^"]*", so `), hint: "Correct the name of the version, or add the version to the CRD.", fixes: correctVersion},
	{code: "conversion-no-effect", message: pattern(`^(\S+) has no field (\S+), so `), hint: "A path begins with a dot, and leads from the root of the object to a field of the schema of this version.", fixes: correctConvertedField},
	{code: "conversion-webhook-unused", message: pattern(`^not used: the CRD's conversion strategy is not Webhook$`), hint: "Set spec.conversion.strategy: Webhook in the CRD, or remove this document."},
}

// correctConversionKind suggests the kinds of documents that replace the webhook.
func correctConversionKind(p *problem) []playground.Fix {
	return p.replaceWithSimilar([]string{"APIConversion", "ConversionReview"}, "kind")
}

// correctVersion suggests the similar versions of the CRD.
func correctVersion(p *problem) []playground.Fix {
	return p.replaceWithSimilar(slices.Sorted(maps.Keys(p.crd.Versions)), p.path...)
}

// correctConvertedField suggests the similar fields of the version's schema.
func correctConvertedField(p *problem) []playground.Fix {
	var paths []string
	var walk func(node *structuralschema.Structural, path string)
	walk = func(node *structuralschema.Structural, path string) {
		for _, name := range slices.Sorted(maps.Keys(node.Properties)) {
			if len(paths) < maxCompared && !strings.Contains(name, ".") {
				paths = append(paths, path+"."+name)
				child := node.Properties[name]
				walk(&child, path+"."+name)
			}
		}
	}
	if schema := p.crd.SchemasByVersion()[p.match[1]]; schema != nil {
		walk(schema, "")
	}
	return p.replaceWithSimilar(paths, p.path...)
}

// replaceWithSimilar returns a fix for each value that is similar to the one at a path.
func (p *problem) replaceWithSimilar(values []string, path ...any) []playground.Fix {
	var fixes []playground.Fix
	for _, value := range SimilarNames(p.scalar(path...), values) {
		fixes = append(fixes, p.newFix("Replace with "+value, p.setValue(value, path...))...)
	}
	return fixes
}
