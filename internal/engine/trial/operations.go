package trial

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// write is a request that sends a document to the endpoint of a version.
type write struct {
	*objects
	document           *source.Document
	version, operation string
	// name is that of the URL.
	name string
}

// operations make the request of each operation from one that has the body
// and the parameters that all have. Each may also correct the answer.
var operations = map[string]func(*write, *Request) (func(Answer) Answer, error){
	playground.OperationCreate:       create,
	playground.OperationUpdate:       update,
	playground.OperationUpdateStatus: updateStatus,
	playground.OperationApply:        apply,
	playground.OperationDelete:       remove,
	playground.OperationScale:        scale,
}

func create(w *write, r *Request) (func(Answer) Answer, error) {
	r.Method, r.Path = http.MethodPost, w.collection(w.version, w.namespace())
	return nil, nil
}

func update(w *write, r *Request) (func(Answer) Answer, error) {
	r.Method, r.Path = http.MethodPut, w.item(w.version, w.namespace(), w.name)
	return w.baseOnStored(r)
}

func updateStatus(w *write, r *Request) (func(Answer) Answer, error) {
	correct, err := update(w, r)
	r.Path += "/status"
	return correct, err
}

// apply is server-side apply in the name of kubectl, unless the scenario says
// otherwise.
func apply(w *write, r *Request) (func(Answer) Answer, error) {
	r.Method, r.Path = http.MethodPatch, w.item(w.version, w.namespace(), w.name)
	r.ContentType = "application/apply-patch+yaml"
	r.Query.Set("fieldManager", cmp.Or(w.scenario.FieldManager, "kubectl"))
	r.Query.Set("force", strconv.FormatBool(w.scenario.Force))
	if lookup(w.document, "metadata", "resourceVersion") == "" {
		return nil, nil // based on no state in particular
	}
	return w.baseOnStored(r)
}

// remove is what `kubectl delete` sends.
func remove(w *write, r *Request) (func(Answer) Answer, error) {
	r.Method, r.Path, r.Query = http.MethodDelete, w.item(w.version, w.namespace(), w.name), nil
	r.ContentType, r.Body = "application/json", []byte(`{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"}`)
	return nil, nil
}

// scale is what `kubectl scale` sends.
func scale(w *write, r *Request) (func(Answer) Answer, error) {
	r.Method, r.Path, r.Query = http.MethodPatch, w.item(w.version, w.namespace(), w.name)+"/scale", nil
	r.ContentType, r.Body = "application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, w.scenario.Replicas)
	return nil, nil
}

func (w *write) send() (Answer, error) {
	request := Request{
		Query:       url.Values{"fieldValidation": {w.scenario.FieldValidation}},
		ContentType: contentType(w.document),
		Body:        []byte(w.document.Text),
	}
	w.name = w.objectName()
	if err := w.checkPath(); err != nil {
		return Answer{}, err
	}
	operation, ok := operations[w.operation]
	if !ok {
		return Answer{}, fmt.Errorf("no request is known for the operation %q", w.operation)
	}
	correct, err := operation(w, &request)
	if err != nil {
		return Answer{}, err
	}
	answer, err := w.cluster.Do(request)
	if err == nil && correct != nil {
		answer = correct(answer)
	}
	return answer, err
}

// checkPath refuses what clients refuse to put into a URL.
func (w *write) checkPath() error {
	if w.operation != playground.OperationCreate {
		if err := checkSegment("name", w.name); err != nil {
			return err
		}
	}
	if !w.namespaced() {
		return nil
	}
	return checkSegment("namespace", w.namespace())
}

func checkSegment(what, name string) error {
	if name == "" || len(content.IsPathSegmentName(name)) > 0 {
		return &UnaskedError{fmt.Sprintf("no client sends a request to %s %q", what, name)}
	}
	return nil
}

func (w *write) objectName() string { return lookup(w.document, "metadata", "name") }

// namespace is that of the URL.
func (w *write) namespace() string {
	if !w.namespaced() {
		return metav1.NamespaceNone
	}
	return cmp.Or(lookup(w.document, "metadata", "namespace"), metav1.NamespaceDefault)
}

// baseOnStored bases an update on the object that is stored now, like
// `kubectl replace`.
func (w *write) baseOnStored(r *Request) (func(Answer) Answer, error) {
	answer, err := w.cluster.Do(Request{Method: http.MethodGet, Path: w.item(w.version, w.namespace(), w.name)})
	if err != nil || answer.Object == nil || lookup(w.document, "kind") == "" {
		return nil, err // without a kind the server refuses it, and quotes it
	}
	var correct func(Answer) Answer
	r.Body, correct = basedOn(w.document, answer.Object.GetResourceVersion(), w.oldDocument())
	return correct, nil
}

// oldDocument is the document of the object that is replaced.
func (w *write) oldDocument() *source.Document {
	for _, document := range documents(w.scenario.OldObject) {
		if lookup(document, "metadata", "name") == w.name {
			return document
		}
	}
	return nil
}
