package crd

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// reportStored adds the stored CRD to the report, and its differences from the document.
func (r *Request) reportStored(v1 *apiextensionsv1.CustomResourceDefinition) error {
	if !r.stored {
		return nil
	}
	stored := v1.DeepCopy()
	stored.SetGroupVersionKind(v1Kind)
	stored.Status.Conditions = r.storedConditions(v1)
	if stored.CreationTimestamp.IsZero() {
		stored.CreationTimestamp = metav1.NewTime(r.now)
	}
	encoded, err := json.Marshal(stored)
	if err != nil {
		return fmt.Errorf("encode the stored CRD: %w", err)
	}
	// Nulls that the API server writes, such as items, are absent when it reads them.
	read := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(encoded, read); err != nil {
		return fmt.Errorf("read the stored CRD: %w", err)
	}
	if encoded, err = json.Marshal(read); err != nil {
		return fmt.Errorf("encode the stored CRD again: %w", err)
	}
	r.Report.Stored = encoded
	sent, err := r.documentObject()
	if err != nil {
		return fmt.Errorf("read the document again: %w", err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(encoded, &object); err != nil {
		return fmt.Errorf("decode the stored CRD: %w", err)
	}
	for _, c := range jsonvalue.Diff(sent, object, nil) {
		if change := r.describeStored(c); change.Steps[0] != "status" && change.Path != "metadata.managedFields" {
			r.Report.StoredChanges = append(r.Report.StoredChanges, change)
		}
	}
	return nil
}

// storedConditions returns the conditions of the report. One that keeps its status keeps its time.
func (r *Request) storedConditions(v1 *apiextensionsv1.CustomResourceDefinition) (all []apiextensionsv1.CustomResourceDefinitionCondition) {
	for _, c := range r.Report.Conditions {
		condition := apiextensionsv1.CustomResourceDefinitionCondition{
			Type: apiextensionsv1.CustomResourceDefinitionConditionType(c.Type), Status: apiextensionsv1.ConditionStatus(c.Status),
			Reason: c.Reason, Message: c.Message, LastTransitionTime: metav1.NewTime(r.now),
		}
		if before := apihelpers.FindCRDCondition(v1, condition.Type); before != nil && before.Status == condition.Status {
			condition.LastTransitionTime = before.LastTransitionTime
		}
		all = append(all, condition)
	}
	return all
}

// documentObject returns the document as kubectl reads it.
func (r *Request) documentObject() (map[string]any, error) {
	object := map[string]any{}
	unmarshal := utilyaml.Unmarshal
	if r.Doc.JSON() {
		unmarshal = utiljson.Unmarshal
	}
	return object, unmarshal([]byte(r.Doc.Text), &object)
}

// describeStored returns a difference between the document and the stored CRD with its reason.
func (r *Request) describeStored(c jsonvalue.Change) playground.Change {
	out := playground.Change{Op: c.Op, Path: jsonvalue.PathString(c.Path), Steps: jsonvalue.PathSteps(c.Path), Value: jsonvalue.Encode(c.Value)}
	out.Cause, out.Because = r.storedReason(c, out.Path)
	if location, ok := r.Doc.At(c.Path...); ok {
		at := location.Key()
		out.SchemaRange = &at
	}
	return out
}

// storedDefaults maps the fields that SetDefaults_CustomResourceDefinitionSpec in
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 sets to the origin of their values.
var storedDefaults = map[string]string{
	"spec.names.singular": "the default is the kind in lower case",
	"spec.names.listKind": "the default is the kind with the ending List",
	"spec.conversion":     "the default is no conversion",
}

func (r *Request) storedReason(c jsonvalue.Change, path string) (cause playground.ChangeCause, because string) {
	isEmpty := c.Value == nil || reflect.ValueOf(c.Value).IsZero() || lengthOf(c.Value) == 0
	switch {
	case c.Op == playground.ChangeRemove && isEmpty:
		return playground.CauseConverted, "the API server leaves out the empty value"
	case c.Path[0] == "metadata" && c.Op == playground.ChangeRemove:
		return playground.CauseServer, "the API server does not store the field, or sets it later"
	case strings.HasPrefix(path, "metadata.annotations") && c.Op != playground.ChangeRemove && r.operation == playground.CRDOperationClientApply:
		return playground.CauseApplied, "kubectl apply records the document in an annotation"
	case strings.HasPrefix(path, "metadata.annotations") || strings.HasPrefix(path, "metadata.labels"):
		return playground.CauseApplied, "kept from the stored CRD"
	case c.Path[0] == "metadata":
		return playground.CauseServer, "set by the API server, not by users"
	case c.Op == playground.ChangeRemove:
		return playground.CausePruned, "a CustomResourceDefinition has no such field"
	case c.Op == playground.ChangeReplace:
		return playground.CauseConverted, "the API server writes the value in its own form"
	case storedDefaults[path] != "":
		return playground.CauseDefaulted, storedDefaults[path]
	case r.merges():
		return playground.CauseApplied, "kept from the stored CRD"
	}
	return playground.CauseDefaulted, "the API server sets its default"
}

// lengthOf returns the number of items of a list or mapping, and 1 for any other value.
func lengthOf(value any) int {
	switch value := value.(type) {
	case []any:
		return len(value)
	case map[string]any:
		return len(value)
	}
	return 1
}
