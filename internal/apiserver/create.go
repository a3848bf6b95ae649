package apiserver

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"
)

// A Creator creates objects on a server, as kubectl create does, or applies them as
// kubectl apply --server-side --force-conflicts does.
type Creator struct {
	client  dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
	options CreatorOptions
	// served lists the groups of the CRDs that were created.
	served []string
}

// CreatorOptions chooses the requests of a [Creator].
type CreatorOptions struct {
	// Applies sends requests to apply, because objects may exist.
	Applies bool
	// FieldValidation is the parameter of the requests; if it is empty, Strict as in kubectl.
	FieldValidation string
}

// fieldManager is the field manager of the requests of a [Creator].
const fieldManager = "crdlab"

// serveTimeout is the longest time until a new CRD is served.
const serveTimeout = 10 * time.Second

// NewCreator returns a creator for a server that is ready.
func NewCreator(config *restclient.Config, o CreatorOptions) (*Creator, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	resources, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	o.FieldValidation = cmp.Or(o.FieldValidation, metav1.FieldValidationStrict)
	return &Creator{client: client, options: o, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(resources))}, nil
}

// Create creates the object of a YAML document. The error is the answer of the server, or says
// why it cannot be asked. An object of a kind whose CRD was created before waits until it is served.
func (c *Creator) Create(ctx context.Context, document string) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
		return err
	}
	kind := object.GroupVersionKind()
	ctx, cancel := context.WithTimeout(ctx, serveTimeout)
	defer cancel()
	for {
		err := c.create(ctx, kind, object)
		isLate := meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && hasNoName(err)
		if !isLate || !slices.Contains(c.served, kind.Group) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (c *Creator) create(ctx context.Context, kind schema.GroupVersionKind, object *unstructured.Unstructured) error {
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		c.mapper.Reset()
		return err
	}
	resource := dynamic.ResourceInterface(c.client.Resource(mapping.Resource))
	if mapping.Scope.Name() != meta.RESTScopeNameRoot {
		resource = c.client.Resource(mapping.Resource).Namespace(cmp.Or(object.GetNamespace(), metav1.NamespaceDefault))
	}
	if c.options.Applies && object.GetName() != "" {
		err = c.apply(ctx, resource, object)
	} else {
		_, err = resource.Create(ctx, object, metav1.CreateOptions{FieldManager: fieldManager, FieldValidation: c.options.FieldValidation})
	}
	if err == nil && kind.Kind == "CustomResourceDefinition" {
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		c.served = append(c.served, group)
	}
	return err
}

// apply sends an apply request with field validation, which dynamic's Apply lacks.
func (c *Creator) apply(ctx context.Context, resource dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	body, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	force := true
	_, err = resource.Patch(ctx, object.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: fieldManager, Force: &force, FieldValidation: c.options.FieldValidation})
	return err
}

// hasNoName reports whether an answer means that a resource is not served: the answer about an
// object that does not exist, such as a namespace, has its name.
func hasNoName(err error) bool {
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == ""
}
