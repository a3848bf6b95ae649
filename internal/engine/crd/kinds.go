package crd

import (
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// KindOf returns the kind of an object by its apiVersion. For an unknown version, it
// returns the kind of the storage version, or nil if the CRD has no storage version.
func (c *CRD) KindOf(types *crdschema.Types, object *tolerant.Node) *crdschema.Kind {
	_, version, _ := strings.Cut(object.Scalar("apiVersion"), "/")
	return c.KindOfVersion(types, version)
}

// KindOfVersion returns the kind of the objects of a version. For an unknown version,
// it returns the kind of the storage version, or nil if the CRD has no storage version.
// It also returns nil for a CRD that cannot be decoded.
func (c *CRD) KindOfVersion(types *crdschema.Types, version string) *crdschema.Kind {
	if c.Internal == nil {
		return nil
	}
	kinds := c.kindsByVersion(types)
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

func (c *CRD) buildKinds(types *crdschema.Types) map[string]*crdschema.Kind {
	kinds := map[string]*crdschema.Kind{}
	for _, v := range c.Internal.Spec.Versions {
		schema := &spec.Schema{}
		if props := c.VersionSchema(v.Name); props != nil {
			if validation.ConvertJSONSchemaProps(props, schema) != nil {
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

// apiVersions returns the API versions of first and of the other served versions.
func (c *CRD) apiVersions(first string) []string {
	versions := []string{c.Internal.Spec.Group + "/" + first}
	for _, v := range c.Internal.Spec.Versions {
		if v.Served && v.Name != first {
			versions = append(versions, c.Internal.Spec.Group+"/"+v.Name)
		}
	}
	return versions
}

// VersionSchema returns the schema of a version of an accepted or rejected CRD, or
// nil if there is none.
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
