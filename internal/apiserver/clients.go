package apiserver

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	admissionregistrationinformers "k8s.io/client-go/informers/admissionregistration"
	coreinformers "k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	networkinginformers "k8s.io/client-go/informers/networking"
	nodeinformers "k8s.io/client-go/informers/node"
	rbacinformers "k8s.io/client-go/informers/rbac"
	schedulinginformers "k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/kubernetes"
	admissionregistrationv1 "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	networkingv1 "k8s.io/client-go/kubernetes/typed/networking/v1"
	nodev1 "k8s.io/client-go/kubernetes/typed/node/v1"
	rbacv1 "k8s.io/client-go/kubernetes/typed/rbac/v1"
	schedulingv1 "k8s.io/client-go/kubernetes/typed/scheduling/v1"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// clients has the typed clients that the admission plugins and the authorizer call. Those of
// client-go for all groups, with their informers, would add 6 MB to the program. The embedded
// interface is nil.
type clients struct {
	kubernetes.Interface
	resources    discovery.DiscoveryInterfaces
	core         corev1.CoreV1Interface
	networking   networkingv1.NetworkingV1Interface
	node         nodev1.NodeV1Interface
	rbac         rbacv1.RbacV1Interface
	registration admissionregistrationv1.AdmissionregistrationV1Interface
	scheduling   schedulingv1.SchedulingV1Interface
}

func newClients(config *restclient.Config) (*clients, error) {
	client, err := restclient.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	c := &clients{}
	var errs [7]error
	c.resources, errs[0] = discovery.NewDiscoveryClientForConfigAndClient(config, client)
	c.core, errs[1] = corev1.NewForConfigAndClient(config, client)
	c.networking, errs[2] = networkingv1.NewForConfigAndClient(config, client)
	c.node, errs[3] = nodev1.NewForConfigAndClient(config, client)
	c.rbac, errs[4] = rbacv1.NewForConfigAndClient(config, client)
	c.registration, errs[5] = admissionregistrationv1.NewForConfigAndClient(config, client)
	c.scheduling, errs[6] = schedulingv1.NewForConfigAndClient(config, client)
	return c, errors.Join(errs[:]...)
}

// Discovery implements [kubernetes.Interface].
func (c *clients) Discovery() discovery.DiscoveryInterfaces { return c.resources }

// CoreV1 implements [kubernetes.Interface].
func (c *clients) CoreV1() corev1.CoreV1Interface { return c.core }

// AdmissionregistrationV1 implements [kubernetes.Interface].
func (c *clients) AdmissionregistrationV1() admissionregistrationv1.AdmissionregistrationV1Interface {
	return c.registration
}

// NetworkingV1 implements [kubernetes.Interface].
func (c *clients) NetworkingV1() networkingv1.NetworkingV1Interface { return c.networking }

// NodeV1 implements [kubernetes.Interface].
func (c *clients) NodeV1() nodev1.NodeV1Interface { return c.node }

// SchedulingV1 implements [kubernetes.Interface].
func (c *clients) SchedulingV1() schedulingv1.SchedulingV1Interface { return c.scheduling }

// RbacV1 implements [kubernetes.Interface].
func (c *clients) RbacV1() rbacv1.RbacV1Interface { return c.rbac }

// informerFactory has the informers of [clients]. The embedded interface is nil.
type informerFactory struct {
	informers.SharedInformerFactory
	client *clients

	mu        sync.Mutex
	informers map[reflect.Type]cache.SharedIndexInformer
	started   map[reflect.Type]bool
}

func newInformerFactory(client *clients) *informerFactory {
	return &informerFactory{client: client, informers: map[reflect.Type]cache.SharedIndexInformer{}, started: map[reflect.Type]bool{}}
}

// Core implements [informers.SharedInformerFactory].
func (f *informerFactory) Core() coreinformers.Interface { return coreinformers.New(f, "", nil) }

// Admissionregistration implements [informers.SharedInformerFactory].
func (f *informerFactory) Admissionregistration() admissionregistrationinformers.Interface {
	return admissionregistrationinformers.New(f, "", nil)
}

// Networking implements [informers.SharedInformerFactory].
func (f *informerFactory) Networking() networkinginformers.Interface {
	return networkinginformers.New(f, "", nil)
}

// Node implements [informers.SharedInformerFactory].
func (f *informerFactory) Node() nodeinformers.Interface { return nodeinformers.New(f, "", nil) }

// Scheduling implements [informers.SharedInformerFactory].
func (f *informerFactory) Scheduling() schedulinginformers.Interface {
	return schedulinginformers.New(f, "", nil)
}

// Rbac implements [informers.SharedInformerFactory].
func (f *informerFactory) Rbac() rbacinformers.Interface { return rbacinformers.New(f, "", nil) }

// ForResource implements [informers.SharedInformerFactory]. It fails for each resource, so the
// parameters of policies come from informers of the dynamic client.
func (f *informerFactory) ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error) {
	return nil, fmt.Errorf("there is no typed informer for %s", resource)
}

// InformerName implements [informers.SharedInformerFactory].
func (f *informerFactory) InformerName() *cache.InformerName { return nil }

// InformerFor implements [informers.SharedInformerFactory].
func (f *informerFactory) InformerFor(object runtime.Object, create internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	kind := reflect.TypeOf(object)
	if f.informers[kind] == nil {
		f.informers[kind] = create(f.client, 0)
	}
	return f.informers[kind]
}

// Start implements [informers.SharedInformerFactory].
func (f *informerFactory) Start(stop <-chan struct{}) {
	f.StartWithContext(wait.ContextForChannel(stop))
}

// StartWithContext implements [informers.SharedInformerFactory].
func (f *informerFactory) StartWithContext(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for kind, informer := range f.informers {
		if !f.started[kind] {
			f.started[kind] = true
			go informer.RunWithContext(ctx)
		}
	}
}

// WaitForCacheSync implements [informers.SharedInformerFactory].
func (f *informerFactory) WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	synced := map[reflect.Type]bool{}
	for kind := range f.started {
		cache.WaitForCacheSync(stop, f.informers[kind].HasSynced)
		synced[kind] = f.informers[kind].HasSynced() // stop may be closed already.
	}
	return synced
}
