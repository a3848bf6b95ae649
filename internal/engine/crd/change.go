package crd

import (
	"maps"
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

// A change is the schema node of a version that differs from an earlier CRD.
type change struct {
	version int
	path    crdschema.Path
	// before and after are the node in both CRDs, with empty nodes in place of those that both share.
	before, after *apiextensions.JSONSchemaProps
	// shared has the steps to these nodes.
	shared map[string]bool
	// keepsContext reports that the rules of these nodes mean the same.
	keepsContext bool
	// isWording reports that only the wording of descriptions has changed, which upstream does not read.
	isWording bool
}

func newChange(version int, path crdschema.Path, before, after *apiextensions.JSONSchemaProps, shared []crdschema.Path) *change {
	c := &change{version: version, path: path, before: before, after: after, shared: map[string]bool{}}
	c.keepsContext = apiequality.Semantic.DeepEqual(contextOf(before), contextOf(after))
	for _, step := range shared {
		c.shared[stepTo(step)] = true
	}
	c.before, c.after = c.withoutShared(before), c.withoutShared(after)
	c.isWording = apiequality.Semantic.DeepEqual(withoutWording(c.before), withoutWording(c.after))
	return c
}

// withoutShared returns a node with empty nodes in place of the shared ones.
func (c *change) withoutShared(s *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	out := *s
	if c.shared["items"] {
		out.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: &apiextensions.JSONSchemaProps{}}
	}
	if c.shared["additionalProperties"] {
		additional := *s.AdditionalProperties
		additional.Schema = &apiextensions.JSONSchemaProps{}
		out.AdditionalProperties = &additional
	}
	out.Properties = maps.Clone(s.Properties)
	for name := range s.Properties {
		if c.shared[stepTo(crdschema.Path{"properties", name})] {
			out.Properties[name] = apiextensions.JSONSchemaProps{}
		}
	}
	return &out
}

// and returns the change from a valid CRD that c and a later change make together. ok is false if no schema node contains
// both. Each change may be nil, and so may valid.
func (c *change) and(later *change, valid *decodedCRD, crd *apiextensions.CustomResourceDefinition) (both *change, ok bool) {
	switch {
	case valid == nil:
		return nil, false
	case c == nil:
		return later, true
	case later == nil:
		return c, true
	case c.version != later.version:
		return nil, false
	}
	version, path := c.version, commonPath(c.path, later.path)
	before, after := schemaOf(valid.crd, version, path), schemaOf(crd, version, path)
	if before == nil || after == nil {
		return nil, false
	}
	var shared []crdschema.Path
	share := func(step crdschema.Path) {
		if child := slices.Concat(path, step); c.keeps(version, child) && later.keeps(version, child) {
			shared = append(shared, step)
		}
	}
	for name := range after.Properties {
		share(crdschema.Path{"properties", name})
	}
	if after.Items != nil {
		share(crdschema.Path{"items"})
	}
	if after.AdditionalProperties != nil {
		share(crdschema.Path{"additionalProperties"})
	}
	return newChange(version, path, before, after, shared), true
}

// commonPath returns the path of the innermost node that contains two others.
func commonPath(a, b crdschema.Path) crdschema.Path {
	n := 0
	for n < min(len(a), len(b)) {
		step := 1
		if a[n] == "properties" {
			step = 2
		}
		if !slices.Equal(a[n:n+step], b[n:n+step]) {
			break
		}
		n += step
	}
	return a[:n]
}

// schemaOf returns a schema node of a version, or nil if there is none.
func schemaOf(crd *apiextensions.CustomResourceDefinition, version int, path crdschema.Path) *apiextensions.JSONSchemaProps {
	validation, err := apiextensions.GetSchemaForVersion(crd, crd.Spec.Versions[version].Name)
	if err != nil || validation == nil {
		return nil
	}
	return SchemaAt(validation.OpenAPIV3Schema, path)
}

// keeps reports whether a node of a version is the same as in the earlier CRD. Its ancestors may have changed.
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

