// Package kubeapi builds requests to the Kubernetes API for
// CustomResourceDefinitions and custom resources, and decodes the responses.
// The same requests go to a real API server and to its handlers in memory.
package kubeapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

// CRDPath is the path of the CustomResourceDefinition collection.
const CRDPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// Media types of request bodies.
const (
	TypeJSON           = "application/json"
	TypeYAML           = "application/yaml"
	TypeApplyPatch     = "application/apply-patch+yaml"
	TypeMergePatch     = "application/merge-patch+json"
	TypeJSONPatch      = "application/json-patch+json"
	TypeStrategicPatch = "application/strategic-merge-patch+json"
)

// tableType is the media type by which kubectl requests a printed table.
const tableType = "application/json;as=Table;v=v1;g=meta.k8s.io"

// A Request is an HTTP request to the Kubernetes API.
type Request struct {
	Method, Path string
	Query        url.Values
	// ContentType is the media type of Body; empty means JSON.
	ContentType string
	// Accept is the media type of the response; empty means JSON.
	Accept string
	Body   []byte
}

// A Document is the body of a write request.
type Document struct {
	Data        []byte
	ContentType string
	// FieldValidation is the query parameter fieldValidation; empty means the
	// server's default.
	FieldValidation string
}

// CreateCRD returns the request that creates a CustomResourceDefinition.
func CreateCRD(d Document) Request { return d.request(http.MethodPost, CRDPath) }

// UpdateCRD returns the request that replaces the CustomResourceDefinition of
// that name.
func UpdateCRD(name string, d Document) Request {
	return d.request(http.MethodPut, CRDPath+"/"+url.PathEscape(name))
}

// ApplyCRD returns the request of server-side apply for the CustomResourceDefinition of that
// name.
func ApplyCRD(name string, d Document, fieldManager string, force bool) Request {
	return d.apply(CRDPath+"/"+url.PathEscape(name), fieldManager, force)
}

// PatchCRD returns the request that merges a strategic merge patch into the
// CustomResourceDefinition of that name.
func PatchCRD(name string, d Document) Request {
	d.ContentType = TypeStrategicPatch
	return d.request(http.MethodPatch, CRDPath+"/"+url.PathEscape(name))
}

// JSONPatchCRD returns the request that applies a JSON Patch to the CustomResourceDefinition of that name.
func JSONPatchCRD(name string, patch []byte) Request {
	d := Document{Data: patch, ContentType: TypeJSONPatch}
	return d.request(http.MethodPatch, CRDPath+"/"+url.PathEscape(name))
}

// GetCRD returns the request that reads the CustomResourceDefinition of that name.
func GetCRD(name string) Request {
	return Request{Method: http.MethodGet, Path: CRDPath + "/" + url.PathEscape(name)}
}

// apply returns the request of server-side apply at a path.
func (d Document) apply(path, fieldManager string, force bool) Request {
	d.ContentType = TypeApplyPatch
	request := d.request(http.MethodPatch, path)
	request.Query.Set("fieldManager", fieldManager)
	request.Query.Set("force", strconv.FormatBool(force))
	return request
}

func (d Document) request(method, path string) Request {
	query := url.Values{}
	if d.FieldValidation != "" {
		query.Set("fieldValidation", d.FieldValidation)
	}
	return Request{Method: method, Path: path, Query: query, ContentType: d.ContentType, Body: d.Data}
}

// A Resource is a collection of custom resources, at one served version.
type Resource struct {
	Group, Version, Plural string
	Namespaced             bool
}

// Collection returns the path of the objects in a namespace, or in all
// namespaces if namespace is empty. Cluster-scoped resources ignore namespace.
func (r Resource) Collection(namespace string) string {
	path := "/apis/" + r.Group + "/" + url.PathEscape(r.Version)
	if r.Namespaced && namespace != "" {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return path + "/" + r.Plural
}

// Item returns the path of one object.
func (r Resource) Item(namespace, name string) string {
	return r.Collection(namespace) + "/" + url.PathEscape(name)
}

// Create returns the request that creates an object.
func (r Resource) Create(namespace string, d Document) Request {
	return d.request(http.MethodPost, r.Collection(namespace))
}

// Update returns the request that replaces an object.
func (r Resource) Update(namespace, name string, d Document) Request {
	return d.request(http.MethodPut, r.Item(namespace, name))
}

// UpdateStatus returns the request that replaces the status of an object.
func (r Resource) UpdateStatus(namespace, name string, d Document) Request {
	return d.request(http.MethodPut, r.Item(namespace, name)+"/status")
}

// Apply returns the request of server-side apply. The document is an apply
// configuration in YAML or JSON.
func (r Resource) Apply(namespace, name string, d Document, fieldManager string, force bool) Request {
	return d.apply(r.Item(namespace, name), fieldManager, force)
}

// ApplyStatus returns the request of server-side apply to /status.
func (r Resource) ApplyStatus(namespace, name string, d Document, fieldManager string, force bool) Request {
	return d.apply(r.Item(namespace, name)+"/status", fieldManager, force)
}

// By returns the request of a field manager.
func (r Request) By(manager string) Request {
	query := url.Values{}
	maps.Copy(query, r.Query)
	query.Set("fieldManager", manager)
	r.Query = query
	return r
}

// Delete returns the request that `kubectl delete` sends.
func (r Resource) Delete(namespace, name string) Request {
	return Request{
		Method: http.MethodDelete, Path: r.Item(namespace, name), ContentType: TypeJSON,
		Body: []byte(`{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"}`),
	}
}

// Scale returns the request that `kubectl scale` sends.
func (r Resource) Scale(namespace, name string, replicas int32) Request {
	return Request{
		Method: http.MethodPatch, Path: r.Item(namespace, name) + "/scale", ContentType: TypeMergePatch,
		Body: fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas),
	}
}

// Get returns the request that reads an object.
func (r Resource) Get(namespace, name string) Request {
	return Request{Method: http.MethodGet, Path: r.Item(namespace, name)}
}

// GetScale returns the request that reads the scale subresource of an object.
func (r Resource) GetScale(namespace, name string) Request {
	return Request{Method: http.MethodGet, Path: r.Item(namespace, name) + "/scale"}
}

// GetTable returns the request for the printed row of an object.
func (r Resource) GetTable(namespace, name string) Request {
	return Request{Method: http.MethodGet, Path: r.Item(namespace, name), Accept: tableType}
}

// ListTable returns the request for the printed rows of all objects.
func (r Resource) ListTable() Request {
	return Request{Method: http.MethodGet, Path: r.Collection(""), Accept: tableType}
}
