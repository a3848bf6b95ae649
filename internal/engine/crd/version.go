package crd

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdlab/crdlab/internal/engine/celrule"
)

// A Version is a version of an accepted CRD, compiled to serve requests.
type Version struct {
	Kind       schema.GroupVersionKind
	Index      int // in spec.versions
	Namespaced bool
	served     bool
	// PreserveUnknown is spec.preserveUnknownFields, which disables pruning.
	PreserveUnknown bool

	Schema    *structuralschema.Structural
	Validator validation.SchemaValidator
	// StatusValidator validates the status. It is nil without the status subresource.
	StatusValidator    validation.SchemaValidator
	CELValidator       *cel.Validator // nil if there are no rules
	Rules              *celrule.Node  // the same rules as a tree of schema nodes
	HasStatus          bool           // the status subresource is enabled
	Scale              *apiextensionsv1.CustomResourceSubresourceScale
	columns            []apiextensionsv1.CustomResourceColumnDefinition
	convertors         sync.Pool // of *TableConvertor
	DeprecationWarning string    // the API server's warning to clients, or empty
}

// compileVersion compiles v for serving objects. It follows getOrCreateServingInfoFor
// of k8s.io/apiextensions-apiserver/pkg/apiserver.
// earlier has the rules of an earlier schema of the version; nil without one.
func compileVersion(compiler *celrule.Compiler, crd *apiextensionsv1.CustomResourceDefinition, v apiextensionsv1.CustomResourceDefinitionVersion, earlier *celrule.Earlier) (*Version, error) {
	compiled := &Version{
		Kind:               schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind},
		Index:              VersionIndex(crd, v.Name),
		Namespaced:         crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		served:             v.Served,
		PreserveUnknown:    crd.Spec.PreserveUnknownFields,
		columns:            printerColumns(v),
		DeprecationWarning: deprecationWarning(crd.Spec, v),
	}
	if v.Subresources != nil {
		compiled.HasStatus = v.Subresources.Status != nil
		compiled.Scale = v.Subresources.Scale
	}
	internal := &apiextensions.CustomResourceValidation{}
	if v.Schema != nil {
		if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, internal, nil); err != nil {
			return nil, fmt.Errorf("convert schema: %w", err)
		}
	}
	if err := compiled.compileSchema(internal.OpenAPIV3Schema, compiler, earlier); err != nil {
		return nil, err
	}
	return compiled, nil
}

func (v *Version) compileSchema(props *apiextensions.JSONSchemaProps, compiler *celrule.Compiler, earlier *celrule.Earlier) error {
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return fmt.Errorf("compile validator: %w", err)
	}
	v.Validator = validator
	if props == nil {
		return nil
	}
	if status, ok := props.Properties["status"]; ok && v.HasStatus {
		if v.StatusValidator, _, err = validation.NewSchemaValidator(&status); err != nil {
			return fmt.Errorf("compile status validator: %w", err)
		}
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil && !v.PreserveUnknown {
		return fmt.Errorf("convert schema to structural: %w", err)
	}
	v.Schema = structural.DeepCopy() // NewStructural shares the defaults with props
	if !v.PreserveUnknown {
		if err := defaulting.PruneDefaults(v.Schema); err != nil {
			return fmt.Errorf("prune defaults: %w", err)
		}
	}
	v.CELValidator, v.Rules = compiler.Compile(v.Schema, earlier)
	return nil
}

// deprecationWarning returns the warning for clients of v, or an empty string. It
// follows defaultDeprecationWarning of k8s.io/apiextensions-apiserver/pkg/apiserver.
func deprecationWarning(crd apiextensionsv1.CustomResourceDefinitionSpec, v apiextensionsv1.CustomResourceDefinitionVersion) string {
	if !v.Deprecated {
		return ""
	}
	if v.DeprecationWarning != nil {
		return *v.DeprecationWarning
	}
	warning := fmt.Sprintf("%s/%s %s is deprecated", crd.Group, v.Name, crd.Names.Kind)
	better := ""
	for _, other := range crd.Versions {
		newer := utilversion.CompareKubeAwareVersionStrings(v.Name, other.Name) < 0
		if !other.Served || other.Deprecated || !newer {
			continue
		}
		if better == "" || utilversion.CompareKubeAwareVersionStrings(other.Name, better) > 0 {
			better = other.Name
		}
	}
	if better != "" {
		warning += fmt.Sprintf("; use %s/%s %s", crd.Group, better, crd.Names.Kind)
	}
	return warning
}

// Defines reports whether object has the kind of one of the CRD's versions.
func (c *CRD) Defines(object *unstructured.Unstructured) bool {
	gvk := object.GroupVersionKind()
	v, ok := c.Versions[gvk.Version]
	return ok && v.Kind == gvk
}

// HasScale reports whether a served version has a scale subresource.
func (c *CRD) HasScale() bool {
	for _, v := range c.Versions {
		if v.served && v.Scale != nil {
			return true
		}
	}
	return false
}

// VersionIndex returns the index of a version in spec.versions, or -1.
func VersionIndex(crd *apiextensionsv1.CustomResourceDefinition, name string) int {
	return slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
}
