package apiclient

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/verdict"
)

// objects sends the objects of one scenario to a cluster that serves their CRD,
// and collects the verdicts.
type objects struct {
	*Client
	scenario   playground.Scenario
	old        []*unstructured.Unstructured
	verdicts   []verdict.Object
	rows       map[string][]row // by version
	open       bool             // whether the verdict on an object is open
	unreadable map[string]bool  // versions at which an object cannot be read
}

// A row is a row of a table with the key of its object.
type row struct {
	namespace, name string
	cells           []any
}

func (o *objects) send() error {
	for _, document := range documents(o.scenario.OldObject) {
		object, err := o.decodeOld(document)
		if err != nil {
			return unsupportedDocument(playground.DocumentOldObject, err)
		}
		o.old = append(o.old, object)
	}
	for _, document := range documents(o.scenario.Object) {
		v, err := o.sendOne(document)
		if err != nil {
			return fmt.Errorf("object %d: %w", len(o.verdicts)+1, err)
		}
		o.verdicts = append(o.verdicts, v)
	}
	return nil
}

// decodeOld decodes an old object. It fails for an object that no server can
// have stored.
func (o *objects) decodeOld(document *source.Document) (*unstructured.Unstructured, error) {
	object, err := decodeObject(document)
	switch {
	case err != nil:
		return nil, err
	case !o.stores(object):
		return nil, fmt.Errorf("not an object of the CRD: %v", object.GroupVersionKind())
	case object.GetName() == "":
		return nil, errors.New("it has no name")
	}
	return object, nil
}

func decodeObject(document *source.Document) (*unstructured.Unstructured, error) {
	data := []byte(document.Text)
	if !document.JSON() {
		converted, err := yaml.YAMLToJSON(data)
		if err != nil {
			return nil, err
		}
		data = converted
	}
	object := &unstructured.Unstructured{}
	err := object.UnmarshalJSON(data)
	return object, err
}

// stores reports whether the object has a version of the CRD, in which it may be
// or have been stored.
func (o *objects) stores(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	return kind.Kind == o.crd.Spec.Names.Kind && kind.Group == o.crd.Spec.Group &&
		slices.ContainsFunc(o.crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == kind.Version })
}

// sendOne sends one document to a cluster that stores the old objects only.
func (o *objects) sendOne(document *source.Document) (v verdict.Object, err error) {
	version, ok := o.endpoint(document)
	if !ok {
		return notServed, nil
	}
	if err := o.reset(document); err != nil {
		return v, err
	}
	w := o.newWrite(document, version)
	before, err := o.cluster.StoredObject(w.namespace, w.name)
	if err != nil {
		return v, err
	}
	response, err := w.send()
	if err != nil {
		return v, err
	}
	if response.Code == http.StatusInternalServerError && (o.lacksWebhook(version) || o.appliesWithoutWebhook() || o.webhook.takeUnanswered()) {
		return o.openVerdict(w, before)
	}
	v.Response = verdictOf(response)
	name := w.name
	switch {
	case response.Object != nil:
		name, v.Returned = response.Object.GetName(), response.Object.Object
	case !v.Accepted():
		return v, nil
	}
	if w.operation == playground.OperationScale {
		v.Returned = nil // the Scale, which readBack reads
	}
	return v, o.readBack(&v, w.namespace, name)
}

// openVerdict returns the verdict if the response depends on a conversion
// webhook for which the scenario has no response. The failed call may have
// followed the write: then the object is stored.
func (o *objects) openVerdict(w *write, before *unstructured.Unstructured) (verdict.Object, error) {
	v := verdict.Object{Open: true}
	stored, err := o.cluster.StoredObject(w.namespace, w.name)
	if err != nil {
		return v, err
	}
	if stored == nil || before != nil && apiequality.Semantic.DeepEqual(before, stored) {
		o.open = true
		return v, nil
	}
	return v, o.readBack(&v, w.namespace, w.name)
}

// notServed is the verdict on a document with an apiVersion and kind that no
// endpoint serves: clients look up the endpoint before they send the document.
var notServed = verdict.Object{Response: verdict.Response{
	Code: http.StatusNotFound, Reason: string(metav1.StatusReasonNotFound), Message: "the server could not find the requested resource",
}}

// endpoint returns the version of the endpoint to which clients send the
// document. A document without apiVersion or kind is sent to the preferred
// version, where the server reports the missing field.
func (o *objects) endpoint(document *source.Document) (version string, ok bool) {
	apiVersion, kind := lookup(document, "apiVersion"), lookup(document, "kind")
	served := o.served()
	for _, version := range served {
		if apiVersion == o.crd.Spec.Group+"/"+version && kind == o.crd.Spec.Names.Kind {
			return version, true
		}
	}
	if len(served) > 0 && (apiVersion == "" || kind == "") {
		return served[0], true
	}
	return "", false
}

func (o *objects) operation() string {
	byDefault := playground.OperationCreate
	if len(o.old) > 0 {
		byDefault = playground.OperationUpdate
	}
	return cmp.Or(o.scenario.Operation, byDefault)
}

