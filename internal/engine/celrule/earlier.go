package celrule

import (
	"maps"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// Earlier has the rules of a schema that differs from another one in few nodes.
type Earlier struct {
	Validator *cel.Validator
	Rules     *Node
	// Keeps reports whether a node with all nodes below it is the same in both schemas. Its ancestors may differ.
	Keeps func(crdschema.Path) bool
	// KeepsRules reports whether also the meaning of the rules is the same, which depends on the node above.
	KeepsRules func(crdschema.Path) bool
}

// digest returns the digest of a schema.
func (e *Earlier) digest(root *structuralschema.Structural) *schemaDigest {
	if e == nil || e.Rules == nil {
		return digestSchema(root, crdschema.Path{}, nil, nil)
	}
	return digestSchema(root, crdschema.Path{}, e.Rules.digest, e.Keeps)
}

// adopt returns the validator of a schema. It compiles only the rules whose nodes differ, and takes the others from the
// earlier validator. ok is false if that is not possible.
func (e *Earlier) adopt(root *structuralschema.Structural) (validator *cel.Validator, ok bool) {
	if e == nil || e.Validator == nil {
		return nil, false
	}
	changed := cel.NewValidator(e.withoutKept(root, crdschema.Path{}), true, celconfig.PerCallLimit)
	return e.merge(changed, e.Validator, e.Rules, root, crdschema.Path{})
}

// withoutKept returns a copy of a schema node without the rules of the nodes that are the same.
func (e *Earlier) withoutKept(s *structuralschema.Structural, path crdschema.Path) *structuralschema.Structural {
	below := func(child *structuralschema.Structural, path crdschema.Path) *structuralschema.Structural {
		if e.KeepsRules(path) {
			return withoutRules(child)
		}
		return e.withoutKept(child, path)
	}
	return mapChildren(s, path, below)
}

// withoutRules returns a copy of a schema node without rules.
func withoutRules(s *structuralschema.Structural) *structuralschema.Structural {
	if !hasRules(s) {
		return s
	}
	out := mapChildren(s, nil, func(child *structuralschema.Structural, _ crdschema.Path) *structuralschema.Structural {
		return withoutRules(child)
	})
	out.XValidations = nil
	return out
}

// mapChildren returns a copy of a schema node with other nodes directly below it.
func mapChildren(s *structuralschema.Structural, path crdschema.Path, to func(*structuralschema.Structural, crdschema.Path) *structuralschema.Structural) *structuralschema.Structural {
	out := *s
	if s.Items != nil {
		out.Items = to(s.Items, path.Items())
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		additional := *s.AdditionalProperties
		additional.Structural = to(additional.Structural, path.Additional())
		out.AdditionalProperties = &additional
	}
	out.Properties = maps.Clone(s.Properties)
	for name, property := range s.Properties {
		out.Properties[name] = *to(&property, path.Property(name))
	}
	return &out
}

// merge adds the validators of the nodes that are the same to the validator of a node, which is nil if the changed nodes
// have no rules there.
func (e *Earlier) merge(changed, earlier *cel.Validator, rules *Node, s *structuralschema.Structural, path crdschema.Path) (*cel.Validator, bool) {
	if earlier == nil {
		return changed, true
	}
	if rules == nil || changed == nil && len(rules.Schema.XValidations) > 0 || len(earlier.AllOfValidators) > 0 {
		return nil, false // upstream has no validator of the node without its former rules
	}
	merged := *earlier
	if changed != nil {
		merged = *changed
	}
	merged.Schema, merged.Properties = s, maps.Clone(merged.Properties)
	if changed == nil {
		merged.Items, merged.AdditionalProperties, merged.Properties = nil, nil, nil
	}
	var ok bool
	if s.Items != nil {
		if merged.Items, ok = e.below(merged.Items, earlier.Items, rules.Items, s.Items, path.Items()); !ok {
			return nil, false
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		merged.AdditionalProperties, ok = e.below(merged.AdditionalProperties, earlier.AdditionalProperties, rules.Additional, s.AdditionalProperties.Structural, path.Additional())
		if !ok {
			return nil, false
		}
	}
	for name, property := range s.Properties {
		found, ok := e.below(entry(merged.Properties, name), entry(earlier.Properties, name), rules.Properties[name], &property, path.Property(name))
		if !ok {
			return nil, false
		}
		if found != nil {
			if merged.Properties == nil {
				merged.Properties = map[string]cel.Validator{}
			}
			merged.Properties[name] = *found
		}
	}
	if changed == nil && merged.Items == nil && merged.AdditionalProperties == nil && len(merged.Properties) == 0 {
		return nil, true
	}
	return &merged, true
}

func (e *Earlier) below(changed, earlier *cel.Validator, rules *Node, s *structuralschema.Structural, path crdschema.Path) (*cel.Validator, bool) {
	if e.KeepsRules(path) {
		return earlier, true
	}
	return e.merge(changed, earlier, rules, s, path)
}

func entry(validators map[string]cel.Validator, name string) *cel.Validator {
	if validator, ok := validators[name]; ok {
		return &validator
	}
	return nil
}
