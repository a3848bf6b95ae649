package apiserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/admission"
	apiendpoints "k8s.io/apiserver/pkg/endpoints"
	restdiscovery "k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/client-go/applyconfigurations"
	policyv1 "k8s.io/client-go/kubernetes/typed/policy/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/capabilities"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	admissionregistration "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
	apps "k8s.io/kubernetes/pkg/registry/apps/rest"
	authentication "k8s.io/kubernetes/pkg/registry/authentication/rest"
	authorization "k8s.io/kubernetes/pkg/registry/authorization/rest"
	autoscaling "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batch "k8s.io/kubernetes/pkg/registry/batch/rest"
	certificates "k8s.io/kubernetes/pkg/registry/certificates/rest"
	coordination "k8s.io/kubernetes/pkg/registry/coordination/rest"
	endpoints "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitranges "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodes "k8s.io/kubernetes/pkg/registry/core/node/storage"
	volumes "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	claims "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	pods "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	podtemplates "k8s.io/kubernetes/pkg/registry/core/podtemplate/storage"
	replicationcontrollers "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	services "k8s.io/kubernetes/pkg/registry/core/service/storage"
	serviceaccounts "k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage"
	discovery "k8s.io/kubernetes/pkg/registry/discovery/rest"
	events "k8s.io/kubernetes/pkg/registry/events/rest"
	networking "k8s.io/kubernetes/pkg/registry/networking/rest"
	node "k8s.io/kubernetes/pkg/registry/node/rest"
	policyrest "k8s.io/kubernetes/pkg/registry/policy/rest"
	rbac "k8s.io/kubernetes/pkg/registry/rbac/rest"
	scheduling "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	storage "k8s.io/kubernetes/pkg/registry/storage/rest"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	// The types of the groups, with their defaults and conversions.
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// eventTTL is the time after which events are removed, as in kube-apiserver.
const eventTTL = time.Hour

// The addresses and ports that Services get, as under envtest.
var (
	clusterIPs = net.IPNet{IP: net.IPv4(10, 0, 0, 0).To4(), Mask: net.CIDRMask(24, 32)}
	nodePorts  = utilnet.PortRange{Base: 30000, Size: 2768}
)

// A provider creates the storages of a group, with the validation and defaults of kube-apiserver.
type provider interface {
	NewRESTStorage(serverstorage.APIResourceConfigSource, generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error)
}

// installKinds adds the kinds of kube-apiserver to a server: the stable versions of all groups that
// need no other program. It returns their storages.
func installKinds(server *genericapiserver.GenericAPIServer, config *genericapiserver.RecommendedConfig, client *clients, tokens tokens, stored storageOptions) (storages, error) {
	capabilities.Setup(true, 0) // Clusters permit privileged containers.
	providers := []provider{
		admissionregistration.RESTStorageProvider{Authorizer: server.Authorizer, DiscoveryClient: client.resources},
		apps.StorageProvider{},
		authentication.RESTStorageProvider{Authenticator: config.Authentication.Authenticator, APIAudiences: config.Authentication.APIAudiences},
		authorization.RESTStorageProvider{Authorizer: server.Authorizer, RuleResolver: config.RuleResolver},
		autoscaling.RESTStorageProvider{},
		batch.RESTStorageProvider{},
		certificates.RESTStorageProvider{Authorizer: server.Authorizer},
		coordination.RESTStorageProvider{},
		discovery.StorageProvider{},
		events.RESTStorageProvider{TTL: eventTTL},
		networking.RESTStorageProvider{},
		node.RESTStorageProvider{},
		policyrest.RESTStorageProvider{},
		rbac.RESTStorageProvider{Authorizer: server.Authorizer},
		scheduling.RESTStorageProvider{},
		storage.RESTStorageProvider{},
	}
	core, err := newCore(config, client, tokens, stored)
	if err != nil {
		return nil, err
	}
	groups := []genericapiserver.APIGroupInfo{core}
	for _, provider := range providers {
		group, err := provider.NewRESTStorage(stableVersions(), stored)
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	types := lazyTypes(sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(legacyscheme.Scheme) }))
	all := storages{}
	for _, group := range groups {
		if err := installGroup(server, config.AdmissionControl, types, group); err != nil {
			return nil, fmt.Errorf("install the kinds of %s: %w", group.PrioritizedVersions[0], err)
		}
		for _, version := range group.VersionedResourcesStorageMap {
			maps.Copy(all, version)
		}
	}
	return all, nil
}

