package crd

import (
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// KindOf is the type of an object: that of its apiVersion, or else of the
// version that is stored. It is nil if the CRD has none.
func (c *CRD) KindOf(types *crdschema.Types, object *tolerant.Node) *crdschema.Kind {
	if c.Internal == nil {
		return nil
	}
	_, version, _ := strings.Cut(object.Scalar("apiVersion"), "/")
	return c.KindOfVersion(types, version)
}

// KindAt is the type of objects of a version, or, if there is none of that
// name, of the version that is stored.
func (c *CRD) KindOfVersion(types *crdschema.Types, version string) *crdschema.Kind {
	c.kinds.Do(func() { c.kinds.byVersion = c.objectKinds(types) })
	kinds := c.kinds.byVersion
	if kind, ok := kinds[version]; ok {
		return kind
	}
	for _, v := range c.Internal.Spec.Versions {
		if v.Storage {
			return kinds[v.Name]
		}
	}
	return nil
}

// objectKinds are the types of a CRD's objects by version.
func (c *CRD) objectKinds(types *crdschema.Types) map[string]*crdschema.Kind {
	kinds := map[string]*crdschema.Kind{}
	if c.Internal == nil {
		return kinds
	}
	for _, v := range c.Internal.Spec.Versions {
		schema := &spec.Schema{}
		if of, err := apiextensions.GetSchemaForVersion(c.Internal, v.Name); err == nil && of != nil {
			if validation.ConvertJSONSchemaProps(of.OpenAPIV3Schema, schema) != nil {
				schema = &spec.Schema{}
			}
		}
		root := crdschema.Schema{Schema: types.WithTypeMeta(schema), Types: types}
		root.Properties["apiVersion"] = crdschema.WithEnum(root.Properties["apiVersion"], c.apiVersions(v.Name)...)
		root.Properties["kind"] = crdschema.WithEnum(root.Properties["kind"], c.Internal.Spec.Names.Kind)
		root.Required = append([]string{"apiVersion", "kind", "metadata"}, root.Required...)
		kinds[v.Name] = &crdschema.Kind{Root: root, Version: v.Name}
	}
	return kinds
}

// apiVersions are those of the versions that are served, the given one first.
func (c *CRD) apiVersions(first string) []string {
	versions := []string{c.Internal.Spec.Group + "/" + first}
	for _, v := range c.Internal.Spec.Versions {
		if v.Served && v.Name != first {
			versions = append(versions, c.Internal.Spec.Group+"/"+v.Name)
		}
	}
	return versions
}

// VersionSchema is the schema of a version as the CRD has it, accepted or not.
func (c *CRD) VersionSchema(version string) *apiextensions.JSONSchemaProps {
	if c.Internal == nil {
		return nil
	}
	validation, err := apiextensions.GetSchemaForVersion(c.Internal, version)
	if err != nil || validation == nil {
		return nil
	}
	return validation.OpenAPIV3Schema
}