// isDescriptive reports whether at most the wording of descriptions has changed.
func (c *change) isDescriptive() bool { return c == nil || c.isWording }

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
	served, c := r.lastServed(), r.change
	if served == nil || c == nil || hasDefault(c.after) {
		return nil
	}
	out := *r.Internal
	out.Spec.Versions = slices.Clone(out.Spec.Versions)
	for i, v := range out.Spec.Versions {
		validation, rules := v.Schema, served.Versions[v.Name].Rules
		if out.Spec.Validation != nil {
			validation = out.Spec.Validation
		}
		if validation == nil || validation.OpenAPIV3Schema == nil {
			continue
		}
		if i == c.version && c.isInDefault(validation.OpenAPIV3Schema) {
			return nil
		}
		bare := &apiextensions.CustomResourceValidation{OpenAPIV3Schema: c.withoutKnownRules(validation.OpenAPIV3Schema, rules, i, crdschema.Path{})}
		if out.Spec.Validation != nil {
			out.Spec.Validation = bare // of all versions
			break
		}
		out.Spec.Versions[i].Schema = bare
	}
	return &out
}

// isInDefault reports whether a node above the changed one has a default.
func (c *change) isInDefault(root *apiextensions.JSONSchemaProps) bool {
	for path := c.path; root != nil && len(path) > 0; {
		if root.Default != nil {
			return true
		}
		root, path = childSchema(root, path)
	}
	return false
}

// withoutKnownRules returns a node of a version without the rules that mean the same as in the earlier CRD. rules has those
// of the earlier CRD.
func (c *change) withoutKnownRules(s *apiextensions.JSONSchemaProps, rules *celrule.Node, version int, path crdschema.Path) *apiextensions.JSONSchemaProps {
	switch {
	case c.keepsRules(version, path):
		return withoutRules(s, rules)
	case rules == nil || c.keeps(version, path):
		return s
	}
	return mapRuled(s, rules, func(child *apiextensions.JSONSchemaProps, rules *celrule.Node) *apiextensions.JSONSchemaProps {
		return c.withoutKnownRules(child, rules, version, rules.Path)
	})
}

// withoutRules returns a schema without its rules.
func withoutRules(s *apiextensions.JSONSchemaProps, rules *celrule.Node) *apiextensions.JSONSchemaProps {
	if rules == nil {
		return s
	}
	out := mapRuled(s, rules, withoutRules)
	out.XValidations = nil
	return out
}

// mapRuled returns a copy of a schema with others in place of the nodes directly below it that have rules. It shares all
// other nodes: a large CRD has thousands of them, and copying them would take most of a keystroke.
func mapRuled(s *apiextensions.JSONSchemaProps, rules *celrule.Node, to func(*apiextensions.JSONSchemaProps, *celrule.Node) *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	out := *s
	if rules.Items != nil && s.Items != nil && s.Items.Schema != nil {
		items := *s.Items
		items.Schema = to(items.Schema, rules.Items)
		out.Items = &items
	}
	if rules.Additional != nil && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		additional := *s.AdditionalProperties
		additional.Schema = to(additional.Schema, rules.Additional)
		out.AdditionalProperties = &additional
	}
	if len(rules.Properties) > 0 {
		out.Properties = maps.Clone(s.Properties)
	}
	for name, below := range rules.Properties {
		if property, ok := s.Properties[name]; ok {
			out.Properties[name] = *to(&property, below)
		}
	}
	return &out
}

// isValid reports whether the change since the last valid CRD cannot make it invalid.
func (r *Request) isValid() bool {
	return r.valid != nil && r.valid.validRelease == emulatedRelease() && r.change.isDescriptive()
}

func emulatedRelease() string { return environment.DefaultCompatibilityVersion().String() }

// lastServed returns the last valid CRD with its compiled versions, or nil if they are not to be used.
func (r *Request) lastServed() *CRD {
	if r.valid == nil || r.valid.validRelease != emulatedRelease() {
		return nil
	}
	return r.valid.served
}

// lastVersion returns the version of the last CRD if it is the same, or else its rules. Both may be nil.
func (r *Request) lastVersion(index int) (*Version, *celrule.Earlier) {
	served := r.lastServed()
	if served == nil {
		return nil, nil
	}
	last := served.Versions[r.Internal.Spec.Versions[index].Name]
	if r.change.isDescriptive() || r.change.version != index {
		return last, nil
	}
	return nil, &celrule.Earlier{
		Validator: last.CELValidator, Rules: last.Rules,
		Keeps:      func(path crdschema.Path) bool { return r.change.keeps(index, path) },
		KeepsRules: func(path crdschema.Path) bool { return r.change.keepsRules(index, path) },
	}
}
