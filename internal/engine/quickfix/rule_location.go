package quickfix

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/crd"
)

// A ruleLocation is the location of a CEL rule in a CRD.
type ruleLocation struct {
	version int      // index in spec.versions
	path    []string // from the version's schema to the node of the rule
	index   int      // in x-kubernetes-validations of the node
	// root is the version's schema.
	root *apiextensions.JSONSchemaProps
	node *apiextensions.JSONSchemaProps
}

// rule returns the location of the rule that the finding concerns.
func (p *problem) rule() (ruleLocation, bool) { return findRule(p.crd, p.path) }

// findRule parses the document path of a rule's field, such as
// spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[0].rule.
func findRule(c *crd.CRD, path []any) (rule ruleLocation, ok bool) {
	const before, after = 5, 3 // steps to the schema, and from x-kubernetes-validations
	if len(path) < before+after || c.Internal == nil {
		return rule, false
	}
	rule.version, ok = path[2].(int)
	if !ok || path[1] != "versions" || rule.version >= len(c.Internal.Spec.Versions) {
		return rule, false
	}
	if rule.index, ok = path[len(path)-2].(int); !ok || path[len(path)-after] != "x-kubernetes-validations" {
		return rule, false
	}
	validation, err := apiextensions.GetSchemaForVersion(c.Internal, c.Internal.Spec.Versions[rule.version].Name)
	if err != nil || validation == nil || validation.OpenAPIV3Schema == nil {
		return rule, false
	}
	for _, step := range path[before : len(path)-after] {
		name, isName := step.(string)
		if !isName {
			return rule, false
		}
		rule.path = append(rule.path, name)
	}
	rule.root = validation.OpenAPIV3Schema
	rule.node = crd.SchemaAt(rule.root, rule.path)
	return rule, rule.node != nil
}

// compiles reports whether the rule compiles with another expression.
func (r ruleLocation) compiles(expression string) bool {
	if r.index >= len(r.node.XValidations) {
		return false
	}
	rule := r.node.XValidations[r.index]
	rule.Rule = expression
	result, ok := crd.CompileRule(r.node, len(r.path) == 0, rule)
	return ok && result.Error == nil
}

// versionSchema returns the schema of the version to which the path in a CRD leads, and the path
// below this schema; nil if there is none.
func (p *problem) versionSchema() (root *apiextensions.JSONSchemaProps, path []string) {
	const before = 5 // steps to the schema
	if p.crd == nil || p.crd.Internal == nil || len(p.path) < before-2 || p.path[1] != "versions" {
		return nil, nil
	}
	version, ok := p.path[2].(int)
	if !ok || version >= len(p.crd.Internal.Spec.Versions) {
		return nil, nil
	}
	root = p.crd.VersionSchema(p.crd.Internal.Spec.Versions[version].Name)
	for _, step := range p.path[min(before, len(p.path)):] {
		name, isName := step.(string)
		if !isName {
			return root, nil
		}
		path = append(path, name)
	}
	return root, path
}
