package apiclient

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/verdict"
)

var crdScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
}()

// decodeCRD decodes a CRD of any version, applies its defaults and converts it
// to v1.
func decodeCRD(data []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	internal := &apiextensions.CustomResourceDefinition{}
	decoder := serializer.NewCodecFactory(crdScheme).UniversalDecoder(apiextensions.SchemeGroupVersion)
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	if _, _, err := decoder.Decode(data, &kind, internal); err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := crdScheme.Convert(internal, crd, nil); err != nil {
		return nil, err
	}
	crd.SetGroupVersionKind(kind)
	return crd, nil
}

// sendCRD creates or applies the scenario's CRD, or updates its old CRD.
func (c *Client) sendCRD(s playground.Scenario) (out verdict.CRD, err error) {
	c.crd = nil
	document := chooseCRD(s.CRD)
	if document == nil {
		return out, nil
	}
	send := c.writeCRD
	if isApply(s) {
		send = c.applyCRD
	}
	response, err := send(s, document, chooseCRD(s.OldCRD))
	if err != nil {
		return out, err
	}
	out.Response = verdictOf(response)
	if response.Object == nil {
		return out, nil
	}
	if s.CRDStored {
		out.Stored = response.Object.DeepCopy().Object
	}
	return out, c.serveCRD(response, &out)
}

// writeCRD creates the CRD, or replaces the old CRD, which may be nil.
func (c *Client) writeCRD(s playground.Scenario, document, old *source.Document) (response kubeapi.Response, err error) {
	request, correct := kubeapi.CreateCRD(requestDocument(document, s)), unchanged
	switch {
	case old != nil && s.CRDOperation == playground.OperationCreate:
		if _, err := c.storeOld(old); err != nil {
			return response, err
		}
	case old != nil:
		if request, correct, err = c.replaceCRD(s, document, old); err != nil {
			return response, err
		}
	case s.CRDOperation == playground.OperationUpdate:
		name := lookup(document, "metadata", "name")
		if err := checkSegment("name", name); err != nil {
			return response, err
		}
		request = kubeapi.UpdateCRD(name, requestDocument(document, s))
	}
	if version := lookup(document, "apiVersion"); version == apiextensionsv1beta1.SchemeGroupVersion.String() {
		request.Path = strings.Replace(request.Path, apiextensionsv1.SchemeGroupVersion.String(), version, 1)
	}
	response, err = c.cluster.Do(request.By(crdManager(s)))
	return correct(response), err
}

// replaceCRD stores the old CRD and returns the update request of `kubectl
// replace`, which is based on the stored CRD.
func (c *Client) replaceCRD(s playground.Scenario, document, old *source.Document) (request kubeapi.Request, _ correction, _ error) {
	resourceVersion, err := c.storeOld(old)
	if err != nil {
		return request, nil, err
	}
	name := lookup(document, "metadata", "name")
	if err := checkSegment("name", name); err != nil {
		return request, nil, err
	}
	request = kubeapi.UpdateCRD(name, requestDocument(document, s))
	var correct correction
	request.Body, correct = setResourceVersion(document, resourceVersion, old)
	return request, correct, nil
}

// storeOld stores the old CRD as a create would, and returns its resourceVersion.
func (c *Client) storeOld(old *source.Document) (resourceVersion string, err error) {
	crd, err := decodeCRD([]byte(old.Text))
	if err != nil {
		return "", unsupportedDocument(playground.DocumentOldCRD, err)
	}
	crd.Generation = cmp.Or(crd.Generation, 1)
	// A create drops these fields.
	crd.SetNamespace("")
	crd.SetSelfLink("")
	crd.SetDeletionTimestamp(nil)
	crd.SetDeletionGracePeriodSeconds(nil)
	if resourceVersion, err = c.cluster.StoreCRD(crd); err != nil {
		return "", fmt.Errorf("store the old CRD: %w", err)
	}
	return resourceVersion, nil
}

// serveCRD waits for the controllers and adds the fields that they have set to
// the verdict.
func (c *Client) serveCRD(response kubeapi.Response, out *verdict.CRD) error {
	crd, err := c.cluster.ServeCRD(response.Object)
	if err != nil {
		return fmt.Errorf("wait for the CRD: %w", err)
	}
	c.crd = crd
	out.StoredVersions = crd.Status.StoredVersions
	names := crd.Spec.Names
	if c.cluster.HasControllers() {
		names = crd.Status.AcceptedNames
	}
	out.Names = &playground.Names{
		Plural: names.Plural, Singular: names.Singular, Kind: names.Kind, ListKind: names.ListKind,
		ShortNames: append([]string{}, names.ShortNames...), Categories: append([]string{}, names.Categories...),
	}
	if !c.cluster.HasControllers() {
		return nil
	}
	for _, c := range crd.Status.Conditions {
		out.Conditions = append(out.Conditions, playground.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message})
	}
	return nil
}

// chooseCRD returns the first CRD of a YAML source, or its first document if it
// has no CRD; nil if it has no document.
func chooseCRD(yaml string) *source.Document {
	all := documents(yaml)
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

// documents returns the documents of a YAML source that are not empty, including
// documents with syntax errors.
func documents(yaml string) []*source.Document {
	file, _ := source.Parse(yaml, source.Limits{})
	return file.NonEmpty()
}

// lookup returns the scalar at a path, or "" if the path does not exist.
func lookup(document *source.Document, path ...string) string {
	value, _ := document.Lookup(path...)
	return value
}

// requestDocument returns the body that sends the document as it is typed.
func requestDocument(document *source.Document, s playground.Scenario) kubeapi.Document {
	d := kubeapi.Document{Data: []byte(document.Text), ContentType: kubeapi.TypeYAML, FieldValidation: s.FieldValidation}
	if document.JSON() {
		d.ContentType = kubeapi.TypeJSON
	}
	return d
}
