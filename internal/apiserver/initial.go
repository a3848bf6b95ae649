package apiserver

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	scheduling "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// storages are the storages of kinds by resource. The resources of all groups that have initial
// objects differ.
type storages map[string]rest.Storage

// createInitial creates the objects that kube-apiserver creates in an empty cluster: namespaces, the
// Service kubernetes with the port of the server, the priorities of its own pods, and the default roles
// with their bindings.
func (s storages) createInitial(ctx context.Context, port int) error {
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease} {
		if err := s.create(ctx, "namespaces", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	if err := s.create(ctx, "services", kubernetesService(port)); err != nil {
		return err
	}
	for _, class := range scheduling.SystemPriorityClasses() {
		if err := s.create(ctx, "priorityclasses", class); err != nil {
			return err
		}
	}
	for _, role := range slices.Concat(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()) {
		if err := s.create(ctx, "clusterroles", &role); err != nil {
			return err
		}
	}
	for _, binding := range slices.Concat(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()) {
		if err := s.create(ctx, "clusterrolebindings", &binding); err != nil {
			return err
		}
	}
	for _, role := range slices.Concat(slices.Collect(maps.Values(bootstrappolicy.NamespaceRoles()))...) {
		if err := s.create(ctx, "roles", &role); err != nil {
			return err
		}
	}
	for _, binding := range slices.Concat(slices.Collect(maps.Values(bootstrappolicy.NamespaceRoleBindings()))...) {
		if err := s.create(ctx, "rolebindings", &binding); err != nil {
			return err
		}
	}
	return nil
}

// create creates an object as a request of the server itself would, unless it exists.
func (s storages) create(ctx context.Context, resource string, object runtime.Object) error {
	storage, ok := s[resource].(interface {
		rest.Creater
		rest.Getter
	})
	if !ok {
		return fmt.Errorf("%s cannot be created", resource)
	}
	metadata, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		return err
	}
	legacyscheme.Scheme.Default(object)
	if object, err = withManagedFields(object, kinds[0], s[resource]); err != nil {
		return err
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, runtime.InternalGroupVersioner)
	if err != nil {
		return err
	}
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{IsResourceRequest: true, Verb: "create", APIGroup: kinds[0].Group, APIVersion: kinds[0].Version, Resource: resource})
	ctx = request.WithNamespace(ctx, metadata.GetNamespace())
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup}})
	if _, err := storage.Get(ctx, metadata.GetName(), &metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return err
	}
	if _, err := storage.Create(ctx, internal, rest.ValidateAllObjectFunc, &metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create %s %s: %w", resource, metadata.GetName(), err)
	}
	return nil
}

// withManagedFields returns an object whose fields kube-apiserver manages.
func withManagedFields(object runtime.Object, kind schema.GroupVersionKind, storage rest.Storage) (runtime.Object, error) {
	var reset map[fieldpath.APIVersion]fieldpath.Filter
	if strategy, ok := storage.(rest.ResetFieldsStrategy); ok {
		reset = fieldpath.NewExcludeFilterSetMap(strategy.GetResetFields())
	}
	// The schemas of the kinds would take long to build. Without them, the fields only differ in lists.
	manager, err := managedfields.NewDefaultFieldManager(managedfields.NewDeducedTypeConverter(),
		legacyscheme.Scheme, legacyscheme.Scheme, legacyscheme.Scheme, kind, kind.GroupVersion(), "", reset)
	if err != nil {
		return nil, err
	}
	empty, err := legacyscheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	return manager.UpdateNoErrors(empty, object, "kube-apiserver"), nil
}

// kubernetesService returns the Service by which the pods of a cluster reach its API server.
func kubernetesService(port int) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "kubernetes", Namespace: metav1.NamespaceDefault, Labels: map[string]string{"provider": "kubernetes", "component": "apiserver"}},
		Spec: corev1.ServiceSpec{
			ClusterIP: "10.0.0.1",
			Ports:     []corev1.ServicePort{{Name: "https", Port: 443, TargetPort: intstr.FromInt(port)}},
		},
	}
}
