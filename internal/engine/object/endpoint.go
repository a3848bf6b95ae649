package object

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/playground"
)

// defaultNamespace is the namespace in which kubectl creates an object without a
// namespace.
const defaultNamespace = "default"

// etcdPrefix is the default prefix of all keys of an API server in etcd.
const etcdPrefix = "/registry"

// An endpoint is the API endpoint to which a client sends a request.
type endpoint struct {
	Target
	// version is nil until the request is routed.
	version *crd.Version
	// namespace and name are part of the URL. Admission plugins see them even if
	// they change the object.
	namespace, name string
}

// address sets the namespace and name of the URL for an object.
func (e *endpoint) address(object *unstructured.Unstructured) {
	e.namespace, e.name = e.namespaceOf(object), object.GetName()
}

func (e *endpoint) resource() schema.GroupResource {
	return schema.GroupResource{Group: e.version.Kind.Group, Resource: e.CRD.V1.Spec.Names.Plural}
}

// isOfCRD reports whether an object has the group and kind of the CRD. The API server
// leaves the fields of other objects unchanged until validation rejects them.
func (e *endpoint) isOfCRD(object *unstructured.Unstructured) bool {
	return object.GroupVersionKind().GroupKind() == e.version.Kind.GroupKind()
}

// namespaceOf returns the namespace in the URL to which a client sends an object.
func (e *endpoint) namespaceOf(object *unstructured.Unstructured) string {
	switch {
	case !e.version.Namespaced:
		return metav1.NamespaceNone
	case object.GetNamespace() == "":
		return defaultNamespace
	}
	return object.GetNamespace()
}

// keyOf returns the key of an object in etcd.
func (e *endpoint) keyOf(object *unstructured.Unstructured) string {
	return path.Join(etcdPrefix, e.version.Kind.Group, e.CRD.V1.Spec.Names.Plural, e.namespaceOf(object), object.GetName())
}

// uidOf derives a UID from the identity of an object, so that reports are
// reproducible.
func (e *endpoint) uidOf(object *unstructured.Unstructured) types.UID {
	id := strings.Join([]string{e.version.Kind.Group, e.version.Kind.Kind, object.GetNamespace(), object.GetName()}, "/")
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(id)).String())
}

// servedVersion returns the served version with an apiVersion and kind, or nil. kubectl
// maps them to a resource before it sends a request. If one of them is empty,
// servedVersion returns the preferred version.
func servedVersion(c *crd.CRD, apiVersion, kind string) *crd.Version {
	served := c.ServedByPriority()
	for _, name := range served {
		v := c.Versions[name]
		if apiVersion == v.Kind.GroupVersion().String() && kind == v.Kind.Kind {
			return v
		}
	}
	if len(served) > 0 && (apiVersion == "" || kind == "") {
		return c.Versions[served[0]] // the decoder reports the missing field
	}
	return nil
}

// route finds the endpoint for the document. If the API server has no such endpoint,
// route adds a finding and returns false.
func (r *Request) route() bool {
	r.endpoint.version = servedVersion(r.endpoint.CRD, r.rec.report.APIVersion, r.rec.report.Kind)
	if r.endpoint.version == nil {
		r.refuseUnmapped()
		return false
	}
	if deprecated := r.endpoint.version.DeprecationWarning; deprecated != "" {
		r.rec.warnAt("apiVersion", deprecated)
	}
	if !r.endpoint.isReached(r.options.operation != playground.OperationCreate) {
		r.refuse(playground.StageDecode, errUnreached)
		r.rec.report.Output = kubectl.FormatError(errUnserved, r.options.operation, r.options.file, r.rec.report.Warnings)
		r.rec.skipAll(r.stages, "the path of the request leads to another resource")
		return false
	}
	why := missingSubresource(r.endpoint.version, r.options.operation)
	if why == "" {
		return true
	}
	r.refuse(playground.StageDecode, apierrors.NewNotFound(r.endpoint.resource(), r.rec.report.Name))
	r.rec.skipAll(r.stages, why)
	return false
}

