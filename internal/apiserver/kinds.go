package apiserver

import (
	"fmt"
	"strings"
	"time"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// A kind is a kind of kube-apiserver that this server stores, too.
type kind struct {
	name, plural string
	// isCluster means that its objects are not in namespaces.
	isCluster bool
	// shortNames are the names that kubectl accepts, too.
	shortNames []string
}

// kinds lists the kinds that tests of controllers write beside custom resources, by group and
// version. Their Go types are those of k8s.io/api. Their defaults and validation are in
// k8s.io/kubernetes, which is no library.
var kinds = map[schema.GroupVersion][]kind{
	{Version: "v1"}: {
		{"Namespace", "namespaces", true, []string{"ns"}},
		{"Node", "nodes", true, []string{"no"}},
		{"PersistentVolume", "persistentvolumes", true, []string{"pv"}},
		{"ConfigMap", "configmaps", false, []string{"cm"}},
		{"Endpoints", "endpoints", false, []string{"ep"}},
		{"Event", "events", false, []string{"ev"}},
		{"LimitRange", "limitranges", false, []string{"limits"}},
		{"PersistentVolumeClaim", "persistentvolumeclaims", false, []string{"pvc"}},
		{"Pod", "pods", false, []string{"po"}},
		{"PodTemplate", "podtemplates", false, nil},
		{"ReplicationController", "replicationcontrollers", false, []string{"rc"}},
		{"ResourceQuota", "resourcequotas", false, []string{"quota"}},
		{"Secret", "secrets", false, nil},
		{"Service", "services", false, []string{"svc"}},
		{"ServiceAccount", "serviceaccounts", false, []string{"sa"}},
	},
	{Group: "admissionregistration.k8s.io", Version: "v1"}: {
		{"MutatingAdmissionPolicy", "mutatingadmissionpolicies", true, nil},
		{"MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", true, nil},
		{"MutatingWebhookConfiguration", "mutatingwebhookconfigurations", true, nil},
		{"ValidatingAdmissionPolicy", "validatingadmissionpolicies", true, nil},
		{"ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", true, nil},
		{"ValidatingWebhookConfiguration", "validatingwebhookconfigurations", true, nil},
	},
	{Group: "apps", Version: "v1"}: {
		{"ControllerRevision", "controllerrevisions", false, nil},
		{"DaemonSet", "daemonsets", false, []string{"ds"}},
		{"Deployment", "deployments", false, []string{"deploy"}},
		{"ReplicaSet", "replicasets", false, []string{"rs"}},
		{"StatefulSet", "statefulsets", false, []string{"sts"}},
	},
	{Group: "autoscaling", Version: "v2"}: {{"HorizontalPodAutoscaler", "horizontalpodautoscalers", false, []string{"hpa"}}},
	{Group: "batch", Version: "v1"}: {
		{"CronJob", "cronjobs", false, []string{"cj"}},
		{"Job", "jobs", false, nil},
	},
	{Group: "coordination.k8s.io", Version: "v1"}: {{"Lease", "leases", false, nil}},
	{Group: "discovery.k8s.io", Version: "v1"}:    {{"EndpointSlice", "endpointslices", false, nil}},
	{Group: "events.k8s.io", Version: "v1"}:       {{"Event", "events", false, []string{"ev"}}},
	{Group: "networking.k8s.io", Version: "v1"}: {
		{"Ingress", "ingresses", false, []string{"ing"}},
		{"IngressClass", "ingressclasses", true, nil},
		{"NetworkPolicy", "networkpolicies", false, []string{"netpol"}},
	},
	{Group: "policy", Version: "v1"}: {{"PodDisruptionBudget", "poddisruptionbudgets", false, []string{"pdb"}}},
	{Group: "rbac.authorization.k8s.io", Version: "v1"}: {
		{"ClusterRole", "clusterroles", true, nil},
		{"ClusterRoleBinding", "clusterrolebindings", true, nil},
		{"Role", "roles", false, nil},
		{"RoleBinding", "rolebindings", false, nil},
	},
	{Group: "scheduling.k8s.io", Version: "v1"}: {{"PriorityClass", "priorityclasses", true, []string{"pc"}}},
	{Group: "storage.k8s.io", Version: "v1"}:    {{"StorageClass", "storageclasses", true, []string{"sc"}}},
}

// rootOf returns the path of the groups of a version.
func rootOf(version schema.GroupVersion) string {
	if version.Group == "" {
		return "/api"
	}
	return "/apis"
}

// pathsOfKinds returns the prefixes of the paths of the kinds.
func pathsOfKinds() []string {
	var paths []string
	for version := range kinds {
		paths = append(paths, rootOf(version)+strings.TrimSuffix("/"+version.Group, "/")+"/")
	}
	return paths
}

// installKinds adds the kinds to a server.
func installKinds(server *genericapiserver.GenericAPIServer, admit admission.Interface, stored storageOptions) error {
	types := runtime.NewScheme()
	if err := scheme.AddToScheme(types); err != nil {
		return err
	}
	metav1.AddToGroupVersion(types, schema.GroupVersion{Version: "v1"})
	addDefaults(types)
	for version, kinds := range kinds {
		// The handlers ask for internal types. These kinds have one type each.
		for _, k := range kinds {
			object, err := types.New(version.WithKind(k.name))
			if err != nil {
				return err
			}
			types.AddKnownTypeWithName(schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}.WithKind(k.name), object)
		}
		if err := installVersion(server, admit, stored, types, version); err != nil {
			return fmt.Errorf("install the kinds of %s: %w", version, err)
		}
	}
	return nil
}

