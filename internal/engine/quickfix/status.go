package quickfix

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// addStatus adds a status with the required fields.
func addStatus(p *problem) []playground.Fix {
	var value any = map[string]any{}
	if node, _ := crdschema.NodeAt(p.schema, []any{"status"}); p.schema != nil && node != nil {
		value = crdschema.Sample(crdschema.Schema{Schema: node.ToKubeOpenAPI(), Types: &crdschema.Types{}})
	}
	return p.newFix("Add status", p.setValue(value, "status"))
}

// removeRootKeywords removes the keywords that the API server forbids at the root of a schema
// with a status subresource. Its message lists the permitted fields by their Go names.
func removeRootKeywords(p *problem) []playground.Fix {
	root := p.nodeAt(p.path...)
	if root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	permitted := strings.Fields(p.match[1])
	var names []string
	var changes []change
	for i := 0; i < len(root.Content); i += 2 {
		name := root.Content[i].Value
		inGo := strings.ReplaceAll(strings.Replace(name, "x-kubernetes-", "x", 1), "-", "")
		if !slices.ContainsFunc(permitted, func(field string) bool { return strings.EqualFold(field, inGo) }) {
			names = append(names, name)
			changes = append(changes, p.deleteAt(append(slices.Clip(p.path), name)...))
		}
	}
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names, ", ")
	p.Hint = "With the status subresource, the root of the schema cannot have " + list + "."
	return p.newFix("Remove "+list, changes...)
}

// makeStatusOptional removes status from the required fields of the CRD if the request
// cannot set it.
func makeStatusOptional(p *problem) []playground.Fix {
	version := p.requestedVersion()
	if version == nil || !version.HasStatus || playground.IsOfStatus(p.scenario.Operation) {
		return nil
	}
	p.Hint = "The status subresource is enabled, so only requests to /status set the status. It cannot be required in the schema."
	i := slices.IndexFunc(p.crd.V1.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version.Kind.Version })
	required := []any{"spec", "versions", i, "schema", "openAPIV3Schema", "required"}
	names := p.crd.V1.Spec.Versions[i].Schema.OpenAPIV3Schema.Required
	if len(names) > 1 {
		required = append(required, slices.Index(names, "status"))
	}
	removed, ok := edit.Delete(p.crd.Doc, required...)
	return widens(p.newFix("Accept objects without a status: make it optional", change{edit: removed, ok: ok, document: playground.DocumentCRD}))
}