// installGroup serves a group. GenericAPIServer.InstallAPIGroup would take the types for
// server-side apply from OpenAPI documents of all kinds, which take a third of a second.
func installGroup(server *genericapiserver.GenericAPIServer, admit admission.Interface, types managedfields.TypeConverter, info genericapiserver.APIGroupInfo) error {
	container := server.Handler.GoRestfulContainer
	apiGroup := metav1.APIGroup{Name: info.PrioritizedVersions[0].Group}
	root, discovered := "/apis", server.AggregatedDiscoveryGroupManager
	if apiGroup.Name == "" {
		root, discovered = "/api", server.AggregatedLegacyDiscoveryGroupManager
	}
	for _, version := range info.PrioritizedVersions {
		storages := info.VersionedResourcesStorageMap[version.Version]
		if len(storages) == 0 {
			continue
		}
		group := apiendpoints.APIGroupVersion{
			Storage: storages, Root: root, GroupVersion: version,
			OptionsExternalVersion: &schema.GroupVersion{Version: "v1"}, MetaGroupVersion: info.MetaGroupVersion,
			Serializer: info.NegotiatedSerializer, ParameterCodec: info.ParameterCodec,
			Typer: info.Scheme, Creater: info.Scheme, Convertor: info.Scheme, ConvertabilityChecker: info.Scheme, Defaulter: info.Scheme,
			UnsafeConvertor: runtime.UnsafeObjectConvertor(info.Scheme), Namer: runtime.Namer(meta.NewAccessor()), TypeConverter: types,
			EquivalentResourceRegistry: server.EquivalentResourceRegistry,
			Authorizer:                 server.Authorizer, Admit: admit, MinRequestTimeout: 30 * time.Minute,
		}
		resources, _, err := group.InstallREST(container)
		if err != nil {
			return err
		}
		discovered.AddGroupVersion(version.Group, apidiscoveryv2.APIVersionDiscovery{Version: version.Version, Resources: resources, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent})
		apiGroup.Versions = append(apiGroup.Versions, metav1.GroupVersionForDiscovery{GroupVersion: version.String(), Version: version.Version})
	}
	if apiGroup.Name == "" {
		legacy := restdiscovery.NewLegacyRootAPIHandler(restdiscovery.DefaultAddresses{}, server.Serializer, root)
		container.Add(aggregated.WrapAggregatedDiscoveryToHandler(legacy, discovered, discovered).GenerateWebService(root, metav1.APIVersions{}))
		return nil
	}
	apiGroup.PreferredVersion = apiGroup.Versions[0]
	server.DiscoveryGroupManager.AddGroup(apiGroup)
	container.Add(restdiscovery.NewAPIGroupHandler(server.Serializer, apiGroup).WebService())
	return nil
}

// lazyTypes are the types for server-side apply. They are read at their first use, which takes a
// tenth of a second.
type lazyTypes func() managedfields.TypeConverter

func (t lazyTypes) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if object.GetObjectKind().GroupVersionKind().Kind == "Scale" { // It has no lists, and so needs no type.
		return managedfields.NewDeducedTypeConverter().ObjectToTyped(object, options...)
	}
	return t().ObjectToTyped(object, options...)
}

func (t lazyTypes) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	return t().TypedToObject(value)
}

// pathsOfKinds returns the prefixes of the paths of the kinds.
func pathsOfKinds() []string {
	paths := []string{"/api/"}
	for group := range stableVersions().GroupVersionConfigs {
		if group.Group != "" {
			paths = append(paths, "/apis/"+group.Group+"/")
		}
	}
	return paths
}

// stableVersions enables the stable versions of all groups.
func stableVersions() *serverstorage.ResourceConfig {
	enabled := serverstorage.NewResourceConfig()
	for _, version := range legacyscheme.Scheme.PrioritizedVersionsAllGroups() {
		if !strings.ContainsAny(strings.TrimPrefix(version.Version, "v"), "ab") { // alpha, beta
			enabled.EnableVersions(version)
		}
	}
	return enabled
}

