package admission

import (
	"reflect"
	"regexp"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Definitions are the types that an admission text may declare, as the API server
// publishes them, with upstream's descriptions; those of metav1 are only referred
// to. No library has them, so they are made from the Go types. The types of
// documents have the extension x-kubernetes-group-version-kind.
func Definitions(reference common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	b := definitionBuilder{
		reference: reference, docs: documentation(), values: acceptedValues(), defaults: fieldDefaults(),
		schemas: map[string]*spec.Schema{},
	}
	for _, kind := range []struct {
		of             reflect.Type
		group, version string
	}{
		{reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicy](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyBinding](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicy](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicyBinding](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.ValidatingWebhookConfiguration](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.MutatingWebhookConfiguration](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionv1.AdmissionReview](), admissionv1.GroupName, "v1"},
		{reflect.TypeFor[corev1.Namespace](), corev1.GroupName, "v1"},
		{reflect.TypeFor[corev1.ConfigMap](), corev1.GroupName, "v1"},
		{reflect.TypeFor[corev1.Secret](), corev1.GroupName, "v1"},
	} {
		b.define(kind.of).AddExtension("x-kubernetes-group-version-kind", []any{
			map[string]any{"group": kind.group, "version": kind.version, "kind": kind.of.Name()},
		})
	}
	b.adaptReview()
	definitions := map[string]common.OpenAPIDefinition{}
	for name, schema := range b.schemas {
		definitions[name] = common.OpenAPIDefinition{Schema: *schema}
	}
	return definitions
}

// documentation is upstream's, by type. It is asked for type by type: to ask any
// type for it links that of all of them.
func documentation() map[reflect.Type]map[string]string {
	return map[reflect.Type]map[string]string{
		reflect.TypeFor[metav1.TypeMeta]():                                              metav1.TypeMeta{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicy]():            admissionregistrationv1.ValidatingAdmissionPolicy{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicySpec]():        admissionregistrationv1.ValidatingAdmissionPolicySpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyStatus]():      admissionregistrationv1.ValidatingAdmissionPolicyStatus{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.TypeChecking]():                         admissionregistrationv1.TypeChecking{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ExpressionWarning]():                    admissionregistrationv1.ExpressionWarning{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ParamKind]():                            admissionregistrationv1.ParamKind{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MatchResources]():                       admissionregistrationv1.MatchResources{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.NamedRuleWithOperations]():              admissionregistrationv1.NamedRuleWithOperations{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.RuleWithOperations]():                   admissionregistrationv1.RuleWithOperations{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Rule]():                                 admissionregistrationv1.Rule{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Validation]():                           admissionregistrationv1.Validation{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.AuditAnnotation]():                      admissionregistrationv1.AuditAnnotation{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MatchCondition]():                       admissionregistrationv1.MatchCondition{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Variable]():                             admissionregistrationv1.Variable{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyBinding]():     admissionregistrationv1.ValidatingAdmissionPolicyBinding{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec](): admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ParamRef]():                             admissionregistrationv1.ParamRef{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicy]():              admissionregistrationv1.MutatingAdmissionPolicy{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicySpec]():          admissionregistrationv1.MutatingAdmissionPolicySpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Mutation]():                             admissionregistrationv1.Mutation{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ApplyConfiguration]():                   admissionregistrationv1.ApplyConfiguration{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.JSONPatch]():                            admissionregistrationv1.JSONPatch{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicyBinding]():       admissionregistrationv1.MutatingAdmissionPolicyBinding{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicyBindingSpec]():   admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingWebhookConfiguration]():       admissionregistrationv1.ValidatingWebhookConfiguration{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingWebhook]():                    admissionregistrationv1.ValidatingWebhook{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingWebhookConfiguration]():         admissionregistrationv1.MutatingWebhookConfiguration{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingWebhook]():                      admissionregistrationv1.MutatingWebhook{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.WebhookClientConfig]():                  admissionregistrationv1.WebhookClientConfig{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ServiceReference]():                     admissionregistrationv1.ServiceReference{}.SwaggerDoc(),
		reflect.TypeFor[admissionv1.AdmissionReview]():                                  admissionv1.AdmissionReview{}.SwaggerDoc(),
		reflect.TypeFor[admissionv1.AdmissionRequest]():                                 admissionv1.AdmissionRequest{}.SwaggerDoc(),
		reflect.TypeFor[admissionv1.AdmissionResponse]():                                admissionv1.AdmissionResponse{}.SwaggerDoc(),
		reflect.TypeFor[corev1.Namespace]():                                             corev1.Namespace{}.SwaggerDoc(),
		reflect.TypeFor[corev1.NamespaceSpec]():                                         corev1.NamespaceSpec{}.SwaggerDoc(),
		reflect.TypeFor[corev1.ConfigMap]():                                             corev1.ConfigMap{}.SwaggerDoc(),
		reflect.TypeFor[corev1.Secret]():                                                corev1.Secret{}.SwaggerDoc(),
	}
}