func installVersion(server *genericapiserver.GenericAPIServer, admit admission.Interface, stored storageOptions, types *runtime.Scheme, version schema.GroupVersion) error {
	codecs := serializer.NewCodecFactory(types)
	storages := map[string]rest.Storage{}
	for _, k := range kinds[version] {
		if err := addStorages(storages, types, version, k, stored.encoded(codecs.LegacyCodec(version))); err != nil {
			return err
		}
	}
	// GenericAPIServer.InstallAPIGroup would take the types for server-side apply from OpenAPI.
	group := endpoints.APIGroupVersion{
		Storage: storages, Root: rootOf(version), GroupVersion: version,
		OptionsExternalVersion: &schema.GroupVersion{Version: "v1"},
		Serializer:             codecs, ParameterCodec: runtime.NewParameterCodec(types),
		Typer: types, Creater: types, Convertor: types, ConvertabilityChecker: types, Defaulter: types,
		UnsafeConvertor: runtime.UnsafeObjectConvertor(types), Namer: runtime.Namer(meta.NewAccessor()),
		TypeConverter:              applyconfigurations.NewTypeConverter(types),
		EquivalentResourceRegistry: server.EquivalentResourceRegistry,
		Authorizer:                 server.Authorizer, Admit: admit, MinRequestTimeout: 30 * time.Minute,
	}
	container := server.Handler.GoRestfulContainer
	resources, _, err := group.InstallREST(container)
	if err != nil {
		return err
	}
	discovered := apidiscoveryv2.APIVersionDiscovery{Version: version.Version, Resources: resources, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
	if version.Group == "" {
		legacy := server.AggregatedLegacyDiscoveryGroupManager
		legacy.AddGroupVersion("", discovered)
		root := discovery.NewLegacyRootAPIHandler(discovery.DefaultAddresses{}, server.Serializer, "/api")
		container.Add(aggregated.WrapAggregatedDiscoveryToHandler(root, legacy, legacy).GenerateWebService("/api", metav1.APIVersions{}))
		return nil
	}
	server.AggregatedDiscoveryGroupManager.AddGroupVersion(version.Group, discovered)
	preferred := metav1.GroupVersionForDiscovery{GroupVersion: version.String(), Version: version.Version}
	apiGroup := metav1.APIGroup{Name: version.Group, PreferredVersion: preferred, Versions: []metav1.GroupVersionForDiscovery{preferred}}
	server.DiscoveryGroupManager.AddGroup(apiGroup)
	container.Add(discovery.NewAPIGroupHandler(server.Serializer, apiGroup).WebService())
	return nil
}