// resolver parses the paths of requests.
var resolver = &request.RequestInfoFactory{APIPrefixes: sets.NewString("apis"), GrouplessAPIPrefixes: sets.NewString()}

// errUnreached is the response to a request whose path leads to another resource, without a Status.
// errUnserved is the error that clients such as kubectl make of it.
var (
	errUnreached = &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Message: "404 page not found"}}
	errUnserved  = apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
)

// isReached reports whether the API server takes the path of a request, for all objects or for one of
// them, for the resource of the CRD. It takes .../namespaces/<name> for a namespace, and
// .../namespaces/<namespace>/status for a subresource of it.
func (e *endpoint) isReached(ofOne bool) bool {
	namespace, plural := "", e.resource().Resource
	steps := []string{"/apis", e.version.Kind.Group, e.version.Kind.Version}
	if e.version.Namespaced {
		namespace = defaultNamespace
		steps = append(steps, "namespaces", namespace)
	}
	if steps = append(steps, plural); ofOne {
		steps = append(steps, "name")
	}
	info, err := resolver.NewRequestInfo(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path.Join(steps...)}})
	return err == nil && info.Resource == plural && info.Namespace == namespace
}

// missingSubresource returns a message if the version lacks the subresource of an
// operation, otherwise an empty string.
func missingSubresource(v *crd.Version, operation playground.Operation) string {
	switch {
	case playground.IsOfStatus(operation) && !v.HasStatus:
		return "the version has no status subresource"
	case operation == playground.OperationScale && v.Scale == nil:
		return "the version has no scale subresource"
	}
	return ""
}

// refuseUnmapped ends the request with kubectl's error, because no resource has the
// apiVersion and kind of the document.
func (r *Request) refuseUnmapped() {
	report := &r.rec.report
	f := r.unmappedFinding()
	f.Hint = servedHint(r.endpoint.CRD)
	r.rec.add(f)
	report.Status = playground.Status{Code: http.StatusNotFound, Reason: "NotFound", Message: "the server could not find the requested resource"}
	report.Output = kubectl.FormatUnmapped(r.options.file, report.Name, report.Namespace, f.Message)
	r.rec.skipAll(r.stages, f.Message)
	report.Stages[0].Outcome = playground.OutcomeFail
}

// reportUndiscovered replaces the output by kubectl's error, because discovery does not list
// the resource before the CRD is established. The API server serves other clients.
func (r *Request) reportUndiscovered() {
	report := &r.rec.report
	f := r.unmappedFinding()
	f.Severity = playground.SeverityWarning
	f.Hint = "kubectl sends no request, because the CRD is not established; see the finding on the CRD."
	if len(report.DependsOn) == 0 {
		f.Hint += fmt.Sprintf(" Other clients get status %d.", report.Status.Code)
	}
	r.rec.add(f)
	report.Output = kubectl.FormatUnmapped(r.options.file, report.Name, report.Namespace, f.Message)
}

// unmappedFinding returns an error at the apiVersion or kind that kubectl does not find.
func (r *Request) unmappedFinding() playground.Finding {
	report := &r.rec.report
	f := r.rec.finding(playground.StageDecode, fmt.Sprintf("no matches for kind %q in version %q", report.Kind, report.APIVersion))
	f.Reason = "NotFound"
	f.Field = "apiVersion"
	if report.Kind != r.endpoint.CRD.V1.Spec.Names.Kind {
		f.Field = "kind"
	}
	if location, ok := r.rec.doc.At(f.Field); ok {
		f.Range = location.Value()
	}
	return f
}

func servedHint(c *crd.CRD) string {
	var served []string
	for _, name := range c.ServedByPriority() {
		served = append(served, c.V1.Spec.Group+"/"+name)
	}
	if len(served) == 0 {
		return "The CRD serves no version."
	}
	return fmt.Sprintf("The CRD serves kind: %s at apiVersion: %s", c.V1.Spec.Names.Kind, strings.Join(served, ", "))
}

// newObject returns the initial state of an object that does not exist yet.
func (e *endpoint) newObject() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(e.version.Kind)
	return object
}
