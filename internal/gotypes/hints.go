package gotypes

import "strings"

// inMarkers replaces the keywords of schemas in a hint by the markers that set them.
func inMarkers(hint string) string {
	return strings.NewReplacer(
		"List the properties that identify an item.", "Add +listMapKey for each property that identifies an item.",
		"storage: true", storageMarker,
		"served: false", "+kubebuilder:unservedversion",
		"nullable: true", "+nullable",
		"x-kubernetes-list-type: ", "+listType=",
		"x-kubernetes-list-map-keys", "+listMapKey",
		"x-kubernetes-preserve-unknown-fields: true", "+kubebuilder:pruning:PreserveUnknownFields",
		"x-kubernetes-embedded-resource: true", "+kubebuilder:validation:EmbeddedResource",
		"x-kubernetes-preserve-unknown-fields", "+kubebuilder:pruning:PreserveUnknownFields",
		"x-kubernetes-embedded-resource", "+kubebuilder:validation:EmbeddedResource",
		"x-kubernetes-int-or-string", "+kubebuilder:validation:XIntOrString",
		"x-kubernetes-validations", "+kubebuilder:validation:XValidation",
		"maxLength", "+kubebuilder:validation:MaxLength",
		"maxItems", "+kubebuilder:validation:MaxItems",
		"maxProperties", "+kubebuilder:validation:MaxProperties",
	).Replace(hint)
}
