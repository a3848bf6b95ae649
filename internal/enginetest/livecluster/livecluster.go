// Package livecluster connects the client of package apiclient with an API server that listens, and with its etcd.
package livecluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/net/http2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// crdKeys precedes the names of CustomResourceDefinitions in etcd keys.
const crdKeys = "/apiextensions.k8s.io/customresourcedefinitions/"

// settleTime limits the time that the server's controllers may need.
const settleTime = 10 * time.Second

const pollInterval = time.Millisecond

// A Cluster is the part of an apiclient.Cluster that is the same for all servers.
type Cluster struct {
	// HTTP sends requests with all rights to the server at URL.
	HTTP *http.Client
	URL  string
	// CRD returns a CRD as the handlers of the server know it.
	CRD func(name string) (*apiextensionsv1.CustomResourceDefinition, error)
	// Etcd has the objects of the server, with keys that begin with Prefix.
	Etcd   clientv3.KV
	Prefix string

	crd *apiextensionsv1.CustomResourceDefinition // as stored or returned last
}

// HasControllers returns true.
func (*Cluster) HasControllers() bool { return true }

// Reset implements apiclient.Cluster. It deletes the CRD and the objects in etcd,
// since deletions by the API are slow, and fail for finalizers or broken webhooks.
func (c *Cluster) Reset() error {
	if c.crd == nil {
		return nil
	}
	if err := c.ClearObjects(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	if _, err := c.Etcd.Delete(ctx, c.Prefix+crdKeys+c.crd.Name); err != nil {
		return err
	}
	name := c.crd.Name
	c.crd = nil
	return await(func() bool {
		_, err := c.CRD(name)
		return apierrors.IsNotFound(err)
	})
}

// StoreCRD implements apiclient.Cluster.
func (c *Cluster) StoreCRD(crd *apiextensionsv1.CustomResourceDefinition) (string, error) {
	crd = crd.DeepCopy()
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	setSystemMetadata(crd)
	if err := c.put(crdKeys+crd.Name, crd); err != nil {
		return "", err
	}
	c.crd = crd
	err := await(func() bool {
		known, err := c.CRD(crd.Name)
		return err == nil && known.UID == crd.UID
	})
	if err != nil {
		return "", err
	}
	known, err := c.settled(crd.UID, "")
	if err != nil {
		return "", err
	}
	return known.ResourceVersion, nil
}

// setSystemMetadata sets the metadata that an API server sets on each object that
// it creates and stores in etcd. The resourceVersion is the revision of etcd.
func setSystemMetadata(object metav1.Object) {
	if object.GetUID() == "" {
		object.SetUID(uuid.NewUUID())
	}
	if created := object.GetCreationTimestamp(); created.IsZero() {
		object.SetCreationTimestamp(metav1.Now())
	}
	object.SetResourceVersion("")
}

func (c *Cluster) put(key string, object any) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	_, err = c.Etcd.Put(ctx, c.Prefix+key, string(data))
	return err
}

// objectKeys returns the prefix of the etcd keys of the CRD's objects.
func (c *Cluster) objectKeys() string {
	return "/" + c.crd.Spec.Group + "/" + c.crd.Spec.Names.Plural + "/"
}

func (c *Cluster) objectKey(namespace, name string) string {
	if c.crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		name = namespace + "/" + name
	}
	return c.objectKeys() + name
}

// ClearObjects implements apiclient.Cluster.
func (c *Cluster) ClearObjects() error {
	if c.crd == nil || c.crd.Spec.Names.Plural == "" || c.crd.Spec.Group == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	found, err := c.Etcd.Get(ctx, c.Prefix+c.objectKeys(), clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return err
	}
	for _, object := range found.Kvs {
		if _, err := c.Etcd.Delete(ctx, string(object.Key)); err != nil {
			return err
		}
	}
	return nil
}

// StoreObject implements apiclient.Cluster.
func (c *Cluster) StoreObject(object *unstructured.Unstructured) error {
	object = object.DeepCopy()
	setSystemMetadata(object)
	return c.put(c.objectKey(object.GetNamespace(), object.GetName()), object.Object)
}

// StoredObject implements apiclient.Cluster.
func (c *Cluster) StoredObject(namespace, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	found, err := c.Etcd.Get(ctx, c.Prefix+c.objectKey(namespace, name))
	if err != nil || len(found.Kvs) == 0 {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	return object, object.UnmarshalJSON(found.Kvs[0].Value)
}

// Do implements apiclient.Cluster.
func (c *Cluster) Do(r kubeapi.Request) (kubeapi.Response, error) {
	address := c.URL + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	request, err := http.NewRequest(r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return kubeapi.Response{}, err
	}
	request.Header.Set("Accept", "application/json")
	if r.Accept != "" {
		request.Header.Set("Accept", r.Accept)
	}
	if r.Body != nil {
		request.Header.Set("Content-Type", r.ContentType)
	}
	response, err := c.HTTP.Do(request)
	if isPanic(err) {
		return kubeapi.Response{Code: http.StatusInternalServerError, Body: "This request caused apiserver to panic. Look in the logs for details."}, nil
	}
	if err != nil {
		return kubeapi.Response{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return kubeapi.Response{}, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
	}
	return kubeapi.Decode(response.StatusCode, response.Header, body)
}

// isPanic reports whether a request has no response because its handler panicked.
// The server then resets the stream and writes the stack to standard error.
func isPanic(err error) bool {
	var ended http2.StreamError
	return errors.As(err, &ended) && ended.Code == http2.ErrCodeInternal
}

// await waits until the condition is true.
func await(condition func() bool) error {
	for deadline := time.Now().Add(settleTime); time.Now().Before(deadline); time.Sleep(pollInterval) {
		if condition() {
			return nil
		}
	}
	return fmt.Errorf("condition not reached in %v", settleTime)
}

func revision(resourceVersion string) uint64 {
	n, _ := strconv.ParseUint(resourceVersion, 10, 64)
	return n
}
