package apiserver

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"
)

// A Creator creates objects on a server, as kubectl create does.
type Creator struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
	// served lists the groups of the CRDs that were created.
	served []string
}

// serveTimeout is the longest time until a new CRD is served.
const serveTimeout = 10 * time.Second

// NewCreator returns a creator for a server that is ready.
func (s *Server) NewCreator() (*Creator, error) {
	client, err := dynamic.NewForConfig(s.Config)
	if err != nil {
		return nil, err
	}
	resources, err := discovery.NewDiscoveryClientForConfig(s.Config)
	if err != nil {
		return nil, err
	}
	return &Creator{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(resources))}, nil
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
	resource := c.client.Resource(mapping.Resource)
	options := metav1.CreateOptions{FieldManager: "crdlab", FieldValidation: metav1.FieldValidationStrict}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		_, err = resource.Create(ctx, object, options)
	} else {
		namespace := object.GetNamespace()
		if namespace == "" {
			namespace = metav1.NamespaceDefault
		}
		_, err = resource.Namespace(namespace).Create(ctx, object, options)
	}
	if err == nil && kind.Kind == "CustomResourceDefinition" {
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		c.served = append(c.served, group)
	}
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
