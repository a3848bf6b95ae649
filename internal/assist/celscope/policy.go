package celscope

import (
	celgo "github.com/google/cel-go/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// Policy declares the variables of the expressions of an admission policy.
type Policy struct {
	// Request and Namespace are the types of request and namespaceObject.
	Request, Namespace *apiservercel.DeclType
	// Object is the type of object and oldObject; nil means dyn.
	Object *Variable
	// Variables lists the names of spec.variables.
	Variables []string
}

// NewPolicyScope returns the scope of the expressions of an admission policy. The API
// server declares object as dyn; Policy can declare its fields. NewPolicyScope returns nil
// if a type cannot be declared.
func NewPolicyScope(policy Policy) *Scope {
	options := []celgo.EnvOption{
		celgo.Variable("request", policy.Request.CelType()),
		celgo.Variable("namespaceObject", policy.Namespace.CelType()),
		celgo.Variable("params", celgo.DynType),
		celgo.Variable("variables", celgo.MapType(celgo.StringType, celgo.DynType)),
		celgo.Variable("authorizer", library.AuthorizerType),
	}
	roots := map[string]Variable{"request": {Type: policy.Request}, "namespaceObject": {Type: policy.Namespace}}
	object := celgo.DynType
	if policy.Object != nil {
		object = policy.Object.Type.CelType()
		roots["object"], roots["oldObject"] = *policy.Object, *policy.Object
	}
	options = append(options, celgo.Variable("object", object), celgo.Variable("oldObject", object))
	scope := newScope(roots, options...)
	if scope == nil {
		return nil
	}
	scope.declared = map[string][]string{"variables": policy.Variables}
	return scope
}
