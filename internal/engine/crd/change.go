package crd

import (
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/openapi"
)

// A change is the schema node of a version that differs from the last decoded CRD.
type change struct {
	version int
	path    crdschema.Path
	// before and after are the node in both CRDs, with empty nodes in place of those that both share.
	before, after *apiextensions.JSONSchemaProps
	// shared has the steps to these nodes.
	shared map[string]bool
	// keepsContext reports that the rules of these nodes mean the same.
	keepsContext bool
}

func newChange(version int, path crdschema.Path, before, after *apiextensions.JSONSchemaProps, shared []crdschema.Path) *change {
	c := &change{version: version, path: path, before: before, after: after, shared: map[string]bool{}}
	c.keepsContext = apiequality.Semantic.DeepEqual(contextOf(before), contextOf(after))
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

// keepsRules reports whether the rules of a node and of all nodes below it are the same, and upstream judges them alike:
// what it permits in rules, and how often it counts their cost, depends on the node above.
func (c *change) keepsRules(version int, path crdschema.Path) bool {
	return c.keeps(version, path) && (c.keepsContext || version != c.version || !isBelow(path, c.path))
}

func isBelow(path, above crdschema.Path) bool {
	return len(path) > len(above) && slices.Equal(path[:len(above)], above)
}

// contextOf returns a schema with only the keywords on which the rules of the nodes below it depend.
func contextOf(s *apiextensions.JSONSchemaProps) apiextensions.JSONSchemaProps {
	context := apiextensions.JSONSchemaProps{
		Type: s.Type, Nullable: s.Nullable, XEmbeddedResource: s.XEmbeddedResource, XIntOrString: s.XIntOrString,
		XPreserveUnknownFields: s.XPreserveUnknownFields, XListType: s.XListType, XListMapKeys: s.XListMapKeys, XMapType: s.XMapType,
	}
	if s.Items != nil {
		context.MaxItems = s.MaxItems
	}
	if s.AdditionalProperties != nil {
		context.MaxProperties = s.MaxProperties
	}
	return context
}

// stepTo returns the first step of a path.
func stepTo(path crdschema.Path) string {
	if path[0] == "properties" {
		return strings.Join(path[:2], "/")
	}
	return path[0]
}

// v1 returns the node in both CRDs in v1, or nil if it cannot be converted.
func (c *change) v1() (before, after *apiextensionsv1.JSONSchemaProps) {
	before, after = &apiextensionsv1.JSONSchemaProps{}, &apiextensionsv1.JSONSchemaProps{}
	if apiextensionsv1.Convert_apiextensions_JSONSchemaProps_To_v1_JSONSchemaProps(c.before.DeepCopy(), before, nil) != nil ||
		apiextensionsv1.Convert_apiextensions_JSONSchemaProps_To_v1_JSONSchemaProps(c.after.DeepCopy(), after, nil) != nil {
		return nil, nil
	}
	return before, after
}

// keepsTypes reports whether the types for merging objects are the same.
func (c *change) keepsTypes() bool {
	if c == nil {
		return true
	}
	before, after := c.v1()
	return before != nil && after != nil && openapi.HaveSameTypes(before, after)
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

// withoutKnownRules returns the CRD without the rules that upstream has found valid, as far as the change cannot make them
// invalid. It returns nil if the validity of other parts may depend on these rules: they judge the defaults, whose total cost
// is limited.
func (r *Request) withoutKnownRules() *apiextensions.CustomResourceDefinition {
	c := r.change
	if r.last == nil || c == nil || r.last.validRelease != emulatedRelease() || hasDefault(c.after) {
		return nil
	}
	bare := func(version int, v *apiextensions.CustomResourceValidation) (*apiextensions.CustomResourceValidation, bool) {
		if v == nil || v.OpenAPIV3Schema == nil {
			return v, true
		}
		if version != c.version {
			return &apiextensions.CustomResourceValidation{OpenAPIV3Schema: withoutRules(v.OpenAPIV3Schema)}, true
		}
		schema := c.withoutKnownRules(v.OpenAPIV3Schema, crdschema.Path{})
		return &apiextensions.CustomResourceValidation{OpenAPIV3Schema: schema}, schema != nil
	}
	out, ok := *r.Internal, true
	if out.Spec.Validation, ok = bare(c.version, out.Spec.Validation); !ok {
		return nil
	}
	out.Spec.Versions = slices.Clone(out.Spec.Versions)
	for i, v := range out.Spec.Versions {
		if out.Spec.Versions[i].Schema, ok = bare(i, v.Schema); !ok {
			return nil
		}
	}
	return &out
}

// withoutKnownRules returns nil for a node with a default at or above the change.
func (c *change) withoutKnownRules(s *apiextensions.JSONSchemaProps, path crdschema.Path) *apiextensions.JSONSchemaProps {
	if s.Default != nil {
		return nil
	}
	isComplete := true
	out := mapSchemas(s, path, func(child *apiextensions.JSONSchemaProps, path crdschema.Path) *apiextensions.JSONSchemaProps {
		switch {
		case c.keepsRules(c.version, path):
			return withoutRules(child)
		case c.keeps(c.version, path):
			return child
		}
		below := c.withoutKnownRules(child, path)
		if below == nil {
			isComplete = false
			return child
		}
		return below
	})
	if !isComplete {
		return nil
	}
	return out
}

// withoutRules returns a schema without rules. It shares the nodes that have none.
func withoutRules(s *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	hasOwn, hasBelow := len(s.XValidations) > 0, false
	out := mapSchemas(s, nil, func(child *apiextensions.JSONSchemaProps, _ crdschema.Path) *apiextensions.JSONSchemaProps {
		bare := withoutRules(child)
		hasBelow = hasBelow || bare != child
		return bare
	})
	if !hasOwn && !hasBelow {
		return s
	}
	out.XValidations = nil
	return out
}

// mapSchemas returns a copy of a schema with other nodes directly below it.
func mapSchemas(s *apiextensions.JSONSchemaProps, path crdschema.Path, to func(*apiextensions.JSONSchemaProps, crdschema.Path) *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	out := *s
	if s.Items != nil && s.Items.Schema != nil {
		items := *s.Items
		items.Schema = to(items.Schema, path.Items())
		out.Items = &items
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		additional := *s.AdditionalProperties
		additional.Schema = to(additional.Schema, path.Additional())
		out.AdditionalProperties = &additional
	}
	if len(s.Properties) > 0 {
		out.Properties = make(map[string]apiextensions.JSONSchemaProps, len(s.Properties))
		for name, property := range s.Properties {
			out.Properties[name] = *to(&property, path.Property(name))
		}
	}
	return &out
}

// isValid reports whether upstream has found the last CRD valid, and the change cannot make it invalid.
func (r *Request) isValid() bool {
	return r.last != nil && r.last.validRelease == emulatedRelease() && r.change.isDescriptive()
}

func emulatedRelease() string { return environment.DefaultCompatibilityVersion().String() }

// lastServed returns the last CRD with its compiled versions, or nil if they are not to be used.
func (r *Request) lastServed() *CRD {
	if r.last == nil || r.last.validRelease != emulatedRelease() {
		return nil
	}
	return r.last.served
}

// lastVersion returns the version of the last CRD if it is the same, or else its rules. Both may be nil.
func (r *Request) lastVersion(index int) (*Version, *celrule.Earlier) {
	served := r.lastServed()
	if served == nil {
		return nil, nil
	}
	last := served.Versions[r.Internal.Spec.Versions[index].Name]
	if r.change == nil || r.change.version != index {
		return last, nil
	}
	return nil, &celrule.Earlier{
		Validator: last.CELValidator, Rules: last.Rules,
		Keeps:      func(path crdschema.Path) bool { return r.change.keeps(index, path) },
		KeepsRules: func(path crdschema.Path) bool { return r.change.keepsRules(index, path) },
	}
}
