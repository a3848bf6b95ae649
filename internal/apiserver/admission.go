package apiserver

import (
	"errors"
	"net"
	"syscall"

	nooptrace "go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	mutatingadmissionpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingadmissionpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	webhookinit "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	validatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/dynamic"
	restclient "k8s.io/client-go/rest"
	"k8s.io/kubernetes/plugin/pkg/admission/certificates/approval"
	"k8s.io/kubernetes/plugin/pkg/admission/certificates/signing"
	"k8s.io/kubernetes/plugin/pkg/admission/certificates/subjectrestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
	"k8s.io/kubernetes/plugin/pkg/admission/security/podsecurity"
)

// plugins lists the admission plugins that kube-apiserver has by default, in its order (AllOrderedPlugins of
// k8s.io/kubernetes/pkg/kubeapiserver/options). Those of k8s.io/apiserver are registered already.
// Some are missing. Without the controllers of a cluster, ServiceAccount refuses all pods, and ResourceQuota
// counts nothing. Those for volumes need the code that mounts them. ClusterTrustBundleAttest, PodGroupProtection,
// PodTopologyLabels, PodResizeValidator and NodeDeclaredFeatureValidator are missing, too.
var plugins = []struct {
	name     string
	register func(*admission.Plugins)
}{
	{lifecycle.PluginName, nil},
	{limitranger.PluginName, limitranger.Register},
	{nodetaint.PluginName, nodetaint.Register},
	{podsecurity.PluginName, podsecurity.Register},
	{priority.PluginName, priority.Register},
	{defaulttolerationseconds.PluginName, defaulttolerationseconds.Register},
	{runtimeclass.PluginName, runtimeclass.Register},
	{approval.PluginName, approval.Register},
	{signing.PluginName, signing.Register},
	{subjectrestriction.PluginName, subjectrestriction.Register},
	{defaultingressclass.PluginName, defaultingressclass.Register},
	{mutatingadmissionpolicy.PluginName, nil},
	{mutatingwebhook.PluginName, nil},
	{validatingadmissionpolicy.PluginName, nil},
	{validatingwebhook.PluginName, nil},
}

// newAdmissionOptions returns options with the plugins.
func newAdmissionOptions() *options.AdmissionOptions {
	o := options.NewAdmissionOptions()
	o.RecommendedPluginOrder = nil
	for _, plugin := range plugins {
		o.RecommendedPluginOrder = append(o.RecommendedPluginOrder, plugin.name)
		if plugin.register != nil {
			plugin.register(o.Plugins)
		}
	}
	return o
}

// addAdmission adds the admission plugins, and returns how webhooks are called.
func addAdmission(config *genericapiserver.RecommendedConfig, o Options, client *clients, objects dynamic.Interface) (webhook.AuthenticationInfoResolverWrapper, error) {
	resolver := webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, nooptrace.NewTracerProvider())
	if !o.RemoteWebhooks {
		resolver = callLocally(resolver)
	}
	return resolver, o.Admission.ApplyTo(&config.Config, config.SharedInformerFactory, client, objects,
		utilfeature.DefaultFeatureGate, config.EffectiveVersion, webhookinit.NewPluginInitializer(resolver, noServices{}))
}

// callLocally restricts the calls of webhooks to this machine: the configurations of a cluster may
// name webhooks that change something there.
func callLocally(wrap webhook.AuthenticationInfoResolverWrapper) webhook.AuthenticationInfoResolverWrapper {
	dialer := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		if host, _, err := net.SplitHostPort(address); err != nil || !net.ParseIP(host).IsLoopback() {
			return errors.New("crdlab apiserver calls webhooks on this machine only, unless it has the flag --remote-webhooks")
		}
		return nil
	}}
	return func(delegate webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
		resolver := wrap(delegate)
		return &webhook.AuthenticationInfoResolverDelegator{
			ClientConfigForFunc: func(host string) (*restclient.Config, error) {
				config, err := resolver.ClientConfigFor(host)
				if err == nil {
					config.Dial = dialer.DialContext
				}
				return config, err
			},
			ClientConfigForServiceFunc: resolver.ClientConfigForService,
		}
	}
}
