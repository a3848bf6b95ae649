package object

import (
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// existingObjects holds the objects in the cluster before the requests, as written.
type existingObjects struct {
	objects []*unstructured.Unstructured
	// documents holds the document of each object.
	documents map[*unstructured.Unstructured]*source.Document
	// findings reports the documents that are not objects of the CRD.
	findings []playground.Finding
}

// An oldObject is the object that a request replaces, scales or deletes.
type oldObject struct {
	// object is at the version of the request; nil on create.
	object *unstructured.Unstructured
	// stored is the persisted object.
	stored *unstructured.Unstructured
}

// OldObjects holds the parsed documents of Scenario.OldObject. An evaluation parses
// them once, for the requests and for the comparison of two CRDs.
type OldObjects struct {
	file *source.File
	// err is nil unless the documents exceed a limit.
	err error
}

// ParseOldObjects parses the documents of Scenario.OldObject.
func ParseOldObjects(yaml string) OldObjects {
	file, err := source.Parse(yaml, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return OldObjects{err: err}
	}
	return OldObjects{file: file}
}

// Documents returns the documents that are not empty; nil if they exceed a limit.
func (o OldObjects) Documents() []*source.Document {
	if o.file == nil {
		return nil
	}
	return o.file.NonEmpty()
}

// readExisting decodes the old objects. It does not validate them, because a cluster
// may hold objects that it no longer accepts.
func readExisting(c *crd.CRD, old OldObjects) existingObjects {
	existing := existingObjects{documents: map[*unstructured.Unstructured]*source.Document{}}
	if old.err != nil {
		existing.findings = append(existing.findings, finding.OfLimit(playground.DocumentOldObject, playground.StageDecode, old.err))
	}
	for _, doc := range old.Documents() {
		existing.add(c, doc)
	}
	return existing
}

func (e *existingObjects) add(c *crd.CRD, doc *source.Document) {
	object, err := DecodeStored(doc)
	switch {
	case err != nil:
		e.reject(doc, err.Error())
	case !c.Report.Accepted: // nothing is stored
	case c.Defines(object):
		if c.V1.Spec.Scope == apiextensionsv1.ClusterScoped {
			object.SetNamespace("") // cluster-scoped objects are stored without a namespace
		}
		upstream.DropUnstoredRevision(object)
		e.objects = append(e.objects, object)
		e.documents[object] = doc
	default:
		e.reject(doc, "not an object of the CRD: "+object.GroupVersionKind().String())
	}
}

func (e *existingObjects) reject(doc *source.Document, message string) {
	e.findings = append(e.findings, finding.OfRequest(playground.DocumentOldObject, playground.StageDecode, doc, message))
}

// find returns the object with a namespace and name, or nil. An object without a
// namespace matches each namespace.
func (e existingObjects) find(namespace, name string) *unstructured.Unstructured {
	for _, object := range e.objects {
		if object.GetName() == name && (object.GetNamespace() == namespace || object.GetNamespace() == "") {
			return object
		}
	}
	return nil
}

// runFind replaces the document's object with the stored object of the same identity.
func runFind(r *Request) error {
	if err := r.findOld(); err != nil {
		return err
	}
	r.object = r.old.object.DeepCopy()
	return nil
}

// existingObject returns the stored object with the identity of the request's
// object, or nil.
func (r *Request) existingObject() *unstructured.Unstructured {
	return r.existing.find(r.endpoint.namespaceOf(r.object), r.object.GetName())
}

// findOld sets r.old to the stored object, unless an earlier stage has set it.
func (r *Request) findOld() error {
	if r.old.object != nil {
		return nil
	}
	stored := r.existingObject()
	if stored == nil {
		return apierrors.NewNotFound(r.endpoint.resource(), r.object.GetName())
	}
	object, err := r.readOld(stored)
	if errors.Is(err, conversion.ErrNoWebhook) {
		return fmt.Errorf("read the old object: %w", err)
	}
	if err != nil {
		return corruptError(stored, err)
	}
	r.old = oldObject{object, stored}
	r.rec.existing = r.existing.documents[stored]
	return nil
}

// readOld reads a stored object at the version of the request. It first adds the
// metadata that the API server would have set and that the document omits.
func (r *Request) readOld(stored *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	from := r.endpoint.CRD.Versions[stored.GroupVersionKind().Version]
	old := stored.DeepCopy()
	old.SetNamespace(r.endpoint.namespaceOf(r.object))
	if old.GetUID() == "" {
		old.SetUID(r.endpoint.uidOf(r.object))
	}
	if created := old.GetCreationTimestamp(); created.IsZero() {
		old.SetCreationTimestamp(metav1.NewTime(r.options.now))
	}
	if old.GetResourceVersion() == "" {
		old.SetResourceVersion(upstream.FirstResourceVersion)
	}
	if err := from.CoerceStored(old); err != nil {
		return nil, err
	}
	defaulting.Default(old.Object, from.Schema)
	if from == r.endpoint.version {
		return old, nil
	}
	return r.convert(playground.StagePrepare, old, r.endpoint.version)
}
