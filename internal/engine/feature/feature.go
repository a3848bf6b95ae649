package feature

import (
	"context"
	"errors"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/kube-openapi/pkg/common"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/crdlab/crdlab/internal/playground"
)

// Set are what of an engine few scenarios need, and what brings in so much
// of the API server that the first verdict in a browser should not wait for it.
// An engine may lack any of them (nil); it then answers as far as it can, and
// [playground.Report] says what is missing. Package whole has all.
type Set struct {
	// Admission sets up the admission plugins that a text declares.
	Admission func(text string) (Plugins, error)
	// ConversionWebhook sets up what stands for the webhook of a CRD.
	ConversionWebhook func(ConversionRequest) (ConversionWebhook, error)
	// ConversionFindings are about a text that stands for the webhook of a CRD
	// that is not there.
	ConversionFindings func(text string) []playground.Finding
	// ApplyTypes are the types by which a server-side apply to a version merges.
	ApplyTypes func(crd *apiextensionsv1.CustomResourceDefinition, version string) (TypeConverter, error)
	// FieldManager makes what merges, as managedfields.NewDefaultCRDFieldManager.
	FieldManager func(types TypeConverter, convertor runtime.ObjectConvertor, defaulter runtime.ObjectDefaulter, creater runtime.ObjectCreater,
		kind schema.GroupVersionKind, hub schema.GroupVersion, subresource string, resetFields map[fieldpath.APIVersion]fieldpath.Filter) (FieldManager, error)
	// Schema is what a cluster publishes of a served version, less LostInV2.
	Schema func(crd *apiextensionsv1.CustomResourceDefinition, version string) (playground.Schema, error)
	// Definitions are the types that a cluster publishes beside CRDs, for who
	// writes one of them. Those of documents that may declare admission say so
	// with the extension x-kubernetes-group-version-kind.
	Definitions common.GetOpenAPIDefinitions
	// PolicyTypes are those of the variables request and namespaceObject of
	// admission policies, for who writes one.
	PolicyTypes func() (request, namespace *apiservercel.DeclType)
}

// Plugins are admission plugins. They are safe for concurrent use.
type Plugins interface {
	// Findings are about the text that declares them.
	Findings() []playground.Finding
	// TypeFindings are what the API server's type checker warns of if the CRD
	// serves versions.
	TypeFindings(crd *apiextensionsv1.CustomResourceDefinition, served []string) ([]playground.Finding, error)
	// Review begins the review of one request.
	Review() Review
}

// Review is what admission plugins do with one request. The plugins decide;
// the review notes what they did.
type Review interface {
	// Mutates and Validates say whether there is any plugin of the kind.
	Mutates() bool
	Validates() bool
	Mutate(context.Context, admission.Attributes, admission.ObjectInterfaces, func(schema.GroupVersionKind) TypeConverter) error
	Validate(context.Context, admission.Attributes, admission.ObjectInterfaces) error
	// Mutations are the changes made to the object, in order.
	Mutations() []Mutation
	// Refusal is the error of a plugin without what is random in it, and the
	// decisions behind it, at least one.
	Refusal(error) (error, []Denial)
	Report(ReviewedRequest) *playground.ObjectAdmission
}

// ReviewedRequest is what a review's report needs to know of the request.
type ReviewedRequest struct {
	Namespace string
	// Unreached says why a stage did not run; empty if it did.
	Unreached func(stage string) string
	// Attributes is called only if a stage ran.
	Attributes func() (admission.Attributes, admission.ObjectInterfaces)
}

// Mutation is a change of an object by a policy or a webhook.
type Mutation struct {
	By            string
	Before, After map[string]any
}

// Denial is a decision that denies a request.
type Denial struct {
	Message string
	Reason  metav1.StatusReason
	// At is its place in the admission text; zero if it has none.
	At playground.Range
}

// ConversionRequest is what a [ConversionWebhook] is made of.
type ConversionRequest struct {
	CRD *apiextensionsv1.CustomResourceDefinition
	// Schemas are those of the CRD's versions, by name.
	Schemas map[string]*structuralschema.Structural
	// Text is what stands for the webhook.
	Text string
	// Live says that the webhook itself may be called, if the operator lets it.
	Live bool
}

// ConversionWebhook stands for the conversion webhook of a CRD, which the API
// server's own converter asks. It serves one evaluation.
type ConversionWebhook interface {
	// Converter is the API server's converter. Its errors are as they come.
	Converter() runtime.ObjectConvertor
	// Convert converts an object in a stage of a request. Its error is
	// [ErrNoWebhook], or what the API server answers.
	Convert(stage string, object *unstructured.Unstructured, to schema.GroupVersion) (runtime.Object, error)
	// Findings are about the text that stands for the webhook.
	Findings() []playground.Finding
	// Reviews are the calls so far, each once.
	Reviews() []playground.ConversionReview
}

// TypeConverter is managedfields.TypeConverter, whose package brings in much
// more.
type TypeConverter interface {
	ObjectToTyped(runtime.Object, ...typed.ValidationOptions) (*typed.TypedValue, error)
	TypedToObject(*typed.TypedValue) (runtime.Object, error)
}

// FieldManager merges what is applied.
type FieldManager interface {
	Apply(live, applied runtime.Object, manager string, force bool) (runtime.Object, error)
}

// Missing lists the features that s needs and p lacks; byWebhook reports whether
// the CRD of s converts its objects by a webhook.
func (p Set) Missing(s playground.Scenario, byWebhook bool) []string {
	var parts []string
	for _, part := range []struct {
		name   string
		needed bool
	}{
		{playground.PartAdmission, p.Admission == nil && strings.TrimSpace(s.Admission) != ""},
		{playground.PartApply, p.ApplyTypes == nil && s.Operation == playground.OperationApply},
		{playground.PartConversion, p.ConversionWebhook == nil && byWebhook},
		{playground.PartSchemas, p.Schema == nil && s.Schemas},
	} {
		if part.needed {
			parts = append(parts, part.name)
		}
	}
	return parts
}

// Judges reports whether p has every feature that the verdict on the objects of s
// depends on.
func (p Set) Supports(s playground.Scenario) bool {
	return (p.Admission != nil || strings.TrimSpace(s.Admission) == "") && (p.ApplyTypes != nil || s.Operation != playground.OperationApply)
}

// ErrNoWebhook: only the CRD's conversion webhook could tell what an object is
// like at another version, and nothing stands for it.
var ErrNoWebhook = errors.New("the conversion webhook would be asked")
