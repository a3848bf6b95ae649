//go:build !js || program

package refserver

import (
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/util/managedfields"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	openapiutil "k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// staticSchemas returns the OpenAPI schemas of the CustomResourceDefinition type
// and of the types that it refers to. Server-side apply needs them; for custom
// resources it needs the schema of ObjectMeta.
var staticSchemas = sync.OnceValues(func() (map[string]*spec.Schema, error) {
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme)
	definitions := openapiutil.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	config := &common.OpenAPIV3Config{
		Info:              &spec.Info{InfoProps: spec.InfoProps{Title: "refserver"}},
		GetDefinitions:    definitions,
		GetDefinitionName: namer.GetDefinitionName,
	}
	return builder3.BuildOpenAPIDefinitionsForResources(config,
		util.GetCanonicalTypeName(&apiextensionsv1.CustomResourceDefinition{}))
})

// crdTypes returns the converter that tracks the field managers of
// CustomResourceDefinitions.
var crdTypes = sync.OnceValues(func() (managedfields.TypeConverter, error) {
	schemas, err := staticSchemas()
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(schemas, false)
})
