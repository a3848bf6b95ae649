//go:build !js && !program

package refserver

import (
	"context"
	"fmt"
	"io"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/discovery"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi"
	basecompatibility "k8s.io/component-base/compatibility"
)

// This file holds all code that depends on the policy plugins. Programs for
// older releases leave it out, because the plugins differ between releases.

// checkPolicies returns an [UnsupportedError] for objects that the plugins of
// [newPolicyPlugins] cannot enforce.
func checkPolicies(objects []runtime.Object) error {
	switch {
	case slices.ContainsFunc(objects, isWebhook):
		return &UnsupportedError{"nothing calls admission webhooks"}
	case slices.ContainsFunc(objects, isMutatingPolicy):
		return &UnsupportedError{"nothing publishes the types that mutating policies merge by"}
	}
	return nil
}

func isWebhook(object runtime.Object) bool {
	switch object.(type) {
	case *admissionregistrationv1.ValidatingWebhookConfiguration, *admissionregistrationv1.MutatingWebhookConfiguration:
		return true
	}
	return false
}

func isMutatingPolicy(object runtime.Object) bool {
	_, ok := object.(*admissionregistrationv1.MutatingAdmissionPolicy)
	return ok
}

// newPolicyPlugins sets up the plugins like the API server's start-up code. They
// run until ctx ends.
func newPolicyPlugins(ctx context.Context, a Admission) (admission.Interface, error) {
	objects := sortByType(a.Objects)
	client := clientWithoutOpenAPI{fake.NewClientset(objects.native...)}
	factory := informers.NewSharedInformerFactory(client, 0)
	plugins := admission.NewPlugins()
	mutating.Register(plugins)
	validating.Register(plugins)
	chain, err := plugins.NewFromPlugins(
		[]string{mutating.PluginName, validating.PluginName}, noConfiguration{},
		initializer.New(client, dynamicfake.NewSimpleDynamicClientWithCustomListKinds(scheme.Scheme, objects.listKinds, objects.dynamic...), factory, a.Authorizer,
			utilfeature.DefaultFeatureGate, compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent), ctx.Done(), objects.mapper),
		admission.Decorators{})
	if err != nil {
		return nil, fmt.Errorf("set up the admission plugins: %w", err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return chain, nil
}

// clusterObjects are the objects of a cluster, by the client that reads them.
type clusterObjects struct {
	native, dynamic []runtime.Object
	mapper          *meta.DefaultRESTMapper
	// listKinds maps the resources of the dynamic objects to their list kinds.
	listKinds map[schema.GroupVersionResource]string
}

func sortByType(objects []runtime.Object) clusterObjects {
	c := clusterObjects{mapper: meta.NewDefaultRESTMapper(nil), listKinds: map[schema.GroupVersionResource]string{}}
	c.mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	c.mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	for _, object := range objects {
		custom, ok := object.(*unstructured.Unstructured)
		if !ok {
			c.native = append(c.native, object)
			continue
		}
		c.dynamic = append(c.dynamic, custom)
		scope := meta.RESTScope(meta.RESTScopeRoot)
		if custom.GetNamespace() != "" {
			scope = meta.RESTScopeNamespace
		}
		c.mapper.Add(custom.GroupVersionKind(), scope)
		plural, _ := meta.UnsafeGuessKindToResource(custom.GroupVersionKind())
		c.listKinds[plural] = custom.GetKind() + "List"
	}
	return c
}

// clientWithoutOpenAPI is a client of a server that publishes no OpenAPI
// documents.
type clientWithoutOpenAPI struct{ *fake.Clientset }

func (c clientWithoutOpenAPI) Discovery() discovery.DiscoveryInterfaces {
	return discoveryWithoutOpenAPI{c.Clientset.Discovery()}
}

type discoveryWithoutOpenAPI struct{ discovery.DiscoveryInterfaces }

func (discoveryWithoutOpenAPI) OpenAPIV3() openapi.Client { return noDocuments{} }

type noDocuments struct{}

func (noDocuments) Paths() (map[string]openapi.GroupVersion, error) { return nil, nil }

// noConfiguration configures no plugin.
type noConfiguration struct{}

func (noConfiguration) ConfigFor(string) (io.Reader, error) { return nil, nil }
