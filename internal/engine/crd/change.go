package crd

import (
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// A change is the schema node of a version that differs from the last decoded CRD.
type change struct {
	version int
	path    crdschema.Path
	// before and after are the node in both CRDs, with empty nodes in place of those that both share.
	before, after *apiextensions.JSONSchemaProps
	// shared has the steps to these nodes.
	shared map[string]bool
}

func newChange(version int, path crdschema.Path, before, after *apiextensions.JSONSchemaProps, shared []crdschema.Path) *change {
	c := &change{version, path, before, after, map[string]bool{}}
	for _, step := range shared {
		c.shared[stepTo(step)] = true
		c.before, c.after = withNode(c.before, step, &apiextensions.JSONSchemaProps{}), withNode(c.after, step, &apiextensions.JSONSchemaProps{})
	}
	return c
}

// keeps reports whether a node of a version is the same as in the last CRD. Its ancestors may have changed.
func (c *change) keeps(version int, path crdschema.Path) bool {
	if c == nil || version != c.version {
		return true
	}
	n := min(len(path), len(c.path))
	if !slices.Equal(path[:n], c.path[:n]) {
		return true
	}
	return len(path) > len(c.path) && c.shared[stepTo(path[len(c.path):])]
}

// stepTo returns the first step of a path.
func stepTo(path crdschema.Path) string {
	if path[0] == "properties" {
		return strings.Join(path[:2], "/")
	}
	return path[0]
}

// isDescriptive reports whether only the wording of descriptions has changed, which upstream does not read.
func (c *change) isDescriptive() bool {
	return c == nil || apiequality.Semantic.DeepEqual(withoutWording(c.before), withoutWording(c.after))
}

// withoutWording returns a copy of a schema with equal descriptions.
func withoutWording(s *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	out := s.DeepCopy()
	visitSchema(out, func(s *apiextensions.JSONSchemaProps) {
		if s.Description != "" {
			s.Description = "…"
		}
	})
	return out
}

// isValid reports whether upstream has found the last CRD valid, and the change cannot make it invalid.
func (r *Request) isValid() bool {
	return r.last != nil && r.last.validRelease == emulatedRelease() && r.change.isDescriptive()
}

func emulatedRelease() string { return environment.DefaultCompatibilityVersion().String() }

// lastVersion returns a version of the last CRD if this one may take its compiled parts, and which nodes of its schema are
// the same; nil for all of them.
func (r *Request) lastVersion(index int) (*Version, celrule.Keeps) {
	if r.last == nil || r.last.served == nil || r.last.validRelease != emulatedRelease() {
		return nil, nil
	}
	last := r.last.served.Versions[r.Internal.Spec.Versions[index].Name]
	if r.change == nil || r.change.version != index {
		return last, nil
	}
	return last, func(path crdschema.Path) bool { return r.change.keeps(index, path) }
}
