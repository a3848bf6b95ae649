//go:build !js

package engine_test

import (
	"cmp"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// A bareVersion serves the objects of a version with upstream's calls.
type bareVersion struct {
	kind      schema.GroupVersionKind
	schema    *structuralschema.Structural
	strategy  rest.RESTCreateStrategy
	convertor rest.TableConvertor
	storage   bool
}

// bareCRD decodes, validates and compiles a CRD with only the upstream calls that an
// API server makes before it can serve the objects.
func bareCRD(b *testing.B, text string) []bareVersion {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true})
	codec := versioning.NewCodec(nil, serializer, runtime.UnsafeObjectConvertor(scheme), scheme, scheme, scheme, nil, apiextensions.SchemeGroupVersion, "bench")
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	crd := &apiextensions.CustomResourceDefinition{}
	if _, _, err := codec.Decode([]byte(text), &kind, crd); err != nil {
		b.Fatal(err)
	}
	strategy := customresourcedefinition.NewStrategy(scheme)
	strategy.PrepareForCreate(b.Context(), crd)
	if errs := strategy.Validate(b.Context(), crd); len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(crd, v1, nil); err != nil {
		b.Fatal(err)
	}
	var versions []bareVersion
	for _, v := range v1.Spec.Versions {
		if v.Served || v.Storage {
			versions = append(versions, bareCompile(b, crd, v))
		}
	}
	return versions
}

func bareCompile(b *testing.B, crd *apiextensions.CustomResourceDefinition, v apiextensionsv1.CustomResourceDefinitionVersion) bareVersion {
	props, err := apiextensions.GetSchemaForVersion(crd, v.Name)
	if err != nil {
		b.Fatal(err)
	}
	validator, _, err := apiservervalidation.NewSchemaValidator(props.OpenAPIV3Schema)
	if err != nil {
		b.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(props.OpenAPIV3Schema)
	if err != nil {
		b.Fatal(err)
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		b.Fatal(err)
	}
	// The controller that sets the condition NonStructuralSchema.
	if errs := structuralschema.ValidateStructural(nil, structural); len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}
	var statusValidator apiservervalidation.SchemaValidator
	if status, ok := props.OpenAPIV3Schema.Properties["status"]; ok && v.Subresources != nil && v.Subresources.Status != nil {
		if statusValidator, _, err = apiservervalidation.NewSchemaValidator(&status); err != nil {
			b.Fatal(err)
		}
	}
	convertor, err := tableconvertor.New(v.AdditionalPrinterColumns)
	if err != nil {
		b.Fatal(err)
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
	namespaced := crd.Spec.Scope == apiextensions.NamespaceScoped
	strategy := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), namespaced, kind, validator, statusValidator, structural, nil, nil, nil)
	return bareVersion{kind, structural, strategy, convertor, v.Storage}
}

// bareObject creates an object and reads it at all versions, with only the upstream
// calls that an API server makes for these requests, without network and etcd.
func bareObject(b *testing.B, versions []bareVersion, text string) {
	content := map[string]any{}
	if err := utilyaml.Unmarshal([]byte(text), &content); err != nil {
		b.Fatal(err)
	}
	object := &unstructured.Unstructured{Object: content}
	var requested, storage bareVersion
	for _, v := range versions {
		if v.kind == object.GroupVersionKind() {
			requested = v
		}
		if v.storage {
			storage = v
		}
	}
	requested.coerce(b, object)
	defaulting.Default(object.Object, requested.schema)
	rest.WipeObjectMetaSystemFields(object)
	rest.FillObjectMetaSystemFields(object)
	namespace := ""
	if requested.strategy.NamespaceScoped() {
		namespace = cmp.Or(object.GetNamespace(), "default")
	}
	if err := rest.BeforeCreate(requested.strategy, genericapirequest.WithNamespace(b.Context(), namespace), object); err != nil {
		b.Fatal(err)
	}
	stored := storage.convert(b, object)
	stored.SetResourceVersion("1")
	persisted, err := utiljson.Marshal(stored.Object)
	if err != nil {
		b.Fatal(err)
	}
	bareRead(b, versions, storage, persisted)
}

// bareRead handles GET requests for the object and for a table at all versions.
func bareRead(b *testing.B, versions []bareVersion, storage bareVersion, persisted []byte) {
	read := &unstructured.Unstructured{Object: map[string]any{}}
	if err := utiljson.Unmarshal(persisted, &read.Object); err != nil {
		b.Fatal(err)
	}
	storage.coerce(b, read)
	defaulting.Default(read.Object, storage.schema)
	for _, v := range versions {
		converted := v.convert(b, read)
		if _, err := utiljson.Marshal(converted.Object); err != nil {
			b.Fatal(err)
		}
		if _, err := v.convertor.ConvertToTable(b.Context(), converted, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// convert converts an object to version v with the strategy None.
func (v bareVersion) convert(b *testing.B, object *unstructured.Unstructured) *unstructured.Unstructured {
	if object.GroupVersionKind() == v.kind {
		return object
	}
	converted := object.DeepCopy()
	converted.SetGroupVersionKind(v.kind)
	v.coerce(b, converted)
	return converted
}

// coerce prunes an object and coerces its metadata, as the API server does after
// decoding and conversion.
func (v bareVersion) coerce(b *testing.B, object *unstructured.Unstructured) {
	kind := object.GroupVersionKind()
	meta, found, err := objectmeta.GetObjectMeta(object.Object, false)
	if err != nil {
		b.Fatal(err)
	}
	pruning.Prune(object.Object, v.schema, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, v.schema)
	if err := objectmeta.Coerce(nil, object.Object, v.schema, false, false); err != nil {
		b.Fatal(err)
	}
	object.SetGroupVersionKind(kind)
	if !found {
		return
	}
	if err := objectmeta.SetObjectMeta(object.Object, meta); err != nil {
		b.Fatal(err)
	}
}
