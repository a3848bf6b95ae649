package crd

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// A RuleNode is a schema node whose rules differ between two CRDs.
type RuleNode struct {
	Versions []string
	Path     crdschema.Path
}

// AdoptRules gives an accepted CRD without rules the compiled rules of another one, whose values have the same types.
// At own, which may be nil, it keeps its own rules. Nothing else may use the CRD yet.
func (c *CRD) AdoptRules(from *CRD, own *RuleNode) {
	for _, rule := range from.Report.Rules {
		if own == nil || !slices.Contains(own.Versions, rule.Version) || rule.SchemaPath != own.Path.String() {
			c.Report.Rules = append(c.Report.Rules, rule)
		}
	}
	for name, v := range c.Versions {
		other, ok := from.Versions[name]
		if !ok {
			continue
		}
		if own != nil && slices.Contains(own.Versions, name) {
			v.CELValidator, v.Rules = celrule.Graft(other.CELValidator, other.Rules, v.CELValidator, v.Rules, own.Path)
		} else {
			v.CELValidator, v.Rules = other.CELValidator, other.Rules
		}
	}
}

// WithoutRules returns the decoded CRD without rules.
func (c *CRD) WithoutRules() *apiextensions.CustomResourceDefinition {
	bare := c.Internal.DeepCopy()
	visitSchemas(bare, func(s *apiextensions.JSONSchemaProps) { s.XValidations = nil })
	return bare
}
