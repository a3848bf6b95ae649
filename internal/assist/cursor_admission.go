package assist

import (
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/assist/celscope"
	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// admissionKind returns the type of an admission document: a policy, a binding, a webhook
// configuration, or a parameter object of the CRD. If the document does not name its type
// yet, the result has only the fields of every resource. It is nil for other types.
func (c *cursorContext) admissionKind() *crdschema.Kind {
	root := c.root()
	group := groupOf(root.Scalar("apiVersion"))
	kind := root.Scalar("kind")
	if c.isKindOfCRD(group, kind) {
		return c.crd.KindOf(c.types, root)
	}
	possible := c.types.DocumentKinds(group)
	isChoice := len(c.Path) == 1 && (c.Path[0] == "kind" || c.Path[0] == "apiVersion")
	at := slices.IndexFunc(possible, func(d *crdschema.DocumentKind) bool { return d.Kind == kind })
	switch {
	case len(possible) == 0 || at < 0 && kind != "" && !isChoice:
		return nil
	case at < 0:
		undecided := crdschema.Schema{Schema: c.types.WithTypeMeta(&spec.Schema{}), Types: c.types}
		return &crdschema.Kind{Root: withChoice(undecided, possible, possible)}
	}
	return &crdschema.Kind{Root: withChoice(c.types.Definition(possible[at].Definition), possible, possible[at:at+1])}
}

func (c *cursorContext) isKindOfCRD(group, kind string) bool {
	if kind == "" || c.crd.Internal == nil || kind != c.crd.Internal.Spec.Names.Kind {
		return false
	}
	return group == "" || group == c.crd.Internal.Spec.Group
}

// withChoice limits the values of kind to the kinds, and the values of apiVersion to the
// API versions of the list versions. It replaces both properties of the schema.
func withChoice(schema crdschema.Schema, kinds, versions []*crdschema.DocumentKind) crdschema.Schema {
	var kindNames, apiVersions []string
	for _, d := range kinds {
		kindNames = append(kindNames, d.Kind)
	}
	for _, d := range versions {
		if !slices.Contains(apiVersions, d.APIVersion) {
			apiVersions = append(apiVersions, d.APIVersion)
		}
	}
	schema.Properties["kind"] = crdschema.WithEnum(schema.Properties["kind"], kindNames...)
	schema.Properties["apiVersion"] = crdschema.WithEnum(schema.Properties["apiVersion"], apiVersions...)
	schema.Required = crdschema.RequireFirst(schema.Required, "apiVersion", "kind", "metadata")
	return schema
}

// groupOf returns the group of an apiVersion.
func groupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}

// policyExpressions names the fields of admission policies that contain CEL.
var policyExpressions = map[string]bool{"expression": true, "messageExpression": true, "valueExpression": true}

// policyScope returns the scope of the expressions of an admission policy. The fields of
// object follow from the CRD's storage version.
func (c *cursorContext) policyScope() *celscope.Scope {
	request, namespace := admission.VariableTypes()
	return celscope.NewPolicyScope(celscope.Policy{
		Request: request, Namespace: namespace,
		Object: c.storedObject(), Variables: policyVariables(c.root()),
	})
}

// storedObject returns the type of objects at the storage version, or nil without a schema.
func (c *cursorContext) storedObject() *celscope.Variable {
	storage := c.crd.Storage
	if storage == nil || storage.Schema == nil {
		return nil
	}
	declType := model.SchemaDeclType(storage.Schema, true)
	if declType == nil {
		return nil
	}
	return &celscope.Variable{
		Type:   declType.MaybeAssignTypeName("objectType"),
		Schema: c.crd.KindOfVersion(c.types, storage.Kind.Version).Root,
	}
}

// policyVariables returns the names of a policy's spec.variables.
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
