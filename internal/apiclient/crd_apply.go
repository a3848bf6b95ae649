package apiclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/util/csaupgrade"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
	"github.com/crdlab/crdlab/internal/source"
)

// lastApplied is the annotation in which kubectl apply stores the document.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// crdPatchMeta says how a strategic merge patch merges the fields of a CRD.
var crdPatchMeta = strategicpatch.PatchMetaFromStruct{T: strategicpatch.GetTagStructTypeOrDie(apiextensionsv1.CustomResourceDefinition{})}

// isApply reports whether the request for the CRD is one of kubectl apply.
func isApply(s playground.Scenario) bool {
	return s.CRDOperation == playground.OperationApply || s.CRDOperation == playground.CRDOperationClientApply
}

// applyCRD stores the old CRD, which may be nil, and applies the document.
func (c *Client) applyCRD(s playground.Scenario, document, old *source.Document) (kubeapi.Response, error) {
	name := lookup(document, "metadata", "name")
	if err := checkSegment("name", name); err != nil {
		return kubeapi.Response{}, err
	}
	if old != nil && lookup(document, "metadata", "resourceVersion") != "" {
		return kubeapi.Response{}, &UnsupportedError{"the stored CRD has another resourceVersion than the old document"}
	}
	if old != nil {
		if lookup(old, "metadata", "name") != name {
			return kubeapi.Response{}, &UnsupportedError{"the cluster has only one CRD"}
		}
		if _, err := c.storeOld(old); err != nil {
			return kubeapi.Response{}, err
		}
	}
	if s.CRDOperation == playground.OperationApply {
		return c.applyServerSide(s, name, document)
	}
	return c.applyClientSide(s, name, document)
}

// applyServerSide sends the requests of kubectl apply --server-side: after an accepted one, it moves the
// fields of client-side applies to the field manager, and applies again.
func (c *Client) applyServerSide(s playground.Scenario, name string, document *source.Document) (kubeapi.Response, error) {
	manager := crdManager(s)
	apply := kubeapi.ApplyCRD(name, requestDocument(document, s), manager, s.CRDForce)
	applied, err := c.cluster.Do(apply)
	if err != nil || applied.Object == nil || applied.Code >= http.StatusBadRequest {
		return applied, err
	}
	clientSide := annotationOwners(applied.Object, metav1.ManagedFieldsOperationUpdate)
	if len(clientSide) == 0 {
		return applied, nil
	}
	current := applied
	if manager == playground.FieldManagers[playground.OperationApply] && len(annotationOwners(applied.Object, metav1.ManagedFieldsOperationApply)) == 0 {
		body, err := json.Marshal(map[string]any{
			"apiVersion": applied.Object.GetAPIVersion(), "kind": applied.Object.GetKind(),
			"metadata": map[string]any{"name": name, "annotations": map[string]string{lastApplied: applied.Object.GetAnnotations()[lastApplied]}},
		})
		if err != nil {
			return applied, err
		}
		current, err = c.cluster.Do(kubeapi.ApplyCRD(name, kubeapi.Document{Data: body}, "kubectl-last-applied", false))
		if err != nil || current.Object == nil || current.Code >= http.StatusBadRequest {
			return applied, err
		}
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(current.Object, clientSide, manager)
	if err != nil || patch == nil {
		return applied, err
	}
	if migrated, err := c.cluster.Do(kubeapi.JSONPatchCRD(name, patch)); err != nil || migrated.Code >= http.StatusBadRequest {
		return applied, err
	}
	again, err := c.cluster.Do(apply)
	if err != nil || again.Code >= http.StatusBadRequest {
		return applied, err
	}
	// kubectl prints the warnings of all responses once.
	for _, warning := range again.Warnings {
		if !slices.Contains(applied.Warnings, warning) {
			applied.Warnings = append(applied.Warnings, warning)
		}
	}
	again.Warnings = applied.Warnings
	return again, nil
}

// annotationOwners returns the names of the managers that own the annotation of kubectl apply.
func annotationOwners(object *unstructured.Unstructured, operation metav1.ManagedFieldsOperationType) sets.Set[string] {
	names := sets.New[string]()
	for _, entry := range object.GetManagedFields() {
		var fields struct {
			Metadata struct {
				Annotations map[string]any `json:"f:annotations"`
			} `json:"f:metadata"`
		}
		if entry.Operation != operation || entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if _, owns := fields.Metadata.Annotations["f:"+lastApplied]; owns {
			names.Insert(entry.Manager)
		}
	}
	return names
}

// applyClientSide sends the requests of kubectl apply without --server-side.
func (c *Client) applyClientSide(s playground.Scenario, name string, document *source.Document) (kubeapi.Response, error) {
	sent, err := decodeObject(document)
	if err != nil || sent.GroupVersionKind().Group != apiextensions.GroupName {
		return kubeapi.Response{}, &UnsupportedError{"kubectl applies no document that it cannot read, or whose apiVersion the server lacks"}
	}
	sent.SetNamespace("")
	annotate(sent)
	body, err := sent.MarshalJSON()
	if err != nil {
		return kubeapi.Response{}, err
	}
	d := kubeapi.Document{Data: body, ContentType: kubeapi.TypeJSON, FieldValidation: s.FieldValidation}
	existing, err := c.cluster.Do(kubeapi.GetCRD(name))
	if err != nil {
		return existing, err
	}
	if existing.Code == http.StatusNotFound {
		return c.cluster.Do(kubeapi.CreateCRD(d).By(crdManager(s)))
	}
	current, err := existing.Object.MarshalJSON()
	if err != nil {
		return existing, err
	}
	previous, wasApplied := existing.Object.GetAnnotations()[lastApplied]
	d.Data, err = strategicpatch.CreateThreeWayMergePatch([]byte(previous), body, current, crdPatchMeta, true)
	if err != nil {
		return existing, &UnsupportedError{err.Error()}
	}
	response := existing
	if string(d.Data) != "{}" {
		if response, err = c.cluster.Do(kubeapi.PatchCRD(name, d).By(crdManager(s))); err != nil {
			return response, err
		}
	}
	if !wasApplied {
		response.Warnings = append(response.Warnings, fmt.Sprintf("resource customresourcedefinitions/%s is missing the %s annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.", name, lastApplied))
	}
	return response, nil
}

// annotate adds the annotation of kubectl apply to an object.
func annotate(object *unstructured.Unstructured) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, lastApplied)
	object.SetAnnotations(annotations)
	plain, err := json.Marshal(object.Object)
	if err != nil {
		return
	}
	annotations[lastApplied] = string(plain) + "\n"
	object.SetAnnotations(annotations)
}

// crdManager returns the field manager of the request for the CRD.
func crdManager(s playground.Scenario) string {
	if s.CRDFieldManager != "" {
		return s.CRDFieldManager
	}
	operation := s.CRDOperation
	if operation == "" {
		operation = playground.OperationCreate
		if chooseCRD(s.OldCRD) != nil {
			operation = playground.OperationUpdate
		}
	}
	return playground.FieldManagers[operation]
}
