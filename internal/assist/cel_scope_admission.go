package assist

import (
	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// admissionScope is the scope of the expressions of an admission policy. The
// API server gives object the type dyn; here it has that of the CRD's objects
// at the version that is stored, so that their fields are known.
func (p *cursorContext) admissionScope() *celScope {
	request, namespace := p.policies()
	options := []celgo.EnvOption{
		celgo.Variable("request", request.CelType()),
		celgo.Variable("namespaceObject", namespace.CelType()),
		celgo.Variable("params", celgo.DynType),
		celgo.Variable("variables", celgo.MapType(celgo.StringType, celgo.DynType)),
		celgo.Variable("authorizer", library.AuthorizerType),
	}
	roots := map[string]celRoot{"request": {declType: request}, "namespaceObject": {declType: namespace}}
	object := celgo.DynType
	if root, ok := p.objectRoot(); ok {
		object = root.declType.CelType()
		roots["object"], roots["oldObject"] = root, root
	}
	options = append(options, celgo.Variable("object", object), celgo.Variable("oldObject", object))
	scope := newCELScope(roots, options...)
	if scope == nil {
		return nil
	}
	scope.declared = map[string][]string{"variables": policyVariables(p.root())}
	return scope
}

// objectRoot is the type of the CRD's objects.
func (p *cursorContext) objectRoot() (celRoot, bool) {
	storage := p.crd.Storage
	if storage == nil || storage.Schema == nil {
		return celRoot{}, false
	}
	declType := model.SchemaDeclType(storage.Schema, true)
	if declType == nil {
		return celRoot{}, false
	}
	return celRoot{declType.MaybeAssignTypeName("objectType"), p.crd.KindOfVersion(p.types, storage.Kind.Version).Root}, true
}

// policyVariables are the names of a policy's spec.variables.
func policyVariables(policy *tolerant.Node) []string {
	var names []string
	list := policy.Child("spec").Child("variables")
	if list == nil {
		return nil
	}
	for _, variable := range list.Children {
		if name := variable.Scalar("name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}
