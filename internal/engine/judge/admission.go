//go:build !js

package judge

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/trial"
	"github.com/crdlab/crdlab/internal/playground"

	declared "github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
)

// Admit implements [trial.Cluster]: the API server's own policy plugins admit
// the requests, with clients and informers of a cluster that has what s
// declares.
func (c *Cluster) Admit(s playground.Scenario) error {
	c.user = engine.Requester(s)
	if c.stopAdmission != nil {
		c.stopAdmission()
		c.stopAdmission = nil
	}
	c.admission.plugins = nil
	if strings.TrimSpace(s.Admission) == "" {
		return nil
	}
	objects, complete := manifest.Objects(s.Admission)
	switch {
	case !complete:
		return &trial.UnaskedError{Reason: "admission cannot be in a cluster: a document has errors"}
	case slices.ContainsFunc(objects, isWebhook):
		return &trial.UnaskedError{Reason: "nothing calls admission webhooks"}
	case slices.ContainsFunc(objects, mutates):
		return &trial.UnaskedError{Reason: "nothing publishes the types that mutating policies merge by"}
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stopAdmission = stop
	plugins, err := policyPlugins(ctx, withNamespaces(objects, s))
	c.admission.plugins = plugins
	return err
}

func isWebhook(object runtime.Object) bool {
	switch object.(type) {
	case *admissionregistrationv1.ValidatingWebhookConfiguration, *admissionregistrationv1.MutatingWebhookConfiguration:
		return true
	}
	return false
}

func mutates(object runtime.Object) bool {
	_, ok := object.(*admissionregistrationv1.MutatingAdmissionPolicy)
	return ok
}

// withNamespaces adds the namespaces of the scenario's objects.
func withNamespaces(objects []runtime.Object, s playground.Scenario) []runtime.Object {
	known := map[string]bool{}
	for _, object := range objects {
		if namespace, ok := object.(*corev1.Namespace); ok {
			known[namespace.Name] = true
		}
	}
	for _, name := range trial.Namespaces(s) {
		if !known[name] {
			known[name] = true
			objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}})
		}
	}
	return objects
}

// policyPlugins are the plugins as the API server's start-up makes them. They
// work until ctx ends.
func policyPlugins(ctx context.Context, objects []runtime.Object) (admission.Interface, error) {
	var native, dynamic []runtime.Object
	mapper, lists := meta.NewDefaultRESTMapper(nil), map[schema.GroupVersionResource]string{}
	mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	for _, object := range objects {
		other, ok := object.(*unstructured.Unstructured)
		if !ok {
			native = append(native, object)
			continue
		}
		dynamic = append(dynamic, other)
		scope := meta.RESTScope(meta.RESTScopeRoot)
		if other.GetNamespace() != "" {
			scope = meta.RESTScopeNamespace
		}
		mapper.Add(other.GroupVersionKind(), scope)
		plural, _ := meta.UnsafeGuessKindToResource(other.GroupVersionKind())
		lists[plural] = other.GetKind() + "List"
	}
	client := unpublished{fake.NewClientset(native...)}
	factory := informers.NewSharedInformerFactory(client, 0)
	plugins := admission.NewPlugins()
	mutating.Register(plugins)
	validating.Register(plugins)
	chain, err := plugins.NewFromPlugins(
		[]string{mutating.PluginName, validating.PluginName}, noConfiguration{},
		initializer.New(client, dynamicfake.NewSimpleDynamicClientWithCustomListKinds(scheme.Scheme, lists, dynamic...), factory, declared.NoRoles,
			utilfeature.DefaultFeatureGate, compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent), ctx.Done(), mapper),
		admission.Decorators{})
	if err != nil {
		return nil, fmt.Errorf("set up the admission plugins: %w", err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return chain, nil
}

// unpublished is a client of a server that publishes no OpenAPI documents.
type unpublished struct{ *fake.Clientset }

func (c unpublished) Discovery() discovery.DiscoveryInterfaces {
	return undocumented{c.Clientset.Discovery()}
}

type undocumented struct{ discovery.DiscoveryInterfaces }

func (undocumented) OpenAPIV3() openapi.Client { return noDocuments{} }

type noDocuments struct{}

func (noDocuments) Paths() (map[string]openapi.GroupVersion, error) { return nil, nil }

// noConfiguration: the plugins have none.
type noConfiguration struct{}

func (noConfiguration) ConfigFor(string) (io.Reader, error) { return nil, nil }

// admissionSwitch passes requests on to the plugins of the present scenario:
// handlers stay, and scenarios change.
type admissionSwitch struct{ plugins admission.Interface }

func (s *admissionSwitch) Handles(operation admission.Operation) bool { return true }

func (s *admissionSwitch) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	plugins, ok := s.plugins.(admission.MutationInterface)
	if !ok || !plugins.Handles(a.GetOperation()) {
		return nil
	}
	return plugins.Admit(ctx, a, o)
}

func (s *admissionSwitch) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	plugins, ok := s.plugins.(admission.ValidationInterface)
	if !ok || !plugins.Handles(a.GetOperation()) {
		return nil
	}
	return plugins.Validate(ctx, a, o)
}
