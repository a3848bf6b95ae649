package finding

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/crdlab/crdlab/internal/source"
)

// LocateCRD locates a field of a CustomResourceDefinition, spelled as in the
// errors of the API server. The server validates the internal version of the
// API. The internal version holds properties common to all versions in
// spec.validation, spec.subresources, spec.additionalPrinterColumns and
// spec.selectableFields, and the webhook configuration directly in
// spec.conversion. A v1beta1 document may have this form as well. LocateCRD
// locates a common property in the first version that contains it. It returns
// the same results as [Locate] otherwise.
func LocateCRD(d *source.Document, field string) (l source.Location, ok bool) {
	best, ok := Locate(d, field)
	if !ok || best.Exact {
		return best, ok
	}
	for _, candidate := range candidates(d, strings.TrimPrefix(field, ".")) {
		l, _ := Locate(d, candidate)
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
	commonField  = regexp.MustCompile(`^spec\.(validation|subresources|additionalPrinterColumns|selectableFields)\b`)
	versionField = regexp.MustCompile(`^spec\.versions\[\d+\]\.(schema|subresources|additionalPrinterColumns|selectableFields|name)\b`)
	jsonPath     = regexp.MustCompile(`\b(JSONPath|jsonPath)$`)
)

var webhookFields = map[string]string{
	"spec.conversion.webhookClientConfig":      "spec.conversion.webhook.clientConfig",
	"spec.conversion.conversionReviewVersions": "spec.conversion.webhook.conversionReviewVersions",
}

// candidates returns the external spellings of an internal field, most likely
// first.
func candidates(d *source.Document, field string) []string {
	field = jsonPath.ReplaceAllString(field, "jsonPath")
	fields := []string{field, jsonPath.ReplaceAllString(field, "JSONPath")}
	for internal, external := range webhookFields {
		if rest, ok := strings.CutPrefix(field, internal); ok {
			fields = append(fields, external+rest)
		}
	}
	if m := commonField.FindStringSubmatch(field); m != nil {
		fields = append(fields, versionFields(d, m[1], field[len(m[0]):])...)
	}
	if m := versionField.FindStringSubmatch(field); m != nil {
		fields = append(fields, v1beta1Field(m[1])+field[len(m[0]):])
	}
	return fields
}

// versionFields returns the field of each version that corresponds to a common
// property.
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

// v1beta1Field returns the field that holds a common property in v1beta1.
func v1beta1Field(name string) string {
	switch name {
	case "schema":
		return "spec.validation"
	case "name":
		return "spec.version"
	}
	return "spec." + name
}
