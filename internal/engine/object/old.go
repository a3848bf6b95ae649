package object

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// oldObjects are the objects in the cluster before, as typed.
type oldObjects struct {
	objects  []*unstructured.Unstructured
	findings []playground.Finding // what keeps a document from being one
}

// readOldObjects decodes the objects of text. They count as stored, so they
// are not validated.
func readOldObjects(c *crd.CRD, text string) oldObjects {
	var old oldObjects
	file, err := source.Parse(text, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		old.findings = append(old.findings, finding.OfLimit(playground.DocumentOldObject, playground.StageDecode, err))
		return old
	}
	for _, doc := range file.Documents {
		if doc.Empty() {
			continue
		}
		object, err := DecodeStored(doc)
		switch {
		case err != nil:
			old.add(doc, err.Error())
		case !c.Report.Accepted: // nothing is stored
		case c.Defines(object):
			if c.V1.Spec.Scope == apiextensionsv1.ClusterScoped {
				object.SetNamespace("") // nothing cluster-scoped is stored with one
			}
			old.objects = append(old.objects, object)
		default:
			old.add(doc, "not an object of the CRD: "+object.GroupVersionKind().String())
		}
	}
	return old
}

func (o *oldObjects) add(doc *source.Document, message string) {
	o.findings = append(o.findings, playground.Finding{
		Severity: playground.SeverityError,
		Stage:    playground.StageDecode,
		Message:  message,
		Document: playground.DocumentOldObject,
		Range:    finding.RequestRange(doc, message),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	})
}

func DecodeStored(doc *source.Document) (*unstructured.Unstructured, error) {
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, unstructuredCreater{}, crdserverscheme.NewUnstructuredObjectTyper(), json.SerializerOptions{Yaml: !doc.JSON()})
	object := &unstructured.Unstructured{}
	err := upstream.Guard(playground.StageDecode, func() error {
		_, _, err := serializer.Decode([]byte(doc.Text), nil, object)
		return err
	})
	return object, err
}

// find is the object of a namespace and name, or nil.
func (o oldObjects) find(namespace, name string) *unstructured.Unstructured {
	for _, object := range o.objects {
		if object.GetName() == name && (object.GetNamespace() == namespace || object.GetNamespace() == "") {
			return object
		}
	}
	return nil
}

// readOld is the stored object as the request's version has it, with what
// the API server would have set if the text leaves it out.
func (r *Request) readOld(stored *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	from := r.crd.Versions[stored.GroupVersionKind().Version]
	old := stored.DeepCopy()
	old.SetNamespace(r.namespace())
	if old.GetUID() == "" {
		old.SetUID(r.uid())
	}
	if created := old.GetCreationTimestamp(); created.IsZero() {
		old.SetCreationTimestamp(metav1.NewTime(r.now))
	}
	if old.GetResourceVersion() == "" {
		old.SetResourceVersion(upstream.FirstResourceVersion)
	}
	if err := from.CoerceStored(old); err != nil {
		return nil, err
	}
	defaulting.Default(old.Object, from.Schema)
	if from == r.Version {
		return old, nil
	}
	return r.convert(playground.StagePrepare, old, r.Version)
}
