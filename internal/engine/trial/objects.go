package trial

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/verdict"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

const tableType = "application/json;as=Table;v=v1;g=meta.k8s.io"

// objects are the objects of one scenario on their way through a cluster that
// serves their CRD.
type objects struct {
	*Trial
	scenario playground.Scenario
	old      []*unstructured.Unstructured
	verdicts []verdict.Object
	rows     map[string][]row // by version
	open     bool             // one of the objects is
	unread   map[string]bool  // versions at which an object cannot be read
}

// row is a row of a table with the key of its object.
type row struct {
	namespace, name string
	cells           []any
}

func (o *objects) judge() error {
	o.rows, o.unread = map[string][]row{}, map[string]bool{}
	for _, document := range documents(o.scenario.OldObject) {
		object, err := decodeObject(document)
		if err == nil && !o.stores(object) {
			err = fmt.Errorf("not an object of the CRD: %v", object.GroupVersionKind())
		}
		if err == nil {
			err = checkStorable(object)
		}
		if err != nil {
			return unreadable(playground.DocumentOldObject, err)
		}
		o.old = append(o.old, object)
	}
	for _, document := range documents(o.scenario.Object) {
		v, err := o.judgeOne(document)
		if err != nil {
			return fmt.Errorf("object %d: %w", len(o.verdicts)+1, err)
		}
		o.verdicts = append(o.verdicts, v)
	}
	return nil
}

// checkStorable refuses an object without a name: none was ever stored.
func checkStorable(object *unstructured.Unstructured) error {
	if object.GetName() == "" {
		return errors.New("it has no name")
	}
	return nil
}

func decodeObject(document *source.Document) (*unstructured.Unstructured, error) {
	text := []byte(document.Text)
	if !document.JSON() {
		converted, err := yamlToJSON(text)
		if err != nil {
			return nil, err
		}
		text = converted
	}
	object := &unstructured.Unstructured{}
	err := object.UnmarshalJSON(text)
	return object, err
}

// stores says whether object is of a version that is or was stored.
func (o *objects) stores(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	return kind.Kind == o.crd.Spec.Names.Kind && kind.Group == o.crd.Spec.Group &&
		slices.ContainsFunc(o.crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == kind.Version })
}

// judgeOne sends one document to a cluster that has the old objects and no
// others.
func (o *objects) judgeOne(document *source.Document) (verdict.Object, error) {
	version, ok := o.endpoint(document)
	if !ok {
		return unmapped, nil
	}
	if err := o.reset(document); err != nil {
		return verdict.Object{}, err
	}
	w := &write{objects: o, document: document, version: version, operation: o.operation()}
	before, err := o.cluster.Stored(w.namespace(), w.objectName())
	if err != nil {
		return verdict.Object{}, err
	}
	answer, err := w.send()
	if err != nil {
		return verdict.Object{}, err
	}
	v := verdict.Object{Answer: verdictOf(answer)}
	if answer.Code == http.StatusInternalServerError && (o.lacksWebhook(version) || o.webhook.lacksAnswer()) {
		return o.judgeOpen(w, before)
	}
	name := w.name
	switch {
	case answer.Object != nil:
		name, v.Returned = answer.Object.GetName(), answer.Object.Object
	case !v.Accepted():
		return v, nil
	}
	if w.operation == playground.OperationScale {
		v.Returned = nil // the Scale, which is read again
	}
	return v, o.readBack(&v, w.namespace(), name)
}

// judgeOpen is the verdict if the answer hangs on a conversion webhook that
// nothing stands for: the object may have been stored before.
func (o *objects) judgeOpen(w *write, before *unstructured.Unstructured) (verdict.Object, error) {
	v := verdict.Object{Open: true}
	stored, err := o.cluster.Stored(w.namespace(), w.objectName())
	if err != nil {
		return v, err
	}
	if stored == nil || before != nil && apiequality.Semantic.DeepEqual(before, stored) {
		o.open = true
		return v, nil
	}
	return v, o.readBack(&v, w.namespace(), w.objectName())
}

// unmapped is the answer to a document whose apiVersion and kind no endpoint
// has: clients look for one before they send anything.
var unmapped = verdict.Object{Answer: verdict.Answer{
	Code: http.StatusNotFound, Reason: string(metav1.StatusReasonNotFound), Message: "the server could not find the requested resource",
}}

// endpoint is the version of the endpoint to which clients send the document;
// false if there is none. The server says what is missing in a document
// without apiVersion or kind.
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

