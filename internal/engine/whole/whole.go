// Package whole assembles the engine with all its features.
package whole

import (
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/common"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/expect"
)

// New returns an engine that evaluates every scenario and sends no requests.
func New() *engine.Engine { return NewWithWebhooks(conversion.Webhooks{}) }

// NewWithWebhooks returns an engine that may call the permitted conversion webhooks
// if a scenario contains no rules or responses to replace them.
func NewWithWebhooks(live conversion.Webhooks) *engine.Engine {
	return engine.New(feature.Set{
		Admission: func(text string) (feature.Plugins, error) { return admission.New(text) },
		ConversionWebhook: func(request feature.ConversionRequest) (feature.ConversionWebhook, error) {
			return conversion.New(request, live)
		},
		ConversionFindings: conversion.Findings,
		ApplyTypes: func(crd *apiextensionsv1.CustomResourceDefinition) (feature.TypeConverter, error) {
			return openapi.ApplyTypes(crd)
		},
		FieldManager: newFieldManager,
		Schema:       openapi.Schema,
		Definitions:  definitions,
		PolicyTypes:  admission.VariableTypes,
		Test:         expect.Test,
		Export:       expect.Export,
	})
}

func definitions(reference common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	all := openapi.Definitions(reference)
	maps.Copy(all, manifest.Definitions(reference))
	return all
}

func newFieldManager(types feature.TypeConverter, convertor runtime.ObjectConvertor, defaulter runtime.ObjectDefaulter, creater runtime.ObjectCreater,
	kind schema.GroupVersionKind, hub schema.GroupVersion, subresource string, resetFields map[fieldpath.APIVersion]fieldpath.Filter) (feature.FieldManager, error) {
	return managedfields.NewDefaultCRDFieldManager(types, convertor, defaulter, creater, kind, hub, subresource, resetFields)
}
