package livecluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// ServeCRD implements apiclient.Cluster.
func (c *Cluster) ServeCRD(object *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error) {
	c.crd = &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, c.crd); err != nil {
		return nil, err
	}
	crd, err := c.settled(c.crd.UID, c.crd.ResourceVersion)
	if err != nil || !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
		return crd, err
	}
	// In the first two seconds after a CRD is established, the handler delays
	// creations until other servers know the CRD. Here is no other server.
	patched, err := c.backdate(crd)
	if err != nil {
		return nil, err
	}
	return crd, await(func() bool {
		known, err := c.CRD(crd.Name)
		return err == nil && revision(known.ResourceVersion) >= revision(patched)
	})
}

// settled waits until the handlers know a revision of the CRD that the controllers
// will not change, and returns it.
func (c *Cluster) settled(uid types.UID, resourceVersion string) (crd *apiextensionsv1.CustomResourceDefinition, err error) {
	err = await(func() bool {
		known, err := c.CRD(c.crd.Name)
		if err != nil || known.UID != uid || revision(known.ResourceVersion) < revision(resourceVersion) {
			return false
		}
		crd = known
		return isSettled(crd)
	})
	if err != nil {
		return nil, fmt.Errorf("%w: conditions %v", err, crd)
	}
	return crd, nil
}

// isSettled reports whether the controllers have set all conditions and names.
func isSettled(crd *apiextensionsv1.CustomResourceDefinition) bool {
	if apihelpers.IsProtectedCommunityGroup(crd.Spec.Group) && apihelpers.FindCRDCondition(crd, apiextensionsv1.KubernetesAPIApprovalPolicyConformant) == nil {
		return false
	}
	nonStructural := apiextensionsv1.ConditionFalse
	if condition := apihelpers.FindCRDCondition(crd, apiextensionsv1.NonStructuralSchema); condition != nil {
		nonStructural = condition.Status
	}
	if nonStructural != statusOfNonStructural(crd) {
		return false
	}
	established := apihelpers.FindCRDCondition(crd, apiextensionsv1.Established)
	switch {
	case apihelpers.IsCRDConditionFalse(crd, apiextensionsv1.NamesAccepted):
		return true
	case established != nil && established.Reason == "InvalidCABundle":
		return true
	}
	return apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) && apiequality.Semantic.DeepEqual(crd.Spec.Names, crd.Status.AcceptedNames)
}

// statusOfNonStructural returns the final status of the condition
// NonStructuralSchema (calculateCondition in
// k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema).
func statusOfNonStructural(crd *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.ConditionStatus {
	status := apiextensionsv1.ConditionFalse
	if crd.Spec.PreserveUnknownFields {
		status = apiextensionsv1.ConditionTrue
	}
	for _, v := range crd.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		internal := &apiextensions.JSONSchemaProps{}
		if apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, internal, nil) != nil {
			continue
		}
		schema, err := structuralschema.NewStructural(internal)
		if err != nil {
			return apiextensionsv1.ConditionUnknown
		}
		if len(structuralschema.ValidateStructural(nil, schema)) > 0 {
			status = apiextensionsv1.ConditionTrue
		}
	}
	return status
}

// backdate moves the time at which the CRD was established into the past, and
// returns the new resourceVersion.
func (c *Cluster) backdate(crd *apiextensionsv1.CustomResourceDefinition) (string, error) {
	i := slices.IndexFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established
	})
	patch, err := json.Marshal([]map[string]string{
		{"op": "replace", "path": fmt.Sprintf("/status/conditions/%d/lastTransitionTime", i), "value": "2000-01-01T00:00:00Z"},
	})
	if err != nil {
		return "", err
	}
	response, err := c.Do(kubeapi.Request{
		Method: http.MethodPatch, Path: kubeapi.CRDPath + "/" + crd.Name + "/status",
		ContentType: "application/json-patch+json", Body: patch,
	})
	if err != nil {
		return "", err
	}
	if response.Object == nil {
		return "", fmt.Errorf("set the time of a condition: %+v", response.Status)
	}
	return response.Object.GetResourceVersion(), nil
}
