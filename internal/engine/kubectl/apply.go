package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// LastApplied is the annotation in which kubectl apply stores the document.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// EmptyPatch is the patch of an object that has not changed. kubectl does not send it.
const EmptyPatch = "{}"

// WithLastApplied returns an object as JSON with the annotation [LastApplied]. It follows
// GetModifiedConfiguration of k8s.io/kubectl/pkg/util.
func WithLastApplied(fields map[string]any) ([]byte, error) {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(fields)}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, LastApplied)
	object.SetAnnotations(annotations)
	plain, err := json.Marshal(object.Object)
	if err != nil {
		return nil, fmt.Errorf("encode the object: %w", err)
	}
	annotations[LastApplied] = string(plain) + "\n"
	object.SetAnnotations(annotations)
	return json.Marshal(object.Object)
}

// ApplyPatch returns the patch that kubectl apply sends for a kind of the API server whose Go
// type comes from schema: the differences between the stored object and the sent one, and the
// removal of what only the last applied configuration has. Its type is a JSON merge patch if no
// strategic merge patch can be computed. It follows patchSimple of k8s.io/kubectl/pkg/cmd/apply.
func ApplyPatch(lastApplied, sent, current []byte, schema runtime.Object) ([]byte, types.PatchType, error) {
	same := []mergepatch.PreconditionFunc{
		mergepatch.RequireKeyUnchanged("apiVersion"), mergepatch.RequireKeyUnchanged("kind"), mergepatch.RequireMetadataKeyUnchanged("name"),
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(schema)
	if err != nil {
		return nil, "", err
	}
	if patch, err := strategicpatch.CreateThreeWayMergePatch(lastApplied, sent, current, meta, true, same...); err == nil {
		return patch, types.StrategicMergePatchType, nil
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(lastApplied, sent, current, same...)
	if mergepatch.IsPreconditionFailed(err) {
		err = errors.New("At least one of apiVersion, kind and name was changed") //nolint:staticcheck // kubectl's words
	}
	if err != nil {
		return nil, "", apierrors.NewBadRequest(err.Error())
	}
	return patch, types.MergePatchType, nil
}

// MergePatch applies a merge patch as the API server does.
func MergePatch(current, patch []byte) ([]byte, error) {
	merged, err := jsonpatch.MergePatch(current, patch)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return merged, nil
}

// NoLastApplied returns kubectl's warning about an existing object that was not applied before.
// resource is the resource and the name, separated by a slash.
func NoLastApplied(resource string) string {
	return fmt.Sprintf("resource %s is missing the %s annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.", resource, LastApplied)
}

// FormatUnchanged returns the output for an object that kubectl apply need not change.
func FormatUnchanged(kind, group, name string, warnings []string) string {
	return FormatWarnings(warnings) + fmt.Sprintf("%s/%s unchanged", ResourceName(kind, group), name)
}

// FormatPatchError returns the output for a patch of kubectl apply that the API server
// rejected. target describes the object in kubectl's words.
func FormatPatchError(err error, patch, target, file string, warnings []string) string {
	return formatStatus(err, patching(patch, target, file), warnings)
}

// FormatNoPatch returns the output for a last applied configuration that is not JSON, with
// which kubectl apply cannot compute a patch from any schema.
func FormatNoPatch(err error, lastApplied string, sent, current []byte, target, file string, warnings []string) string {
	const warning = "warning: error calculating patch from %s spec: %v\n"
	return FormatWarnings(warnings) + fmt.Sprintf(warning, "openapi v3", mergepatch.ErrBadJSONDoc) + fmt.Sprintf(warning, "openapi", mergepatch.ErrBadJSONDoc) +
		"error: " + patching("", target, file) +
		fmt.Sprintf("creating patch with:\noriginal:\n%s\nmodified:\n%s\n\ncurrent:\n%s\n\nfor: %v", lastApplied, sent, current, err)
}

// patching describes a patch in front of an error about it.
func patching(patch, target, file string) string {
	return fmt.Sprintf("error when applying patch:\n%s\nto:\n%s\nfor: %q: error when patching %q: ", patch, target, file, file)
}
