package notes

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/playground"
)

// findLostFields reports the fields of other served versions that a version lacks, if the API server
// converts between them by changing the apiVersion only. An update in the version removes them.
func findLostFields(n node) (notes []playground.Finding) {
	spec := n.crd.V1.Spec
	if n.parent != nil || !n.Served || spec.Conversion != nil && spec.Conversion.Strategy != apiextensionsv1.NoneConverter {
		return nil
	}
	for _, other := range spec.Versions {
		if !other.Served || other.Name == n.Name || other.Schema == nil || other.Schema.OpenAPIV3Schema == nil {
			continue
		}
		lost := missingFields(other.Schema.OpenAPIV3Schema, n.schema)
		lost = slices.DeleteFunc(lost, func(path string) bool { return path == "apiVersion" || path == "kind" || path == "metadata" })
		if len(lost) == 0 {
			continue
		}
		slices.Sort(lost)
		if len(lost) > maxPlaces {
			lost = append(lost[:maxPlaces], "…")
		}
		notes = append(notes, newNote(n.location().Key(),
			fmt.Sprintf("an update in %s removes the fields that only %s has: %s", n.Name, other.Name, strings.Join(lost, ", ")),
			"The conversion strategy None changes only the apiVersion, and the API server prunes what a version does not declare. Declare the fields in both versions, or convert with a webhook."))
	}
	return notes
}

// missingFields lists the fields of a schema that another schema prunes, without those below a field
// that is listed. It builds paths only for these, because most schemas are equal.
func missingFields(all, some *apiextensionsv1.JSONSchemaProps) (missing []string) {
	if all == nil || some == nil || some.XPreserveUnknownFields != nil || some.XEmbeddedResource {
		return nil
	}
	for name, field := range all.Properties {
		kept, ok := some.Properties[name]
		switch {
		case ok:
			for _, path := range missingFields(&field, &kept) {
				missing = append(missing, name+separator(path)+path)
			}
		case some.AdditionalProperties == nil:
			missing = append(missing, name)
		}
	}
	if all.Items != nil && some.Items != nil {
		for _, path := range missingFields(all.Items.Schema, some.Items.Schema) {
			missing = append(missing, "[]"+separator(path)+path)
		}
	}
	if all.AdditionalProperties != nil && some.AdditionalProperties != nil {
		for _, path := range missingFields(all.AdditionalProperties.Schema, some.AdditionalProperties.Schema) {
			missing = append(missing, "*"+separator(path)+path)
		}
	}
	return missing
}

// separator returns the prefix of a path below another one.
func separator(path string) string {
	if strings.HasPrefix(path, "[]") {
		return ""
	}
	return "."
}
