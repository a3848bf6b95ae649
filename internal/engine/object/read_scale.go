package object

import (
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// readScale returns the response to GET …/scale at a version. object and readErr are
// the object and the error of a read at the main endpoint of the version.
func readScale(v *crd.Version, resource schema.GroupResource, name string, object *unstructured.Unstructured, readErr error) playground.Scale {
	response := playground.Scale{Version: v.Kind.Version, Status: playground.Status{Code: http.StatusOK}, Scale: jsonvalue.Encode(nil)}
	var scale map[string]any
	hint, err := "", readErr
	switch {
	case v.Scale == nil:
		hint = fmt.Sprintf("Version %s does not enable subresources.scale.", v.Kind.Version)
		err = apierrors.NewNotFound(resource, name)
	case readErr == nil:
		scale, hint, err = customresource.GetScale(v, object)
	}
	if err != nil {
		response.Status, response.Hint, response.Cause = upstream.StatusOf(err), hint, errorCause(err)
		return response
	}
	response.Scale = jsonvalue.Encode(scale)
	return response
}
