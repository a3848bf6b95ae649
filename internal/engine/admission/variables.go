package admission

import (
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// VariableTypes returns the types of the CEL variables request and namespaceObject.
func VariableTypes() (request, namespace *apiservercel.DeclType) {
	return plugincel.BuildRequestType(), plugincel.BuildNamespaceType()
}
