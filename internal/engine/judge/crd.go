//go:build !js

package judge

import (
	"fmt"
	"net/http"

	"github.com/emicklei/go-restful/v3"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/registry/rest"
)

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// CreateCRD sends text to a server without any CustomResourceDefinitions, to be
// created. An empty fieldValidation is the server's default, Warn. An error is
// a fault of the judge, not of the text.
func CreateCRD(text []byte, contentType, fieldValidation string) (Answer, error) {
	handler, err := newCRDHandler()
	if err != nil {
		return Answer{}, fmt.Errorf("setting up the CRD handler: %w", err)
	}
	return serve(handler, call{
		method: http.MethodPost, path: crdPath, contentType: contentType, body: text,
		query: map[string]string{"fieldValidation": fieldValidation},
	})
}

// newCRDHandler serves the CustomResourceDefinition API from an empty storage.
func newCRDHandler() (http.Handler, error) {
	types, err := crdTypes()
	if err != nil {
		return nil, err
	}
	codec := apiserver.Codecs.LegacyCodec(apiextensionsv1beta1.SchemeGroupVersion, apiextensionsv1.SchemeGroupVersion)
	registry, err := customresourcedefinition.NewREST(apiserver.Scheme, restOptions{newMemory(), codec})
	if err != nil {
		return nil, err
	}
	group := &endpoints.APIGroupVersion{
		Storage:                    map[string]rest.Storage{"customresourcedefinitions": registry},
		Root:                       "/apis",
		GroupVersion:               apiextensionsv1.SchemeGroupVersion,
		MetaGroupVersion:           &metav1.SchemeGroupVersion,
		OptionsExternalVersion:     &apiextensionsv1.SchemeGroupVersion,
		Serializer:                 apiserver.Codecs,
		ParameterCodec:             metav1.ParameterCodec,
		Typer:                      apiserver.Scheme,
		Creater:                    apiserver.Scheme,
		Convertor:                  apiserver.Scheme,
		ConvertabilityChecker:      apiserver.Scheme,
		UnsafeConvertor:            runtime.UnsafeObjectConvertor(apiserver.Scheme),
		Defaulter:                  apiserver.Scheme,
		Namer:                      meta.NewAccessor(),
		TypeConverter:              types,
		EquivalentResourceRegistry: runtime.NewEquivalentResourceRegistry(),
		Authorizer:                 allowAll{},
		Admit:                      admission.NewChainHandler(),
		MaxRequestBodyBytes:        maxBody,
	}
	container := restful.NewContainer()
	if _, _, err := group.InstallREST(container); err != nil {
		return nil, fmt.Errorf("installing %s: %w", apiextensions.GroupName, err)
	}
	return withFilters(container), nil
}
