package object

import (
	"fmt"
	"net/http"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// readScale answers GET …/scale at version v, whose endpoint reads the stored
// object as object, or fails with readErr. A CRD without any scale subresource
// gets no answer.
func (r *Request) readScale(v *crd.Version, object *unstructured.Unstructured, readErr error) {
	if !r.crd.HasScale() {
		return
	}
	answer := playground.Scale{Version: v.Kind.Version, Status: playground.Status{Code: http.StatusOK}, Scale: jsonvalue.Encode(nil)}
	scale, hint, err := r.getScale(v, object, readErr)
	if err != nil {
		answer.Status, answer.Hint, answer.Cause = upstream.StatusOf(err), hint, errorCause(err)
	} else {
		answer.Scale = jsonvalue.Encode(scale)
	}
	r.Report.Scale = append(r.Report.Scale, answer)
}

// getScale follows ScaleREST.Get of
// k8s.io/apiextensions-apiserver/pkg/registry/customresource, and what the
// handler of custom resources does before. The hint says what to do about an
// error, if anything.
func (r *Request) getScale(v *crd.Version, object *unstructured.Unstructured, readErr error) (scale map[string]any, hint string, err error) {
	if v.Scale == nil {
		hint = fmt.Sprintf("Version %s does not enable subresources.scale.", v.Kind.Version)
		return nil, hint, apierrors.NewNotFound(r.resource(), r.stored.GetName())
	}
	if readErr != nil {
		return nil, "", readErr
	}
	typed, found, err := scaleFrom(object, v.Scale)
	if err != nil {
		return nil, "", err
	}
	if !found {
		path := v.Scale.SpecReplicasPath
		hint = fmt.Sprintf("Only an object with %s can be scaled: set it, or give it a default, and one to the objects around it.", strings.TrimPrefix(path, "."))
		return nil, hint, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", path))
	}
	scale, err = runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	return scale, "", err
}

// scaleFrom makes the Scale of an object, and says whether its spec has the
// replicas (scaleFromCustomResource of the same package, not exported).
func scaleFrom(object *unstructured.Unstructured, paths *apiextensionsv1.CustomResourceSubresourceScale) (*autoscalingv1.Scale, bool, error) {
	content := object.UnstructuredContent()
	specReplicas, found, err := unstructured.NestedInt64(content, jsonvalue.SplitJSONPath(paths.SpecReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	statusReplicas, _, err := unstructured.NestedInt64(content, jsonvalue.SplitJSONPath(paths.StatusReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	selector := ""
	if path := ptr.Deref(paths.LabelSelectorPath, ""); path != "" {
		if selector, _, err = unstructured.NestedString(content, jsonvalue.SplitJSONPath(path)...); err != nil {
			return nil, false, err
		}
	}
	return &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: autoscalingv1.SchemeGroupVersion.String(), Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              object.GetName(),
			Namespace:         object.GetNamespace(),
			UID:               object.GetUID(),
			ResourceVersion:   object.GetResourceVersion(),
			CreationTimestamp: object.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(specReplicas)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(statusReplicas), Selector: selector},
	}, found, nil
}
