package engine

import "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

// dropNulls removes nulls from fields that are neither nullable nor have a
// default. Nulls on fields with a default stay until defaulting replaces
// them; items of lists stay and fail validation.
func dropNulls(r *request) error {
	if r.version.preserveUnknown {
		r.skip("the CRD has spec.preserveUnknownFields: true")
		return nil
	}
	if !r.isOfCRD() {
		r.skip(notOfCRD)
		return nil
	}
	before := r.snapshot()
	defaulting.PruneNonNullableNullsWithoutDefaults(r.object.Object, r.version.schema)
	r.recordChanges(before, func(c change) string {
		_, path := schemaAt(r.version.schema, c.path)
		return "null, but " + describeSchemaPath(path) + " is not nullable and has no default"
	})
	return nil
}
