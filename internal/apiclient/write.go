package apiclient

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
	"github.com/crdlab/crdlab/internal/source"
)

// A write is a request that sends a document to the endpoint of a version.
type write struct {
	*objects
	document           *source.Document
	version, operation string
	namespace, name    string // in the URL
}

// A correction reverts the traces that a changed request body leaves in its
// response, such as line numbers.
type correction func(kubeapi.Response) kubeapi.Response

func unchanged(r kubeapi.Response) kubeapi.Response { return r }

// newWrite returns the write of a document at a version.
func (o *objects) newWrite(document *source.Document, version string) *write {
	namespace, name := o.target(document)
	return &write{objects: o, document: document, version: version, operation: o.operation(), namespace: namespace, name: name}
}

// target returns the namespace and the name to which the request with a document is sent.
func (o *objects) target(document *source.Document) (namespace, name string) {
	namespace, name = lookup(document, "metadata", "namespace"), lookup(document, "metadata", "name")
	if hasNoBody(o.operation()) {
		object := decode(document)
		namespace, name = object.GetNamespace(), object.GetName()
	}
	if !o.namespaced() {
		return metav1.NamespaceNone, name
	}
	return cmp.Or(namespace, metav1.NamespaceDefault), name
}

// decode returns a document as clients read it: fields of another type are missing. The
// object is empty if the document cannot be decoded.
func decode(document *source.Document) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if document.JSON() && utiljson.Unmarshal([]byte(document.Text), &object.Object) == nil {
		return object
	}
	if err := utilyaml.Unmarshal([]byte(document.Text), &object.Object); err != nil {
		return &unstructured.Unstructured{}
	}
	return object
}

func (w *write) send() (kubeapi.Response, error) {
	if err := w.checkPath(); err != nil {
		return kubeapi.Response{}, err
	}
	request, err := w.request()
	if err != nil {
		return kubeapi.Response{}, err
	}
	if manager := w.fieldManager(); manager != "" {
		request = request.By(manager)
	}
	correct := unchanged
	if w.isBasedOnStored() {
		if correct, err = w.baseOnStored(&request); err != nil {
			return kubeapi.Response{}, err
		}
	}
	response, err := w.cluster.Do(request)
	return correct(response), err
}

// fieldManager returns the field manager of the request; empty for a deletion.
func (w *write) fieldManager() string {
	return cmp.Or(w.scenario.FieldManager, playground.FieldManagers[w.operation])
}

// request returns the request of the operation, with the document as it is
// typed.
func (w *write) request() (kubeapi.Request, error) {
	resource, document := w.resource(w.version), requestDocument(w.document, w.scenario)
	switch w.operation {
	case playground.OperationCreate:
		return resource.Create(w.namespace, document), nil
	case playground.OperationUpdate:
		return resource.Update(w.namespace, w.name, document), nil
	case playground.OperationUpdateStatus:
		return resource.UpdateStatus(w.namespace, w.name, document), nil
	case playground.OperationApply:
		return resource.Apply(w.namespace, w.name, document, w.fieldManager(), w.scenario.Force), nil
	case playground.OperationApplyStatus:
		return resource.ApplyStatus(w.namespace, w.name, document, w.fieldManager(), w.scenario.Force), nil
	case playground.OperationDelete:
		return resource.Delete(w.namespace, w.name), nil
	case playground.OperationScale:
		return resource.Scale(w.namespace, w.name, w.scenario.Replicas), nil
	}
	return kubeapi.Request{}, fmt.Errorf("no request is known for the operation %q", w.operation)
}

// isBasedOnStored reports whether the request carries the resourceVersion of
// the stored object. For apply, the document decides.
func (w *write) isBasedOnStored() bool {
	switch w.operation {
	case playground.OperationUpdate, playground.OperationUpdateStatus:
		return true
	case playground.OperationApply, playground.OperationApplyStatus:
		return lookup(w.document, "metadata", "resourceVersion") != ""
	}
	return false
}

// checkPath rejects requests that no client sends: those with certain path segments, and
// those without a body if the document does not name the resource. The server could not
// see the difference.
func (w *write) checkPath() error {
	if hasNoBody(w.operation) {
		if object, err := decodeObject(w.document); err != nil || object.GetAPIVersion() == "" {
			return &UnsupportedError{"no client finds the resource of a document that it cannot read, or without apiVersion"}
		}
	}
	if w.operation != playground.OperationCreate {
		if err := checkSegment("name", w.name); err != nil {
			return err
		}
	}
	if !w.namespaced() {
		return nil
	}
	return checkSegment("namespace", w.namespace)
}

// hasNoBody reports whether the requests of an operation contain only the identity of the
// document.
func hasNoBody(operation string) bool {
	return operation == playground.OperationDelete || operation == playground.OperationScale
}

func checkSegment(what, name string) error {
	//nolint:staticcheck // The successor is missing in the libraries of older releases.
	if name == "" || len(path.IsValidPathSegmentName(name)) > 0 {
		return &UnsupportedError{fmt.Sprintf("no client sends a request to %s %q", what, name)}
	}
	return nil
}

// baseOnStored sets the resourceVersion of the stored object in the request
// body, like `kubectl replace`. A document without a kind stays as it is: the
// server rejects it and quotes the body.
func (w *write) baseOnStored(r *kubeapi.Request) (correction, error) {
	response, err := w.cluster.Do(w.resource(w.version).Get(w.namespace, w.name))
	if err != nil || response.Object == nil || lookup(w.document, "kind") == "" {
		return unchanged, err
	}
	var correct correction
	r.Body, correct = setResourceVersion(w.document, response.Object.GetResourceVersion(), w.oldDocument())
	return correct, nil
}

// oldDocument returns the old document with the same name; nil if the scenario
// lacks it.
func (w *write) oldDocument() *source.Document {
	for _, document := range documents(w.scenario.OldObject) {
		if lookup(document, "metadata", "name") == w.name {
			return document
		}
	}
	return nil
}
