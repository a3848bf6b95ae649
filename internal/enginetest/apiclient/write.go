package apiclient

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	w := &write{objects: o, document: document, version: version, operation: o.operation(), name: lookup(document, "metadata", "name")}
	if o.namespaced() {
		w.namespace = cmp.Or(lookup(document, "metadata", "namespace"), metav1.NamespaceDefault)
	}
	return w
}

func (w *write) send() (kubeapi.Response, error) {
	if err := w.checkPath(); err != nil {
		return kubeapi.Response{}, err
	}
	request, err := w.request()
	if err != nil {
		return kubeapi.Response{}, err
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
		return resource.Apply(w.namespace, w.name, document, cmp.Or(w.scenario.FieldManager, "kubectl"), w.scenario.Force), nil
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
	case playground.OperationApply:
		return lookup(w.document, "metadata", "resourceVersion") != ""
	}
	return false
}

// checkPath rejects path segments that clients do not put into a URL.
func (w *write) checkPath() error {
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

func checkSegment(what, name string) error {
	if name == "" || len(content.IsPathSegmentName(name)) > 0 {
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
// has none.
func (w *write) oldDocument() *source.Document {
	for _, document := range documents(w.scenario.OldObject) {
		if lookup(document, "metadata", "name") == w.name {
			return document
		}
	}
	return nil
}
