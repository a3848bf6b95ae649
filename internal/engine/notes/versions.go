package notes

import (
	"fmt"
	"maps"
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
		lost := missingFields(other.Schema.OpenAPIV3Schema, n.schema, "")
		if len(lost) == 0 {
			continue
		}
		if len(lost) > maxPlaces {
			lost = append(lost[:maxPlaces], "…")
		}
		notes = append(notes, newNote(n.at.Key(),
			fmt.Sprintf("an update in %s removes the fields that only %s has: %s", n.Name, other.Name, strings.Join(lost, ", ")),
			"The conversion strategy None changes only the apiVersion, and the API server prunes what a version does not declare. Declare the fields in both versions, or convert with a webhook."))
	}
	return notes
}

// missingFields lists the fields of a schema that another schema prunes, without those below a field
// that is listed.
func missingFields(all, some *apiextensionsv1.JSONSchemaProps, path string) (missing []string) {
	if all == nil || some == nil || some.XPreserveUnknownFields != nil || some.XEmbeddedResource {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(all.Properties)) {
		field, at := all.Properties[name], strings.TrimPrefix(path+"."+name, ".")
		kept, ok := some.Properties[name]
		switch {
		case ok:
			missing = append(missing, missingFields(&field, &kept, at)...)
		case some.AdditionalProperties == nil && (path != "" || !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name)):
			missing = append(missing, at)
		}
	}
	if all.Items != nil && some.Items != nil {
		missing = append(missing, missingFields(all.Items.Schema, some.Items.Schema, path+"[]")...)
	}
	if all.AdditionalProperties != nil && some.AdditionalProperties != nil {
		missing = append(missing, missingFields(all.AdditionalProperties.Schema, some.AdditionalProperties.Schema, path+".*")...)
	}
	return missing
}
