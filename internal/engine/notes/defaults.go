package notes

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// findNestedDefaults reports the optional objects below spec and in lists whose defaults do not apply if
// they are absent. It offers no fix, because the presence of an object often means something.
func findNestedDefaults(n node) []playground.Finding {
	if n.parent != nil {
		return nil
	}
	var first source.Location
	var paths []string
	var visit func(node)
	visit = func(child node) {
		name := child.path[len(child.path)-1]
		isRoot := len(child.path) == len(crdschema.Path{}.Property(name))
		switch {
		case isRoot && name != "spec":
			return
		case isRoot, child.path[len(child.path)-2] != "properties", child.schema.Default != nil,
			slices.Contains(child.parent.Required, name), !hasDefaults(child.schema):
			child.children(visit)
			return
		}
		if paths = append(paths, child.path.ValuePath()); len(paths) == 1 {
			first = child.at
		}
	}
	n.children(visit)
	if len(paths) == 0 {
		return nil
	}
	if len(paths) > maxPlaces {
		paths = append(paths[:maxPlaces], "…")
	}
	return []playground.Finding{newNote(first.Key(), "the defaults in an optional object apply only if it exists: "+strings.Join(paths, ", "),
		"To set them in every object, add default: {} to the schema of the object, unless its presence has a meaning of its own.")}
}

// hasDefaults reports whether an object with the schema, even if it is empty, gets a default.
func hasDefaults(s *apiextensionsv1.JSONSchemaProps) bool {
	for _, property := range s.Properties {
		if property.Default != nil && string(property.Default.Raw) != "{}" {
			return true
		}
	}
	return false
}
