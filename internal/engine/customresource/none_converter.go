package customresource

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdlab/crdlab/internal/engine/crd"
)

// A noneConverter implements the strategy None: it changes only apiVersion (crConverter
// and nopConverter in k8s.io/apiextensions-apiserver/pkg/apiserver/conversion).
type noneConverter struct {
	CRD *apiextensionsv1.CustomResourceDefinition
}

// ConvertToVersion implements runtime.ObjectConvertor.
func (c noneConverter) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	from := in.GetObjectKind().GroupVersionKind()
	to, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	switch {
	case !ok:
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", from.String(), target)
	case !c.has(to):
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", to.GroupVersion())
	case !c.has(from):
		return nil, fmt.Errorf("request to convert CR from an invalid group/version: %s", from.GroupVersion())
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(to.GroupVersion().WithKind(from.Kind))
	return out, nil
}

func (c noneConverter) has(kind schema.GroupVersionKind) bool {
	return kind.Group == c.CRD.Spec.Group && crd.VersionIndex(c.CRD, kind.Version) >= 0
}

// Convert implements runtime.ObjectConvertor.
func (c noneConverter) Convert(in, out, _ any) error {
	from, ok := in.(*unstructured.Unstructured)
	to, isUnstructured := out.(*unstructured.Unstructured)
	if !ok || !isUnstructured {
		return fmt.Errorf("cannot convert %T to %T", in, out)
	}
	converted, err := c.ConvertToVersion(from, to.GroupVersionKind().GroupVersion())
	if err != nil {
		return err
	}
	to.SetUnstructuredContent(converted.(*unstructured.Unstructured).UnstructuredContent())
	return nil
}

// ConvertFieldLabel implements runtime.ObjectConvertor.
func (noneConverter) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