// acceptedValues are those of the types that have few.
func acceptedValues() map[reflect.Type][]any {
	accepted := map[reflect.Type][]any{}
	addAccepted(accepted, failurePolicies)
	addAccepted(accepted, matchPolicies)
	addAccepted(accepted, scopes)
	addAccepted(accepted, operations)
	addAccepted(accepted, validationReasons)
	addAccepted(accepted, validationActions)
	addAccepted(accepted, patchTypes)
	addAccepted(accepted, reinvocationPolicies)
	addAccepted(accepted, parameterNotFoundActions)
	addAccepted(accepted, sideEffects)
	addAccepted(accepted, requestOperations)
	addAccepted(accepted, responsePatchTypes)
	return accepted
}

func addAccepted[T ~string](accepted map[reflect.Type][]any, values []T) {
	for _, value := range values {
		accepted[reflect.TypeFor[T]()] = append(accepted[reflect.TypeFor[T]()], string(value))
	}
}

// goField is a field of a Go type by its name in JSON.
type goField struct {
	of   reflect.Type
	name string
}

// fieldDefaults are the scalars that defaulting sets.
func fieldDefaults() map[goField]any {
	rules := []admissionregistrationv1.NamedRuleWithOperations{{}}
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{}
	policy.Spec.MatchConstraints = &admissionregistrationv1.MatchResources{ResourceRules: rules}
	defaultMutatingPolicy(policy)
	validating := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	defaultValidatingPolicy(validating)
	hooks := &admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{{
		Rules: []admissionregistrationv1.RuleWithOperations{{}},
	}}}
	webhookDefaultsV1.mutating(hooks)
	validatingHooks := &admissionregistrationv1.ValidatingWebhookConfiguration{Webhooks: []admissionregistrationv1.ValidatingWebhook{{}}}
	webhookDefaultsV1.validating(validatingHooks)
	defaults := map[goField]any{}
	for _, defaulted := range []any{policy.Spec, validating.Spec, hooks.Webhooks[0], validatingHooks.Webhooks[0]} {
		collectScalars(reflect.ValueOf(defaulted), defaults)
	}
	return defaults
}

