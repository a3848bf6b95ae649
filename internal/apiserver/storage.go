package apiserver

import (
	"context"
	"sync"
	"time"

	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/crdlab/crdlab/internal/engine/finding"
)

// keyPrefix precedes the keys of all objects, as in a cluster.
const keyPrefix = "/registry"

// storageOptions configures registries to store their objects with a client of etcd.
type storageOptions struct {
	client    *kubernetes.Client
	compactor etcd3.Compactor
	// codec encodes the objects. If it is nil, a group has the codec of its preferred version.
	codec runtime.Codec
}

// A sizeLimit refuses objects that are too large for etcd.
type sizeLimit struct{ kubernetes.Interface }

// OptimisticPut implements [kubernetes.Interface].
func (l sizeLimit) OptimisticPut(ctx context.Context, key string, value []byte, expected int64, options kubernetes.PutOptions) (kubernetes.PutResponse, error) {
	if err := finding.CheckWrite(key, len(value)); err != nil {
		return kubernetes.PutResponse{}, err
	}
	return l.Interface.OptimisticPut(ctx, key, value, expected, options)
}

// encoded returns options for objects that a codec encodes.
func (o storageOptions) encoded(codec runtime.Codec) storageOptions {
	o.codec = codec
	return o
}

// GetRESTOptions implements [generic.RESTOptionsGetter].
func (o storageOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	if o.codec == nil {
		o.codec = legacyscheme.Codecs.LegacyCodec(legacyscheme.Scheme.PrioritizedVersionsForGroup(resource.Group)...)
	}
	config := storagebackend.Config{Codec: o.codec}
	return generic.RESTOptions{
		StorageConfig:           config.ForResource(resource),
		Decorator:               o.open,
		EnableGarbageCollection: true,
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          resource.Group + "/" + resource.Resource,
	}, nil
}

// open returns the storage of a resource: the API server's storage in etcd behind its watch
// cache, as generic/registry.StorageWithCacher does for a client that it connects itself.
func (o storageOptions) open(
	config *storagebackend.ConfigForResource,
	resourcePrefix string,
	key func(runtime.Object) (string, error),
	newObject, newList func() runtime.Object,
	attributes storage.AttrFunc,
	triggers storage.IndexerFuncs,
	indexers *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	versioner := storage.APIObjectVersioner{}
	stored, err := etcd3.New(o.client, o.compactor, config.Codec, newObject, newList, keyPrefix, resourcePrefix, config.GroupResource,
		identity.NewEncryptCheckTransformer(), etcd3.NewDefaultLeaseManagerConfig(), etcd3.NewDefaultDecoder(config.Codec, versioner), versioner)
	if err != nil {
		return nil, nil, err
	}
	cached, err := cacher.NewCacherFromConfig(cacher.Config{
		Storage: stored, Versioner: versioner, GroupResource: config.GroupResource, EventsHistoryWindow: storagebackend.DefaultEventsHistoryWindow,
		ResourcePrefix: resourcePrefix, KeyFunc: key, NewFunc: newObject, NewListFunc: newList,
		GetAttrsFunc: attributes, IndexerFuncs: triggers, Indexers: indexers, Codec: config.Codec,
	})
	if err != nil {
		stored.Close()
		return nil, nil, err
	}
	delegator := cacher.NewCacheDelegator(cached, stored)
	wait := sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), fillTimeout)
		defer cancel()
		_ = cached.Wait(ctx)
	})
	destroy := sync.OnceFunc(func() {
		delegator.Stop()
		cached.Stop()
		stored.Close()
	})
	return filling{delegator, wait}, destroy, nil
}

// fillTimeout is the longest time until the watch cache of a new storage is filled. It is never filled
// if a conversion webhook fails.
const fillTimeout = time.Second

// A filling storage waits for its watch cache at the first read. Until it is filled, the cache refuses
// requests and asks to repeat them in a second.
type filling struct {
	storage.Interface
	wait func()
}

func (f filling) Get(ctx context.Context, key string, options storage.GetOptions, into runtime.Object) error {
	f.wait()
	return f.Interface.Get(ctx, key, options, into)
}

func (f filling) GetList(ctx context.Context, key string, options storage.ListOptions, into runtime.Object) error {
	f.wait()
	return f.Interface.GetList(ctx, key, options, into)
}

func (f filling) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	f.wait()
	return f.Interface.Watch(ctx, key, options)
}
