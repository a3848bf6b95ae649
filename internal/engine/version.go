package engine

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilversion "k8s.io/apimachinery/pkg/version"
)

// version is a version of an accepted CRD, compiled to serve requests.
type version struct {
	kind       schema.GroupVersionKind
	index      int // in spec.versions
	namespaced bool
	served     bool
	// preserveUnknown is spec.preserveUnknownFields: nothing is pruned.
	preserveUnknown bool

	schema    *structuralschema.Structural
	validator validation.SchemaValidator
	// statusValidator is of properties.status; nil without the subresource.
	statusValidator validation.SchemaValidator
	celRules        *cel.Validator // nil if there are no rules
	rules           *ruleNode      // the same rules, one by one
	status          bool           // the status subresource is enabled
	scale           *apiextensionsv1.CustomResourceSubresourceScale
	columns         []apiextensionsv1.CustomResourceColumnDefinition
	convertors      sync.Pool // of *tableConvertor
	deprecated      string    // the deprecation warning, or empty
	// crd is what the version is of.
	crd *apiextensionsv1.CustomResourceDefinition
	// applied is how a server-side apply merges; it takes as long to build as
	// all else, and few ask for it.
	applied struct {
		sync.Once
		types TypeConverter
		err   error
	}
}

// compileVersion prepares v as the handler of custom resources does before
// the first request (getOrCreateServingInfoFor in
// k8s.io/apiextensions-apiserver/pkg/apiserver).
func (c *ruleCache) compileVersion(crd *apiextensionsv1.CustomResourceDefinition, v apiextensionsv1.CustomResourceDefinitionVersion) (*version, error) {
	compiled := &version{
		crd:             crd,
		kind:            schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind},
		index:           slices.IndexFunc(crd.Spec.Versions, func(o apiextensionsv1.CustomResourceDefinitionVersion) bool { return o.Name == v.Name }),
		namespaced:      crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		served:          v.Served,
		preserveUnknown: crd.Spec.PreserveUnknownFields,
		columns:         printerColumns(v),
		deprecated:      deprecationWarning(crd.Spec, v),
	}
	if v.Subresources != nil {
		compiled.status = v.Subresources.Status != nil
		compiled.scale = v.Subresources.Scale
	}
	internal := &apiextensions.CustomResourceValidation{}
	if v.Schema != nil {
		if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, internal, nil); err != nil {
			return nil, fmt.Errorf("convert schema: %w", err)
		}
	}
	if err := compiled.compileSchema(internal.OpenAPIV3Schema, c); err != nil {
		return nil, err
	}
	return compiled, nil
}

func (v *version) compileSchema(props *apiextensions.JSONSchemaProps, rules *ruleCache) error {
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return fmt.Errorf("compile validator: %w", err)
	}
	v.validator = validator
	if props == nil {
		return nil
	}
	if status, ok := props.Properties["status"]; ok && v.status {
		if v.statusValidator, _, err = validation.NewSchemaValidator(&status); err != nil {
			return fmt.Errorf("compile status validator: %w", err)
		}
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil && !v.preserveUnknown {
		return fmt.Errorf("convert schema to structural: %w", err)
	}
	v.schema = structural.DeepCopy() // NewStructural shares the defaults with props
	if !v.preserveUnknown {
		if err := defaulting.PruneDefaults(v.schema); err != nil {
			return fmt.Errorf("prune defaults: %w", err)
		}
	}
	if hasRules(v.schema) {
		digest := newSchemaDigest(v.schema)
		v.celRules, v.rules = rules.compile(v.schema, digest)
	}
	return nil
}

// applyTypes are the types by which a server-side apply merges.
func (v *version) applyTypes(p Parts) (TypeConverter, error) {
	v.applied.Do(func() { v.applied.types, v.applied.err = p.ApplyTypes(v.crd, v.kind.Version) })
	return v.applied.types, v.applied.err
}

// deprecationWarning is what a client of v is warned of, or empty
// (defaultDeprecationWarning in k8s.io/apiextensions-apiserver/pkg/apiserver).
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

// printerColumns are those of v, or what the API server shows if v has none.
func printerColumns(v apiextensionsv1.CustomResourceDefinitionVersion) []apiextensionsv1.CustomResourceColumnDefinition {
	if len(v.AdditionalPrinterColumns) > 0 {
		return v.AdditionalPrinterColumns
	}
	return []apiextensionsv1.CustomResourceColumnDefinition{{
		Name:        "Age",
		Type:        "date",
		Description: metadataDescriptions["creationTimestamp"],
		JSONPath:    ".metadata.creationTimestamp",
	}}
}
