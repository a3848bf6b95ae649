// Package cluster reads CRDs and objects of a Kubernetes cluster. It only sends requests that
// read.
package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// pageSize is the number of objects in a response.
const pageSize = 500

// A Cluster is a client of a cluster.
type Cluster struct{ client dynamic.Interface }

// Open returns the client of a context in kubeconfig files. As for kubectl, empty values mean
// the files in KUBECONFIG or in the home directory, and their current context.
func Open(kubeconfig, contextName string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: contextName}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, err
	}
	config.UserAgent = "crdlab"
	config.QPS = -1 // A command sends few requests, one after the other.
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Cluster{client}, nil
}

// Path is the path of an object of a cluster in messages.
func Path(resource, name string) string { return fmt.Sprintf("cluster:%s/%s", resource, name) }

// HasKind reports whether every API server has a kind without a CRD.
func HasKind(apiVersion, kind string) bool {
	return scheme.Scheme.Recognizes(schema.FromAPIVersionAndKind(apiVersion, kind))
}

// A CRD is a CustomResourceDefinition of a cluster.
type CRD struct {
	Name, Group, Kind, Plural string
	// StorageVersion is the version of stored objects, and ServedVersion the version at
	// which they can be read: the storage version, if it is served.
	StorageVersion, ServedVersion string
	// YAML is the CRD without most of the fields that the API server sets.
	YAML string
}

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// CRDs returns all CRDs of the cluster.
func (c *Cluster) CRDs(ctx context.Context) ([]CRD, error) {
	var all []CRD
	err := c.list(ctx, crdResource, func(object *unstructured.Unstructured) error {
		crd, err := newCRD(object)
		if err == nil {
			all = append(all, crd)
		}
		return err
	})
	return all, err
}

// newCRD reads the fields of a CRD that the cluster accepted.
func newCRD(object *unstructured.Unstructured) (CRD, error) {
	var spec struct {
		Group string
		Names struct{ Kind, Plural string }
		// Versions is never empty.
		Versions []struct {
			Name            string
			Served, Storage bool
		}
	}
	encoded, err := json.Marshal(object.Object["spec"])
	if err != nil {
		return CRD{}, err
	}
	if err := json.Unmarshal(encoded, &spec); err != nil {
		return CRD{}, err
	}
	crd := CRD{Name: object.GetName(), Group: spec.Group, Kind: spec.Names.Kind, Plural: spec.Names.Plural}
	for _, version := range spec.Versions {
		if version.Storage {
			crd.StorageVersion = version.Name
		}
		if version.Served && (version.Storage || crd.ServedVersion == "") {
			crd.ServedVersion = version.Name
		}
	}
	crd.YAML, err = manifestOf(object)
	return crd, err
}

// manifestOf returns the YAML of a CRD without its conditions and without the metadata that
// the API server sets. The owners of fields remain for apply. So do the stored versions and the
// accepted names, because an update depends on them.
func manifestOf(object *unstructured.Unstructured) (string, error) {
	metadata := map[string]any{"name": object.GetName()}
	for _, field := range []string{"labels", "annotations", "managedFields"} {
		if value, found, _ := unstructured.NestedFieldNoCopy(object.Object, "metadata", field); found {
			metadata[field] = value
		}
	}
	kept := maps.Clone(object.Object)
	status := map[string]any{}
	for _, field := range []string{"storedVersions", "acceptedNames"} {
		if value, found, _ := unstructured.NestedFieldNoCopy(object.Object, "status", field); found {
			status[field] = value
		}
	}
	delete(kept, "status")
	if len(status) > 0 {
		kept["status"] = status
	}
	kept["metadata"] = metadata
	text, err := yaml.Marshal(kept)
	return string(text), err
}

// Objects calls use with the YAML of each stored object of a CRD, as the cluster returns it,
// and with its name, which has the form NAMESPACE/NAME for namespaced objects.
func (c *Cluster) Objects(ctx context.Context, crd CRD, use func(name, text string) error) error {
	resource := schema.GroupVersionResource{Group: crd.Group, Version: crd.ServedVersion, Resource: crd.Plural}
	return c.list(ctx, resource, func(object *unstructured.Unstructured) error {
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			return err
		}
		name := object.GetName()
		if namespace := object.GetNamespace(); namespace != "" {
			name = namespace + "/" + name
		}
		return use(name, string(text))
	})
}

// list calls use with each object of a resource.
func (c *Cluster) list(ctx context.Context, resource schema.GroupVersionResource, use func(*unstructured.Unstructured) error) error {
	next := ""
	for {
		page, err := c.client.Resource(resource).List(ctx, metav1.ListOptions{Limit: pageSize, Continue: next})
		if err != nil {
			return fmt.Errorf("list %s: %w", resource.GroupResource(), err)
		}
		for i := range page.Items {
			if err := use(&page.Items[i]); err != nil {
				return err
			}
		}
		if next = page.GetContinue(); next == "" {
			return nil
		}
	}
}
