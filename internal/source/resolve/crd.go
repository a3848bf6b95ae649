package resolve

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/crdlab/crdlab/internal/source"
)

// CRDField finds the place of a field of a CustomResourceDefinition as the
// API server's validation writes it. That validates an internal form, in which
// what all versions have in common stands at spec.validation,
// spec.subresources, spec.additionalPrinterColumns and spec.selectableFields,
// and the webhook's configuration at spec.conversion; in v1beta1 it may be so
// in the text too. What is the same in all versions is found in the first
// version that has it. The answer is otherwise that of [Field].
func CRDField(d *source.Document, field string) (l source.Location, ok bool) {
	best, ok := Field(d, field)
	if !ok || best.Exact {
		return best, ok
	}
	for _, candidate := range candidates(d, strings.TrimPrefix(field, ".")) {
		l, _ := Field(d, candidate)
		if l.Exact {
			return l, true
		}
		if len(l.Missing) < len(best.Missing) {
			best = l
		}
	}
	return best, true
}

var (
	hoisted   = regexp.MustCompile(`^spec\.(validation|subresources|additionalPrinterColumns|selectableFields)\b`)
	versioned = regexp.MustCompile(`^spec\.versions\[\d+\]\.(schema|subresources|additionalPrinterColumns|selectableFields|name)\b`)
	jsonPath  = regexp.MustCompile(`\b(JSONPath|jsonPath)$`)
)

var webhookFields = map[string]string{
	"spec.conversion.webhookClientConfig":      "spec.conversion.webhook.clientConfig",
	"spec.conversion.conversionReviewVersions": "spec.conversion.webhook.conversionReviewVersions",
}

// candidates are other names under which what an internal field means may stand
// in the text, the likely ones first.
func candidates(d *source.Document, field string) []string {
	field = jsonPath.ReplaceAllString(field, "jsonPath")
	fields := []string{field, jsonPath.ReplaceAllString(field, "JSONPath")}
	for internal, external := range webhookFields {
		if rest, ok := strings.CutPrefix(field, internal); ok {
			fields = append(fields, external+rest)
		}
	}
	if m := hoisted.FindStringSubmatch(field); m != nil {
		fields = append(fields, versionFields(d, m[1], field[len(m[0]):])...)
	}
	if m := versioned.FindStringSubmatch(field); m != nil {
		fields = append(fields, v1beta1Field(m[1])+field[len(m[0]):])
	}
	return fields
}

// versionFields are the fields of the versions for a field of the whole CRD.
func versionFields(d *source.Document, name, rest string) []string {
	if name == "validation" {
		name = "schema"
	}
	versions, ok := d.At("spec", "versions")
	if !ok {
		return nil
	}
	var fields []string
	for i := range versions.Len() {
		fields = append(fields, fmt.Sprintf("spec.versions[%d].%s%s", i, name, rest))
	}
	return fields
}

// v1beta1Field is where v1beta1 may have a field of a version for all of them.
func v1beta1Field(name string) string {
	switch name {
	case "schema":
		return "spec.validation"
	case "name":
		return "spec.version"
	}
	return "spec." + name
}