// newCore returns the group of the kinds without a group. It adds pods, services and nodes to the
// others as registry/core/rest.New does, which would connect to etcd for the addresses of services.
func newCore(config *genericapiserver.RecommendedConfig, client *clients, tokens tokens, stored storageOptions) (group genericapiserver.APIGroupInfo, err error) {
	group, err = (&corerest.GenericConfig{EventTTL: eventTTL}).NewRESTStorage(stableVersions(), stored)
	if err != nil {
		return group, err
	}
	storages := group.VersionedResourcesStorageMap["v1"]
	if storages["endpoints"], err = endpoints.NewREST(stored); err != nil {
		return group, err
	}
	if storages["limitranges"], err = limitranges.NewREST(stored); err != nil {
		return group, err
	}
	if storages["persistentvolumeclaims"], storages["persistentvolumeclaims/status"], err = claims.NewREST(stored); err != nil {
		return group, err
	}
	if storages["persistentvolumes"], storages["persistentvolumes/status"], err = volumes.NewREST(stored); err != nil {
		return group, err
	}
	if storages["podtemplates"], err = podtemplates.NewREST(stored); err != nil {
		return group, err
	}
	controllers, err := replicationcontrollers.NewStorage(stored)
	if err != nil {
		return group, err
	}
	storages["replicationcontrollers"], storages["replicationcontrollers/status"], storages["replicationcontrollers/scale"] = controllers.Controller, controllers.Status, controllers.Scale

	// Nothing runs pods: there are no logs, and no processes to attach to.
	node, err := nodes.NewStorage(stored, kubeletclient.KubeletClientConfig{}, http.DefaultTransport)
	if err != nil {
		return group, err
	}
	storages["nodes"], storages["nodes/status"] = node.Node, node.Status
	budgets, err := policyv1.NewForConfig(config.LoopbackClientConfig)
	if err != nil {
		return group, err
	}
	pod, err := pods.NewStorage(stored, node.KubeletConnectionInfo, http.DefaultTransport, budgets, config.Authorization.Authorizer)
	if err != nil {
		return group, err
	}
	storages["pods"], storages["pods/status"], storages["pods/binding"], storages["bindings"] = pod.Pod, pod.Status, pod.Binding, pod.LegacyBinding
	storages["pods/eviction"], storages["pods/ephemeralcontainers"], storages["pods/resize"] = pod.Eviction, pod.EphemeralContainers, pod.Resize

	secrets, ok := storages["secrets"].(rest.Getter)
	if !ok {
		return group, errors.New("secrets cannot be read")
	}
	storages["serviceaccounts"].Destroy()
	accounts, err := serviceaccounts.NewREST(stored, tokens, config.Authentication.APIAudiences, config.Authorization.Authorizer, maxTokenLife, pod.Pod.Store, secrets, node.Node.Store,
		client.registration.ValidatingWebhookConfigurations(), client.registration.MutatingWebhookConfigurations(), false, maxTokenLife)
	if err != nil {
		return group, err
	}
	storages["serviceaccounts"], storages["serviceaccounts/token"] = accounts, accounts.Token
	storages["services"], storages["services/status"], err = newServices(pod.Pod, stored)
	return group, err
}

// newServices returns the storages of services and of their status. The addresses and ports in use
// are those of the stored services.
func newServices(pods *pods.REST, stored storageOptions) (service, status rest.Storage, err error) {
	ips, err := ipallocator.NewInMemory(&clusterIPs)
	if err != nil {
		return nil, nil, err
	}
	ports, err := portallocator.NewInMemory(nodePorts)
	if err != nil {
		return nil, nil, err
	}
	families := map[api.IPFamily]ipallocator.Interface{api.IPv4Protocol: ips}
	existing, statuses, _, err := services.NewREST(stored, api.IPv4Protocol, families, ports, nil, pods, http.DefaultTransport)
	if err != nil {
		return nil, nil, err
	}
	list, err := existing.List(context.Background(), nil)
	if err != nil {
		return nil, nil, err
	}
	for _, service := range list.(*api.ServiceList).Items {
		if service.Spec.ClusterIP != "" && service.Spec.ClusterIP != api.ClusterIPNone {
			err = errors.Join(err, ips.Allocate(net.ParseIP(service.Spec.ClusterIP)))
		}
		used := []int32{service.Spec.HealthCheckNodePort}
		for _, port := range service.Spec.Ports {
			used = append(used, port.NodePort)
		}
		for _, port := range used {
			if port != 0 && !ports.Has(int(port)) { // TCP and UDP can have the same port.
				err = errors.Join(err, ports.Allocate(int(port)))
			}
		}
	}
	return existing, statuses, err
}