// reset stores the old objects and removes all others. An old object without a
// namespace is stored in the namespace of the document that replaces it.
func (o *objects) reset(document *source.Document) error {
	if err := o.cluster.ClearObjects(); err != nil {
		return fmt.Errorf("clear the objects: %w", err)
	}
	namespace, _ := o.target(document)
	for _, old := range o.old {
		old = old.DeepCopy()
		if !o.namespaced() || old.GetNamespace() == "" {
			old.SetNamespace(namespace)
		}
		if err := o.cluster.StoreObject(old); err != nil {
			return fmt.Errorf("store the old object: %w", err)
		}
	}
	return nil
}

func (o *objects) namespaced() bool { return o.crd.Spec.Scope == apiextensionsv1.NamespaceScoped }

// resource returns the resource of the CRD at a version.
func (o *objects) resource(version string) kubeapi.Resource {
	return kubeapi.Resource{Group: o.crd.Spec.Group, Version: version, Plural: o.crd.Spec.Names.Plural, Namespaced: o.namespaced()}
}

// readBack completes the verdict on an accepted object: it adds the persisted
// object and the object at each version, and collects the rows of tables.
func (o *objects) readBack(v *verdict.Object, namespace, name string) error {
	stored, err := o.cluster.StoredObject(namespace, name)
	if err != nil {
		return fmt.Errorf("read %s/%s from the storage: %w", namespace, name, err)
	}
	if stored == nil {
		v.Deleted, v.Returned = true, nil
		return nil
	}
	v.Stored = stored.Object
	v.Versions = map[string]verdict.Reading{}
	for _, version := range o.served() {
		if o.lacksWebhook(version) {
			o.unreadable[version] = true
			continue
		}
		if err := o.readVersion(v, version, namespace, name); err != nil {
			return err
		}
	}
	return nil
}

// readVersion reads an object at one version: the object, its row and its scale.
func (o *objects) readVersion(v *verdict.Object, version, namespace, name string) error {
	response, err := o.cluster.Do(o.resource(version).Get(namespace, name))
	if err != nil {
		return err
	}
	if o.webhook.takeUnanswered() {
		o.unreadable[version] = true
		return nil
	}
	if response.Object == nil {
		o.unreadable[version] = true
	}
	v.Versions[version] = readingOf(response)
	if err := o.readRow(version, namespace, name); err != nil {
		return err
	}
	return o.readScale(v, version, namespace, name)
}

func readingOf(response kubeapi.Response) verdict.Reading {
	var r verdict.Reading
	if len(response.Warnings) > 0 {
		r.Warning = response.Warnings[0]
	}
	if response.Object != nil {
		r.Object = response.Object.Object
	} else {
		r.Error = verdictOf(response).Message
	}
	return r
}

// readScale reads the scale of an object if a served version of the CRD has the
// scale subresource.
func (o *objects) readScale(v *verdict.Object, version, namespace, name string) error {
	hasScale := func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Served && v.Subresources != nil && v.Subresources.Scale != nil
	}
	if !slices.ContainsFunc(o.crd.Spec.Versions, hasScale) {
		return nil
	}
	response, err := o.cluster.Do(o.resource(version).GetScale(namespace, name))
	if err != nil {
		return err
	}
	response.Warnings = nil // the reading of the version has them
	scale := verdict.Scale{Response: verdictOf(response)}
	if response.Object != nil {
		scale.Scale = response.Object.Object
	}
	if v.Scale == nil {
		v.Scale = map[string]verdict.Scale{}
	}
	v.Scale[version] = scale
	return nil
}

// readRow reads the row of an object. It reads each row separately, since a
// later object of the scenario may have the same name.
func (o *objects) readRow(version, namespace, name string) error {
	response, err := o.cluster.Do(o.resource(version).GetTable(namespace, name))
	if err != nil || response.Table == nil {
		return err
	}
	for _, r := range response.Table.Rows {
		o.rows[version] = append(o.rows[version], row{namespace, name, r.Cells})
	}
	return nil
}

// tables returns the table of the accepted objects, ordered by key, at each
// version at which all of them can be read. While a verdict is open, it returns
// no table.
func (o *objects) tables() ([]verdict.Table, error) {
	if err := o.cluster.ClearObjects(); err != nil {
		return nil, fmt.Errorf("clear the objects: %w", err)
	}
	var tables []verdict.Table
	for _, version := range o.served() {
		if o.open || o.unreadable[version] {
			continue
		}
		response, err := o.cluster.Do(o.resource(version).ListTable())
		if err != nil {
			return nil, err
		}
		if response.Table != nil { // nil if the server does not serve the version
			tables = append(tables, tableOf(version, response.Table, o.rows[version]))
		}
	}
	return tables, nil
}

func tableOf(version string, table *metav1.Table, rows []row) verdict.Table {
	out := verdict.Table{Version: version, Columns: []playground.Column{}, Rows: [][]any{}}
	for _, c := range table.ColumnDefinitions {
		out.Columns = append(out.Columns, playground.Column{Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority})
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	for _, r := range rows {
		out.Rows = append(out.Rows, r.cells)
	}
	return out
}
