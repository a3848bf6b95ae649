package witness

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/solve"
	"github.com/crdlab/crdlab/internal/playground"
)

// A setting is a field of a CRD outside of its schemas that influences requests for
// objects.
type setting struct {
	// suffix is the end of the field's path.
	suffix string
	// candidates returns the candidates for a change of the setting.
	candidates func(root crdschema.Schema) []solve.Edit
	// rejects reports whether the setting may be the reason for rejecting an object.
	// finding is an error of the report.
	rejects func(report playground.Object, finding playground.Finding) bool
}

var settings = []setting{
	{".subresources.status", statusCandidates, func(_ playground.Object, finding playground.Finding) bool {
		return solve.IsBelow(finding.Field, "status")
	}},
	{".subresources.scale", scaleCandidates, func(_ playground.Object, finding playground.Finding) bool {
		return strings.HasPrefix(finding.Field, ".") // a path of the subresource
	}},
	{".storage", fieldCandidates, func(report playground.Object, _ playground.Finding) bool {
		return report.Status.Code == http.StatusInternalServerError
	}},
	{"spec.preserveUnknownFields", unknownCandidates, func(_ playground.Object, finding playground.Finding) bool {
		return solve.IsBelow(finding.Field, unknownKey)
	}},
	{"", anyCandidate, func(report playground.Object, _ playground.Finding) bool {
		return report.Status.Code == http.StatusNotFound // the version is not served
	}},
}

// settingOf returns the setting of a field.
func settingOf(field string) setting {
	return settings[slices.IndexFunc(settings, func(s setting) bool { return strings.HasSuffix(field, s.suffix) })]
}

func anyCandidate(crdschema.Schema) []solve.Edit { return []solve.Edit{{Value: map[string]any{}}} }

func unknownCandidates(crdschema.Schema) []solve.Edit {
	return []solve.Edit{{Path: []any{unknownKey}, Value: solve.ExampleKey}}
}

func statusCandidates(root crdschema.Schema) []solve.Edit {
	return valuesOf(root, "status")
}

// valuesOf returns values of a field of the root, the richest first.
func valuesOf(root crdschema.Schema, name string) []solve.Edit {
	field := root.Child(name)
	if field.Schema == nil {
		return nil
	}
	sample := crdschema.Sample(field)
	var all []solve.Edit
	for _, value := range slices.Backward(append([]any{sample}, crdschema.SampleEdits(field, sample)...)) {
		all = append(all, solve.Edit{Path: []any{name}, Value: value})
	}
	return all
}

// scaleCandidates returns negative numbers, which a scale subresource rejects.
func scaleCandidates(root crdschema.Schema) []solve.Edit {
	var all []solve.Edit
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		field := root.Child(name)
		for _, inner := range slices.Sorted(maps.Keys(field.Properties)) {
			if field.Child(inner).Is("integer") {
				all = append(all, solve.Edit{Path: []any{name, inner}, Value: int64(-1)})
			}
		}
	}
	return all
}

// fieldCandidates returns values of each field of the root, which another schema may prune.
func fieldCandidates(root crdschema.Schema) []solve.Edit {
	all := anyCandidate(root)
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			all = append(all, valuesOf(root, name)...)
		}
	}
	return all
}
