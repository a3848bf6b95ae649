package apiserver

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
	"k8s.io/client-go/kubernetes"
)

// addStorages adds the storage of a kind and of its subresources. Each kind with the field
// status has it as a subresource.
func addStorages(storages map[string]rest.Storage, types *runtime.Scheme, version schema.GroupVersion, k kind, options generic.RESTOptionsGetter) error {
	newObject := func(name string) func() runtime.Object {
		return func() runtime.Object {
			object, err := types.New(version.WithKind(name))
			if err != nil {
				panic(err) // k8s.io/api has each kind of the table, and its list.
			}
			return object
		}
	}
	resource := version.WithResource(k.plural).GroupResource()
	s := strategy{ObjectTyper: types, NameGenerator: names.SimpleNameGenerator, kind: k}
	store := &registry.Store{
		NewFunc:                   newObject(k.name),
		NewListFunc:               newObject(k.name + "List"),
		DefaultQualifiedResource:  resource,
		SingularQualifiedResource: version.WithResource(strings.ToLower(k.name)).GroupResource(),
		CreateStrategy:            s, UpdateStrategy: s, DeleteStrategy: s,
		TableConvertor: rest.NewDefaultTableConvertor(resource),
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: options}); err != nil {
		return err
	}
	storages[k.plural] = kindStorage{store, k.shortNames}
	part := func(field string) subresource {
		s, store := s, *store
		s.part = field
		store.UpdateStrategy = s
		return subresource{&store}
	}
	if fieldOf(store.NewFunc(), "Status").IsValid() {
		storages[k.plural+"/status"] = part("Status")
	}
	if k.name == "Namespace" {
		store.ShouldDeleteDuringUpdate = func(_ context.Context, _ string, object, _ runtime.Object) bool {
			namespace, ok := object.(*corev1.Namespace)
			return ok && namespace.DeletionTimestamp != nil && len(namespace.Finalizers)+len(namespace.Spec.Finalizers) == 0
		}
		storages[k.plural] = namespaces{kindStorage{store, k.shortNames}}
		storages[k.plural+"/finalize"] = part("Spec")
	}
	return nil
}

// A kindStorage stores the objects of a kind.
type kindStorage struct {
	*registry.Store
	shortNames []string
}

func (s kindStorage) ShortNames() []string { return s.shortNames }

// A subresource changes one field of the objects of a kind.
type subresource struct{ store *registry.Store }

func (s subresource) New() runtime.Object { return s.store.New() }
func (s subresource) Destroy()            {}

func (s subresource) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

func (s subresource) Update(ctx context.Context, name string, object rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return s.store.Update(ctx, name, object, create, update, false, options)
}

// A strategy prepares objects of a kind for storage.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind kind
	// part is the field that a subresource changes, or empty.
	part string
}

func (s strategy) NamespaceScoped() bool                                               { return !s.kind.isCluster }
func (strategy) AllowCreateOnUpdate(context.Context) bool                              { return false }
func (strategy) AllowUnconditionalUpdate(context.Context) bool                         { return true }
func (strategy) Canonicalize(runtime.Object)                                           {}
func (strategy) Validate(context.Context, runtime.Object) field.ErrorList              { return nil }
func (strategy) ValidateUpdate(_ context.Context, _, _ runtime.Object) field.ErrorList { return nil }

// WarningsOnCreate says that the object is stored, not judged.
func (s strategy) WarningsOnCreate(context.Context, runtime.Object) []string {
	return []string{fmt.Sprintf("crdlab stores this %s without kube-apiserver's validation and defaults", s.kind.name)}
}

// WarningsOnUpdate says that the object is stored, not judged.
func (s strategy) WarningsOnUpdate(ctx context.Context, object, _ runtime.Object) []string {
	return s.WarningsOnCreate(ctx, object)
}

