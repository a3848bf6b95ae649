//go:build !js || program

package refserver

import (
	"fmt"
	"net/http"
	"time"

	"github.com/emicklei/go-restful/v3"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/registry/rest"
)

// maxBody is the API server's limit for request bodies, in bytes
// (DefaultLegacyMaxRequestBodyBytes in k8s.io/apiserver/pkg/server).
const maxBody = 3 * 1024 * 1024

const crdResource = "customresourcedefinitions"

// crdKeys is the prefix of the storage keys of CRDs.
var crdKeys = resourcePrefix(apiextensions.GroupName, crdResource) + "/"

// newCRDHandler returns a handler of the CustomResourceDefinition API that
// stores CRDs in objects.
func newCRDHandler(objects *memory) (http.Handler, error) {
	types, err := crdTypes()
	if err != nil {
		return nil, err
	}
	codec := apiserver.Codecs.LegacyCodec(apiextensionsv1beta1.SchemeGroupVersion, apiextensionsv1.SchemeGroupVersion)
	registry, err := customresourcedefinition.NewREST(apiserver.Scheme, restOptions{objects, codec})
	if err != nil {
		return nil, err
	}
	group := &endpoints.APIGroupVersion{
		Storage:                    map[string]rest.Storage{crdResource: registry},
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
		return nil, err
	}
	return withFilters(container, superuser), nil
}

// notFound responds to a request without a route. It follows serviceErrorHandler of
// k8s.io/apiserver/pkg/server.
func notFound(w http.ResponseWriter, req *http.Request) {
	err := apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
	responsewriters.ErrorNegotiated(err, apiserver.Codecs, schema.GroupVersion{}, w, req)
}

// newObjectHandler returns a handler for the objects of a CRD, as if its names
// had been accepted.
func (s *Server) newObjectHandler(crd *apiextensionsv1.CustomResourceDefinition) (http.Handler, error) {
	informer := externalversions.NewSharedInformerFactory(nil, 0).Apiextensions().V1().CustomResourceDefinitions()
	if err := informer.Informer().GetIndexer().Add(established(crd)); err != nil {
		return nil, err
	}
	schemas, err := staticSchemas()
	if err != nil {
		return nil, fmt.Errorf("build the static OpenAPI schemas: %w", err)
	}
	handler, err := apiserver.NewCustomResourceDefinitionHandler(
		nil, nil, informer, http.NotFoundHandler(), restOptions{s.objects, unstructuredCodec},
		&s.admission, nil, &s.webhook, s.webhook.authentication, 1, allowAll{}, time.Minute, time.Minute, schemas, maxBody)
	if err != nil {
		return nil, err
	}
	return withFilters(handler, func() user.Info { return s.requester }), nil
}

// established returns a copy of the CRD with the conditions that the
// controllers set. They date from long ago, because the handler delays creations
// in the two seconds after a CRD is established.
func established(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	crd.Status.AcceptedNames = crd.Spec.Names
	crd.Status.Conditions = nil
	longAgo := metav1.NewTime(time.Unix(0, 0))
	for _, condition := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.NamesAccepted, apiextensionsv1.Established} {
		crd.Status.Conditions = append(crd.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{
			Type: condition, Status: apiextensionsv1.ConditionTrue, LastTransitionTime: longAgo,
		})
	}
	return crd
}
