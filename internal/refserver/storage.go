//go:build !js || program

package refserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// This file implements the storage interface of k8s.io/apiserver. The methods
// that differ between Kubernetes releases are in storage_1.35.go and in the file
// of an older release.

// memory holds encoded objects by key. All versions of a resource share it.
type memory struct {
	mutex    sync.Mutex
	revision uint64
	records  map[string]record
}

type record struct {
	data     []byte
	revision uint64
}

func newMemory() *memory { return &memory{revision: 1, records: map[string]record{}} }

// clear removes all records. The revision keeps counting.
func (m *memory) clear() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	clear(m.records)
}

func (m *memory) get(key string) (record, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	r, ok := m.records[key]
	return r, ok
}

// put stores data under key.
func (m *memory) put(key string, data []byte) record {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.set(key, data)
}

// set stores data under key. The caller holds the mutex.
func (m *memory) set(key string, data []byte) record {
	m.revision++
	r := record{data, m.revision}
	m.records[key] = r
	return r
}

// keyPrefix precedes keys in error messages. It is the prefix of etcd keys.
const keyPrefix = "/registry"

// resourcePrefix returns the prefix of the keys of a resource.
func resourcePrefix(group, resource string) string { return "/" + group + "/" + resource }

// restOptions configures registries to store their objects in memory, encoded
// with codec.
type restOptions struct {
	memory *memory
	codec  runtime.Codec
}

func (o restOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.Config{Codec: o.codec}
	return generic.RESTOptions{
		StorageConfig:           config.ForResource(resource),
		Decorator:               o.decorate,
		EnableGarbageCollection: true,
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          resourcePrefix(resource.Group, resource.Resource),
	}, nil
}

func (o restOptions) decorate(
	config *storagebackend.ConfigForResource,
	_ string,
	_ func(runtime.Object) (string, error),
	newObject, _ func() runtime.Object,
	_ storage.AttrFunc,
	_ storage.IndexerFuncs,
	_ *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	return &store{memory: o.memory, codec: config.Codec, newObject: newObject}, func() {}, nil
}

// A store is a [storage.Interface] that encodes each object when it is written
// and decodes it when it is read, like the API server's etcd storage.
type store struct {
	storage.APIObjectVersioner
	*memory
	codec     runtime.Codec
	newObject func() runtime.Object
}

var _ storage.Interface = (*store)(nil)

func (s *store) Versioner() storage.Versioner { return s.APIObjectVersioner }

// decode decodes a record into an object.
func (s *store) decode(r record, into runtime.Object) error {
	if _, _, err := s.codec.Decode(r.data, nil, into); err != nil {
		return &undecodableError{r.revision, err}
	}
	return s.UpdateObject(into, r.revision)
}

// undecodableError reports a stored object that cannot be decoded
// (corruptObjectError in k8s.io/apiserver/pkg/storage/etcd3).
type undecodableError struct {
	revision uint64
	err      error
}

func (e *undecodableError) Error() string {
	return fmt.Sprintf("object not decodable revision=%d: %v", e.revision, e.err)
}

func (e *undecodableError) Unwrap() error { return e.err }

// load decodes the record at key into a new object.
func (s *store) load(key string) (runtime.Object, record, error) {
	r, ok := s.records[key]
	if !ok {
		return nil, r, storage.NewKeyNotFoundError(key, 0)
	}
	object := s.newObject()
	return object, r, s.decode(r, object)
}

func (s *store) Create(_ context.Context, key string, obj, out runtime.Object, _ uint64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if version, err := s.ObjectResourceVersion(obj); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	if err := s.PrepareObjectForStorage(obj); err != nil {
		return fmt.Errorf("PrepareObjectForStorage failed: %w", err)
	}
	data, err := runtime.Encode(s.codec, obj)
	if err != nil {
		return err
	}
	if _, ok := s.records[key]; ok {
		return storage.NewKeyExistsError(key, 0)
	}
	r := s.set(key, data)
	if out == nil {
		return nil
	}
	return s.decode(r, out)
}

func (s *store) Get(_ context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r, ok := s.records[key]
	if !ok && opts.IgnoreNotFound {
		return runtime.SetZeroValue(out)
	}
	if !ok {
		return storage.NewKeyNotFoundError(key, 0)
	}
	err := s.decode(r, out)
	if corrupt := (*undecodableError)(nil); errors.As(err, &corrupt) {
		return corruptError(key, corrupt)
	}
	return err
}

func (s *store) GetList(_ context.Context, key string, opts storage.ListOptions, list runtime.Object) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	pointer, err := meta.GetItemsPtr(list)
	if err != nil {
		return err
	}
	items := reflect.ValueOf(pointer).Elem()
	prefix := strings.TrimSuffix(key, "/") + "/"
	for _, at := range slices.Sorted(maps.Keys(s.records)) {
		if at != key && !(opts.Recursive && strings.HasPrefix(at, prefix)) {
			continue
		}
		object, _, err := s.load(at)
		if err != nil {
			return err
		}
		matches, err := opts.Predicate.Matches(object)
		if err != nil {
			return err
		}
		if matches {
			items.Set(reflect.Append(items, reflect.ValueOf(object).Elem()))
		}
	}
	return s.UpdateList(list, s.revision, "", nil)
}

func (s *store) GuaranteedUpdate(
	_ context.Context, key string, out runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object,
) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	object, old, err := s.load(key)
	if ignoreNotFound && storage.IsNotFound(err) {
		object, err = emptyLike(out), nil
	}
	if err != nil {
		return err
	}
	if err := preconditions.Check(keyPrefix+key, object); err != nil {
		return err
	}
	object, _, err = update(object, storage.ResponseMeta{ResourceVersion: old.revision})
	if err != nil {
		return err
	}
	if err := s.PrepareObjectForStorage(object); err != nil {
		return fmt.Errorf("PrepareObjectForStorage failed: %w", err)
	}
	data, err := runtime.Encode(s.codec, object)
	if err != nil {
		return err
	}
	if bytes.Equal(data, old.data) {
		return s.decode(old, out)
	}
	return s.decode(s.set(key, data), out)
}

// emptyLike returns an empty object of the same type.
func emptyLike(object runtime.Object) runtime.Object {
	if u, ok := object.(runtime.Unstructured); ok {
		return u.NewEmptyInstance()
	}
	return reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
}

// remove deletes the record at key and decodes it into out. It is the
// implementation of Delete, whose parameters differ between releases.
func (s *store) remove(
	ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions, validate storage.ValidateObjectFunc,
) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	object, r, err := s.load(key)
	if err != nil {
		return err
	}
	if preconditions != nil {
		if err := preconditions.Check(keyPrefix+key, object); err != nil {
			return err
		}
	}
	if err := validate(ctx, object); err != nil {
		return err
	}
	delete(s.records, key)
	s.revision++
	return s.decode(record{r.data, s.revision}, out)
}

func (s *store) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return nil, errors.New("the storage in memory cannot be watched")
}

func (s *store) GetCurrentResourceVersion(context.Context) (uint64, error) { return s.revision, nil }

func (s *store) ReadinessCheck() error                      { return nil }
func (s *store) RequestWatchProgress(context.Context) error { return nil }
func (s *store) CompactRevision() int64                     { return 0 }

// unstructuredCodec encodes custom resources as JSON.
var unstructuredCodec = runtime.NewCodec(unstructured.UnstructuredJSONScheme, unstructured.UnstructuredJSONScheme)