func (strategy) PrepareForCreate(_ context.Context, object runtime.Object) {
	if status := fieldOf(object, "Status"); status.IsValid() {
		status.SetZero()
	}
	setGeneration(object, 1)
	switch object := object.(type) {
	case *corev1.Namespace:
		metav1.SetMetaDataLabel(&object.ObjectMeta, corev1.LabelMetadataName, object.Name)
		object.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
		object.Status.Phase = corev1.NamespaceActive
	case *corev1.Secret:
		mergeStringData(object)
	}
}

func (s strategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	after, before := reflect.ValueOf(object).Elem(), reflect.ValueOf(old).Elem()
	for i := range after.NumField() {
		name := after.Type().Field(i).Name
		isKept := name == "Status"
		if s.part != "" {
			isKept = name != s.part && name != "TypeMeta" && name != "ObjectMeta"
		}
		if isKept {
			after.Field(i).Set(before.Field(i))
		}
	}
	if spec := fieldOf(object, "Spec"); spec.IsValid() {
		generation := generationOf(old)
		if !apiequality.Semantic.DeepEqual(spec.Interface(), fieldOf(old, "Spec").Interface()) {
			generation++
		}
		setGeneration(object, generation)
	}
	switch object := object.(type) {
	case *corev1.Namespace:
		if previous, ok := old.(*corev1.Namespace); ok && s.part != "Spec" {
			object.Spec.Finalizers = previous.Spec.Finalizers
		}
	case *corev1.Secret:
		mergeStringData(object)
	}
}

// setGeneration sets the generation of kinds that have one.
func setGeneration(object runtime.Object, generation int64) {
	if _, isNamespace := object.(*corev1.Namespace); isNamespace || !fieldOf(object, "Spec").IsValid() {
		return
	}
	if object, ok := object.(metav1.Object); ok {
		object.SetGeneration(generation)
	}
}

func generationOf(object runtime.Object) int64 {
	if object, ok := object.(metav1.Object); ok {
		return object.GetGeneration()
	}
	return 0
}

// fieldOf returns the field of an object with a Go name; it is invalid if there is none.
func fieldOf(object runtime.Object, name string) reflect.Value {
	return reflect.ValueOf(object).Elem().FieldByName(name)
}

// mergeStringData moves stringData to data.
func mergeStringData(secret *corev1.Secret) {
	if len(secret.StringData) > 0 && secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	for key, value := range secret.StringData {
		secret.Data[key] = []byte(value)
	}
	secret.StringData = nil
	if secret.Type == "" {
		secret.Type = corev1.SecretTypeOpaque
	}
}

// namespaces are deleted in two steps: they terminate until their finalizers are removed. No
// controller does that here, as under envtest.
type namespaces struct{ kindStorage }

func (n namespaces) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	found, err := n.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, false, err
	}
	namespace, ok := found.(*corev1.Namespace)
	if !ok || len(namespace.Spec.Finalizers) == 0 {
		return n.Store.Delete(ctx, name, validate, options)
	}
	if err := validate(ctx, found); err != nil {
		return nil, false, err
	}
	key, err := n.KeyFunc(ctx, name)
	if err != nil {
		return nil, false, err
	}
	terminating := &corev1.Namespace{}
	err = n.Storage.GuaranteedUpdate(ctx, key, terminating, false, storage.NewUIDPreconditions(string(namespace.UID)),
		storage.SimpleUpdate(func(object runtime.Object) (runtime.Object, error) {
			namespace, ok := object.(*corev1.Namespace)
			if !ok {
				return nil, fmt.Errorf("%T is no namespace", object)
			}
			if namespace.DeletionTimestamp == nil {
				now := metav1.Now()
				namespace.DeletionTimestamp = &now
			}
			namespace.Status.Phase = corev1.NamespaceTerminating
			return namespace, nil
		}), len(options.DryRun) > 0, nil)
	return terminating, false, err
}

// createNamespaces creates the namespaces that every cluster has.
func createNamespaces(ctx context.Context, client kubernetes.Interface) error {
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease} {
		_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}
