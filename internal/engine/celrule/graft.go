package celrule

import (
	"maps"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// Graft returns the compiled rules of a schema with the rules of another one at a node. Both have a node with rules
// at the path, and values of the same types.
func Graft(validator *cel.Validator, node *Node, other *cel.Validator, otherNode *Node, path crdschema.Path) (*cel.Validator, *Node) {
	grafted, tree := *validator, *node
	if len(path) == 0 {
		grafted, tree = *other, *otherNode
		grafted.Items, grafted.AdditionalProperties = validator.Items, validator.AdditionalProperties
		grafted.Properties, grafted.AllOfValidators = validator.Properties, validator.AllOfValidators
		tree.Items, tree.Additional, tree.Properties = node.Items, node.Additional, node.Properties
		return &grafted, &tree
	}
	switch path[0] {
	case "properties":
		name := path[1]
		below, otherBelow := grafted.Properties[name], other.Properties[name]
		child, childTree := Graft(&below, tree.Properties[name], &otherBelow, otherNode.Properties[name], path[2:])
		grafted.Properties, tree.Properties = maps.Clone(grafted.Properties), maps.Clone(tree.Properties)
		grafted.Properties[name], tree.Properties[name] = *child, childTree
	case "items":
		grafted.Items, tree.Items = Graft(grafted.Items, tree.Items, other.Items, otherNode.Items, path[1:])
	default:
		grafted.AdditionalProperties, tree.Additional = Graft(grafted.AdditionalProperties, tree.Additional, other.AdditionalProperties, otherNode.Additional, path[1:])
	}
	return &grafted, &tree
}