// reset leaves the old objects in the cluster. One that is typed without a
// namespace is in that of the document that replaces it; cluster-scoped objects
// are in none.
func (o *objects) reset(document *source.Document) error {
	if err := o.cluster.ClearObjects(); err != nil {
		return fmt.Errorf("clear the objects: %w", err)
	}
	for _, old := range o.old {
		old = old.DeepCopy()
		if !o.namespaced() {
			old.SetNamespace(metav1.NamespaceNone)
		} else if old.GetNamespace() == "" {
			old.SetNamespace(cmp.Or(lookup(document, "metadata", "namespace"), metav1.NamespaceDefault))
		}
		if err := o.cluster.Put(old); err != nil {
			return fmt.Errorf("store the old object: %w", err)
		}
	}
	return nil
}

func (o *objects) namespaced() bool { return o.crd.Spec.Scope == apiextensionsv1.NamespaceScoped }

// readBack adds to the verdict on an accepted object what is stored and what
// is read at each version, and notes its rows.
func (o *objects) readBack(v *verdict.Object, namespace, name string) error {
	stored, err := o.cluster.Stored(namespace, name)
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
			o.unread[version] = true
			continue
		}
		answer, err := o.cluster.Do(Request{Method: http.MethodGet, Path: o.item(version, namespace, name)})
		if err != nil {
			return err
		}
		if o.webhook.lacksAnswer() {
			o.unread[version] = true
			continue
		}
		if answer.Object == nil {
			o.unread[version] = true
		}
		v.Versions[version] = readingOf(answer)
		if err := o.noteRow(version, namespace, name); err != nil {
			return err
		}
		if err := o.readScale(v, version, namespace, name); err != nil {
			return err
		}
	}
	return nil
}

func readingOf(answer Answer) verdict.Reading {
	var r verdict.Reading
	if len(answer.Warnings) > 0 {
		r.Warning = answer.Warnings[0]
	}
	if answer.Object != nil {
		r.Object = answer.Object.Object
	} else {
		r.Error = verdictOf(answer).Message
	}
	return r
}

// readScale asks for the scale of an object whose CRD has that subresource at a
// served version.
func (o *objects) readScale(v *verdict.Object, version, namespace, name string) error {
	scales := func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Served && v.Subresources != nil && v.Subresources.Scale != nil
	}
	if !slices.ContainsFunc(o.crd.Spec.Versions, scales) {
		return nil
	}
	answer, err := o.cluster.Do(Request{Method: http.MethodGet, Path: o.item(version, namespace, name) + "/scale"})
	if err != nil {
		return err
	}
	answer.Warnings = nil // those of the version, as in the reading
	scale := verdict.Scale{Answer: verdictOf(answer)}
	if answer.Object != nil {
		scale.Scale = answer.Object.Object
	}
	if v.Scale == nil {
		v.Scale = map[string]verdict.Scale{}
	}
	v.Scale[version] = scale
	return nil
}

// noteRow asks for the table of one object: the next one may have its name.
func (o *objects) noteRow(version, namespace, name string) error {
	answer, err := o.cluster.Do(Request{Method: http.MethodGet, Path: o.item(version, namespace, name), Accept: tableType})
	if err != nil || answer.Table == nil {
		return err
	}
	for _, r := range answer.Table.Rows {
		o.rows[version] = append(o.rows[version], row{namespace, name, r.Cells})
	}
	return nil
}

// tables are those of the accepted objects, in the order of their keys, at
// each version at which all of them can be read; none if one of them is open.
func (o *objects) tables() ([]verdict.Table, error) {
	if err := o.cluster.ClearObjects(); err != nil {
		return nil, fmt.Errorf("clear the objects: %w", err)
	}
	var tables []verdict.Table
	for _, version := range o.served() {
		if o.open || o.unread[version] {
			continue
		}
		answer, err := o.cluster.Do(Request{Method: http.MethodGet, Path: o.collection(version, ""), Accept: tableType})
		if err != nil {
			return nil, err
		}
		if answer.Table != nil { // else the version is not served in the end
			tables = append(tables, tableOf(version, answer.Table, o.rows[version]))
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

func (o *objects) collection(version, namespace string) string {
	path := "/apis/" + o.crd.Spec.Group + "/" + url.PathEscape(version)
	if o.namespaced() && namespace != "" {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return path + "/" + o.crd.Spec.Names.Plural
}

func (o *objects) item(version, namespace, name string) string {
	return o.collection(version, namespace) + "/" + url.PathEscape(name)
}
