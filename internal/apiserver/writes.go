package apiserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// A Write is a request of a client to create, update or patch a custom resource, its status or a CRD,
// and its answer.
type Write struct {
	*request.RequestInfo
	// Name is that of the object; it is empty if the server generates it.
	Name  string
	Query url.Values
	User  user.Info
	// IsApply is true for an apply request, which is a kind of patch.
	IsApply bool
	// CRD defines the resource; it is empty if the object is a CRD. Old is the stored object, and
	// empty for a request to create. Object is what the request describes: for a patch, Old with
	// the patch. All are YAML; an object that cannot be read is empty.
	CRD, Old, Object string
	// Admission has the policies and webhooks of the server, with the namespace of the request.
	Admission string
	// Code and Message are the answer. The message is empty if the write is accepted.
	Code    int
	Message string
}

// An observer calls report after each write, before the client has the answer.
type observer struct {
	report  func(Write)
	objects dynamic.Interface
}

// around returns a handler that reports the writes that next answers. The context of the requests has
// their users.
func (o observer) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write, ok := o.read(r)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		answer := &answer{ResponseWriter: w}
		next.ServeHTTP(responsewriter.WrapForHTTP1Or2(answer), r)
		write.Code = answer.code
		if status := (metav1.Status{}); answer.code >= http.StatusBadRequest && json.Unmarshal(answer.body.Bytes(), &status) == nil {
			write.Message = status.Message
		}
		o.report(write)
	})
}

// read reads a request before its handler. It reports whether the request is a [Write].
func (o observer) read(r *http.Request) (write Write, ok bool) {
	info, _ := request.RequestInfoFrom(r.Context())
	requester, _ := request.UserFrom(r.Context())
	isWrite := info.IsResourceRequest && (info.Verb == "create" || info.Verb == "update" || info.Verb == "patch")
	// A scale is not an object of the CRD. Of a CRD, only controllers write the status.
	isObject := info.Subresource == "" || info.Subresource == "status" && info.APIGroup != apiextensions.GroupName
	if !isWrite || !isObject || requester.GetName() == user.APIServerUser {
		return write, false
	}
	write = Write{RequestInfo: info, Name: info.Name, Query: r.URL.Query(), User: requester}
	if info.APIGroup != apiextensions.GroupName {
		crds := o.objects.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
		crd, err := crds.Get(r.Context(), info.Resource+"."+info.APIGroup, metav1.GetOptions{})
		if err != nil {
			return write, false
		}
		write.CRD = withoutServerFields(*crd)
	}
	var stored *unstructured.Unstructured
	if info.Name != "" {
		resource := schema.GroupVersionResource{Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource}
		stored, _ = o.objects.Resource(resource).Namespace(info.Namespace).Get(r.Context(), info.Name, metav1.GetOptions{})
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20)) // more than the server accepts
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	if err != nil {
		return write, false
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	kind := types.PatchType(media)
	if write.IsApply = kind == types.ApplyYAMLPatchType; stored != nil {
		if !write.IsApply {
			stored.SetManagedFields(nil)
		}
		write.Old = toYAML(stored.Object)
	}
	object := unstructured.Unstructured{}
	if yaml.Unmarshal(described(kind, stored, body), &object.Object) == nil {
		write.Name = cmp.Or(write.Name, object.GetName())
		write.Object = toYAML(object.Object)
	}
	write.Admission = o.admission(r.Context(), info.Namespace)
	return write, true
}

// admissionKinds are the resources that decide on writes.
var admissionKinds = []string{
	"mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "validatingadmissionpolicies", "validatingadmissionpolicybindings",
	"mutatingwebhookconfigurations", "validatingwebhookconfigurations",
}

// admission returns the policies and webhooks of the server, with a namespace, or nothing if there are none.
func (o observer) admission(ctx context.Context, namespace string) string {
	var documents []string
	for _, resource := range admissionKinds {
		list, err := o.objects.Resource(admissionregistrationv1.SchemeGroupVersion.WithResource(resource)).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for _, item := range list.Items {
			documents = append(documents, withoutServerFields(item))
		}
	}
	if len(documents) == 0 || namespace == "" {
		return strings.Join(documents, "---\n")
	}
	if in, err := o.objects.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Get(ctx, namespace, metav1.GetOptions{}); err == nil {
		documents = append(documents, withoutServerFields(*in))
	}
	return strings.Join(documents, "---\n")
}

// described returns the object that a request describes, or nil if it cannot be read.
func described(kind types.PatchType, stored *unstructured.Unstructured, body []byte) (object []byte) {
	var old []byte
	if stored != nil {
		old, _ = stored.MarshalJSON()
	}
	switch kind {
	case types.MergePatchType:
		object, _ = jsonpatch.MergePatch(old, body)
	case types.JSONPatchType:
		if patch, err := jsonpatch.DecodePatch(body); err == nil {
			object, _ = patch.Apply(old)
		}
	case types.StrategicMergePatchType: // The server refuses it for custom resources.
		object, _ = strategicpatch.StrategicMergePatch(old, body, apiextensionsv1.CustomResourceDefinition{})
	default:
		object = body
	}
	return object
}

// withoutServerFields returns an object in YAML, without what the server has added.
func withoutServerFields(object unstructured.Unstructured) string {
	for _, field := range []string{"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	delete(object.Object, "status")
	return toYAML(object.Object)
}

// toYAML returns an object in YAML, or an empty string for an empty one.
func toYAML(object map[string]any) string {
	if len(object) == 0 {
		return ""
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return ""
	}
	return string(text)
}

// An answer passes a response on, and keeps it.
type answer struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

func (a *answer) Write(data []byte) (int, error) {
	if a.code == 0 {
		a.code = http.StatusOK
	}
	a.body.Write(data)
	return a.ResponseWriter.Write(data)
}
