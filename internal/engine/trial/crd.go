package trial

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/crdlab/crdlab/internal/engine/verdict"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/limits"
)

// CRDPath is where CustomResourceDefinitions are served.
const CRDPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

var crdScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
}()

// decodeCRD reads a CRD of any version, with its defaults, as a v1 one.
func decodeCRD(text []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	internal := &apiextensions.CustomResourceDefinition{}
	decoder := serializer.NewCodecFactory(crdScheme).UniversalDecoder(apiextensions.SchemeGroupVersion)
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	if _, _, err := decoder.Decode(text, &kind, internal); err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := crdScheme.Convert(internal, crd, nil); err != nil {
		return nil, err
	}
	crd.SetGroupVersionKind(kind)
	return crd, nil
}

// judgeCRD sends the scenario's CRD, as an update if there is an old one.
func (t *Trial) judgeCRD(s playground.Scenario) (out verdict.CRD, err error) {
	t.crd = nil
	document := chooseCRD(s.CRD)
	if document == nil {
		return out, nil
	}
	request := Request{
		Method: http.MethodPost, Path: CRDPath, Query: url.Values{"fieldValidation": {s.FieldValidation}},
		ContentType: contentType(document), Body: []byte(document.Text),
	}
	shift := func(a Answer) Answer { return a }
	if old := chooseCRD(s.OldCRD); old != nil {
		if request, shift, err = t.replaceCRD(request, document, old); err != nil {
			return out, err
		}
	}
	if lookup(document, "apiVersion") == apiextensionsv1beta1.SchemeGroupVersion.String() {
		upgrade(&request)
	}
	answer, err := t.cluster.Do(request)
	if err != nil {
		return out, err
	}
	answer = shift(answer)
	out.Answer = verdictOf(answer)
	if answer.Object == nil {
		return out, nil
	}
	return out, t.settle(answer, &out)
}

// upgrade makes a v1 CRD of a v1beta1 one, which no server takes any more; one
// that cannot be read stays.
func upgrade(request *Request) {
	crd, err := decodeCRD(request.Body)
	if err != nil {
		return
	}
	if body, err := json.Marshal(crd); err == nil {
		request.Body, request.ContentType = body, "application/json"
	}
}

// replaceCRD puts the old CRD into the cluster and makes an update of request,
// based on what is there now, like `kubectl replace`.
func (t *Trial) replaceCRD(request Request, document, old *source.Document) (Request, func(Answer) Answer, error) {
	crd, err := decodeCRD([]byte(old.Text))
	if err != nil {
		return request, nil, unreadable(playground.DocumentOldCRD, err)
	}
	crd.Generation = cmp.Or(crd.Generation, 1)
	resourceVersion, err := t.cluster.PutCRD(crd)
	if err != nil {
		return request, nil, fmt.Errorf("store the old CRD: %w", err)
	}
	name := lookup(document, "metadata", "name")
	if err := checkSegment("name", name); err != nil {
		return request, nil, err
	}
	request.Method = http.MethodPut
	request.Path += "/" + url.PathEscape(name)
	var shift func(Answer) Answer
	request.Body, shift = basedOn(document, resourceVersion, old)
	return request, shift, nil
}

// settle notes what the server serves once its controllers are done.
func (t *Trial) settle(answer Answer, out *verdict.CRD) error {
	crd, err := t.cluster.Settle(answer.Object)
	if err != nil {
		return fmt.Errorf("wait for the CRD: %w", err)
	}
	t.crd = crd
	out.StoredVersions = crd.Status.StoredVersions
	names := crd.Spec.Names
	out.Names = &playground.Names{
		Plural: names.Plural, Singular: names.Singular, Kind: names.Kind, ListKind: names.ListKind,
		ShortNames: append([]string{}, names.ShortNames...), Categories: append([]string{}, names.Categories...),
	}
	if !t.cluster.HasControllers() {
		return nil
	}
	for _, c := range crd.Status.Conditions {
		out.Conditions = append(out.Conditions, playground.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message})
	}
	return nil
}

// chooseCRD is the document of a text that counts: the first CRD, or else
// whatever comes first; nil if there is nothing.
func chooseCRD(text string) *source.Document {
	all := documents(text)
	for _, document := range all {
		if lookup(document, "kind") == "CustomResourceDefinition" {
			return document
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// documents are the documents of a text that are not empty, readable or not.
func documents(text string) []*source.Document {
	file, _ := source.Parse(text, limits.Limits{})
	if file == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(file.Documents), (*source.Document).Empty)
}

// lookup is the scalar at a path, empty if there is none.
func lookup(document *source.Document, path ...string) string {
	value, _ := document.Lookup(path...)
	return value
}

func contentType(document *source.Document) string {
	if document.JSON() {
		return "application/json"
	}
	return "application/yaml"
}