// collectScalars notes the scalars that pointers in a struct point to.
func collectScalars(v reflect.Value, into map[goField]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		value := reflect.Indirect(v.Field(i))
		if value.Kind() == reflect.Slice && value.Len() > 0 {
			value = value.Index(0)
		}
		switch {
		case value.Kind() == reflect.Struct:
			collectScalars(value, into)
		case f.Type.Kind() != reflect.Pointer || !value.IsValid():
		case value.Kind() == reflect.String:
			into[goField{v.Type(), jsonName(f)}] = value.String()
		case value.CanInt():
			into[goField{v.Type(), jsonName(f)}] = value.Int()
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

type definitionBuilder struct {
	reference common.ReferenceCallback
	docs      map[reflect.Type]map[string]string
	values    map[reflect.Type][]any
	defaults  map[goField]any
	schemas   map[string]*spec.Schema
}

// modelName is what upstream calls a type in its documents.
func modelName(t reflect.Type) string {
	return "io.k8s." + strings.ReplaceAll(strings.TrimPrefix(t.PkgPath(), "k8s.io/"), "/", ".") + "." + t.Name()
}

// define makes the definition of a documented struct, and those of the types
// that it refers to.
func (b *definitionBuilder) define(t reflect.Type) *spec.Schema {
	name := modelName(t)
	if known, ok := b.schemas[name]; ok {
		return known
	}
	schema := object(b.docs[t][""], map[string]spec.Schema{})
	b.schemas[name] = &schema
	b.addFields(&schema, t)
	return &schema
}

// isMarkedRequired finds the mark of fields that are required though their types
// let them be left out.
var isMarkedRequired = regexp.MustCompile(`\bRequired\b`).MatchString

// addFields adds the fields of a struct and of those that are embedded in it.
func (b *definitionBuilder) addFields(schema *spec.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := jsonName(f)
		if name == "" {
			b.addFields(schema, f.Type)
			continue
		}
		property := b.schemaOf(f.Type)
		property.Default = b.defaults[goField{t, name}]
		if doc := b.docs[t][name]; doc != "" {
			property.Description = doc
		}
		schema.Properties[name] = property
		isOptional := strings.HasSuffix(f.Tag.Get("json"), ",omitempty") && !isMarkedRequired(property.Description)
		if !isOptional || b.hasRequired(f.Type) {
			schema.Required = append(schema.Required, name)
		}
	}
}

// hasRequired says whether a struct that is always there has required fields.
func (b *definitionBuilder) hasRequired(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && b.docs[t] != nil && len(b.define(t).Required) > 0
}

func (b *definitionBuilder) schemaOf(t reflect.Type) spec.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return b.schemaOf(t.Elem())
	case reflect.Struct:
		if b.docs[t] != nil {
			b.define(t)
		}
		return spec.Schema{SchemaProps: spec.SchemaProps{Ref: b.reference(modelName(t))}}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return *spec.StrFmtProperty("byte")
		}
		items := b.schemaOf(t.Elem())
		return *spec.ArrayProperty(&items)
	case reflect.Map:
		values := b.schemaOf(t.Elem())
		return *spec.MapProperty(&values)
	case reflect.Bool:
		return *spec.BooleanProperty()
	case reflect.Int32:
		return *spec.Int32Property()
	case reflect.Int64:
		return *spec.Int64Property()
	}
	text := spec.StringProperty()
	text.Enum = b.values[t]
	return *text
}

// adaptReview makes of the type of an AdmissionReview what such a document is in
// an admission text: the answer of a webhook, which may name the webhook and what
// the request has to be.
func (b *definitionBuilder) adaptReview() {
	review := b.define(reflect.TypeFor[admissionv1.AdmissionReview]())
	review.Properties["metadata"] = object("Says which webhook answers this. Not in the API: the webhook's own address says so.", map[string]spec.Schema{
		"name": described(spec.StringProperty(), "The name of the webhook; without it every webhook answers this."),
	})
	request := b.define(reflect.TypeFor[admissionv1.AdmissionRequest]())
	asked := map[string]spec.Schema{}
	for _, name := range []string{"name", "namespace", "operation", "uid"} {
		asked[name] = request.Properties[name]
	}
	review.Properties["request"] = object("What the request has to be for this to be the answer; without it, any.", asked)
	response := b.define(reflect.TypeFor[admissionv1.AdmissionResponse]())
	patch := response.Properties["patch"]
	patch.Description += " Here it may also be the list itself."
	patch.Type = spec.StringOrArray{"array", "string"}
	operation := object("", map[string]spec.Schema{
		"op":    {SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"string"}, Enum: []any{"add", "remove", "replace", "move", "copy", "test"}}},
		"path":  described(spec.StringProperty(), "A JSON Pointer, such as /spec/replicas."),
		"from":  described(spec.StringProperty(), "What move and copy take."),
		"value": described(&spec.Schema{}, "What add, replace and test take."),
	})
	operation.Required = []string{"op", "path"}
	patch.Items = &spec.SchemaOrArray{Schema: &operation}
	patch.Format = ""
	response.Properties["patch"] = patch
	response.Properties["uid"] = described(spec.StringProperty(), response.Properties["uid"].Description+" Here it may be left out.")
	response.Required = []string{"allowed"}
}

func object(description string, properties map[string]spec.Schema) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Description: description, Properties: properties}}
}

func described(schema *spec.Schema, description string) spec.Schema {
	schema.Description = description
	return *schema
}
