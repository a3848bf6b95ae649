// Package feature declares the optional features of the engine. The packages that
// implement them import this package, and the engine calls them through its types.
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
	"github.com/crdlab/crdlab/internal/source"
)

// A Set holds optional features. Few scenarios need them, and they import so much of
// the API server that the first evaluation in a browser should not wait for them. A
// feature is nil if the engine lacks it. The engine then evaluates the other parts of
// a scenario, and [playground.Report] lists the missing features. Package whole has
// all features.
type Set struct {
	// Admission creates the admission plugins that a document declares.
	Admission func(document string) (Plugins, error)
	// ConversionWebhook creates the replacement of a CRD's conversion webhook.
	ConversionWebhook func(ConversionRequest) (ConversionWebhook, error)
	// ConversionFindings returns findings about the conversion document of a scenario
	// without a usable CRD.
	ConversionFindings func(document string) []playground.Finding
	// ApplyTypes returns the types for server-side apply, of all versions.
	ApplyTypes func(crd *apiextensionsv1.CustomResourceDefinition) (TypeConverter, error)
	// FieldManager is managedfields.NewDefaultCRDFieldManager.
	FieldManager func(types TypeConverter, convertor runtime.ObjectConvertor, defaulter runtime.ObjectDefaulter, creater runtime.ObjectCreater,
		kind schema.GroupVersionKind, hub schema.GroupVersion, subresource string, resetFields map[fieldpath.APIVersion]fieldpath.Filter) (FieldManager, error)
	// Schema returns the OpenAPI schemas that a cluster publishes for a served version,
	// without LostInV2.
	Schema func(crd *apiextensionsv1.CustomResourceDefinition, version string) (playground.Schema, error)
	// Definitions returns the OpenAPI definitions of Kubernetes types, for completion and
	// hover. The kinds of admission documents have the extension
	// x-kubernetes-group-version-kind.
	Definitions common.GetOpenAPIDefinitions
	// PolicyTypes returns the CEL types of the variables request and namespaceObject in
	// admission policies.
	PolicyTypes func() (request, namespace *apiservercel.DeclType)
	// Test compares the findings in a scenario with the expectations in its comments.
	Test func(context.Context, Evaluate, CannotFail, playground.Scenario) (*playground.TestResult, error)
	// Export returns scenarios as one test file, see [playground.ExportRequest].
	Export func(context.Context, Evaluate, []playground.Scenario) (*playground.TestFile, error)
}

// Evaluate evaluates a scenario with one CRD. It is safe for concurrent use.
type Evaluate = func(context.Context, playground.Scenario) (playground.Report, error)

// CannotFail returns the IDs of the rules in a scenario's CRD that cannot fail.
type CannotFail = func(context.Context, playground.Scenario) (map[string]bool, error)

// Plugins are admission plugins. They are safe for concurrent use.
type Plugins interface {
	// File returns the parsed documents that declare the plugins.
	File() *source.File
	// Findings returns the findings about these documents.
	Findings() []playground.Finding
	// TypeFindings returns the warnings of the API server's type checker about the
	// served versions of a CRD.
	TypeFindings(crd *apiextensionsv1.CustomResourceDefinition, served []string) ([]playground.Finding, error)
	// Review starts the review of a request.
	Review() Review
}

// A Review passes a request to the admission plugins and records their decisions.
type Review interface {
	// Mutates and Validates report whether there is a plugin of this type.
	Mutates() bool
	Validates() bool
	// Mutate runs the mutating plugins, which may change the object. The function
	// returns the types of a kind for apply configurations, or nil.
	Mutate(context.Context, admission.Attributes, admission.ObjectInterfaces, func(schema.GroupVersionKind) TypeConverter) error
	// Validate runs the validating plugins.
	Validate(context.Context, admission.Attributes, admission.ObjectInterfaces) error
	// Mutations returns the changes to the object in their order.
	Mutations() []Mutation
	// Refusal returns the error of a plugin in a reproducible form, and the denials that
	// caused it, at least one.
	Refusal(error) ([]Denial, error)
	// Report returns the recorded decisions.
	Report(ReviewedRequest) *playground.ObjectAdmission
}

// A ReviewedRequest describes a request for the report of its review.
type ReviewedRequest struct {
	Namespace string
	// Unreached returns the reason for which a stage was skipped, or an empty string.
	Unreached func(stage string) string
	// Attributes must be called only if a stage ran.
	Attributes func() (admission.Attributes, admission.ObjectInterfaces)
}

// A Mutation is a change to an object by a policy or a webhook.
type Mutation struct {
	By            string
	Before, After map[string]any
}

// A Denial is a decision to reject a request.
type Denial struct {
	Message string
	Reason  metav1.StatusReason
	// At is the range in the admission document, or zero if there is none.
	At playground.Range
}

// A ConversionRequest holds the parameters of a [ConversionWebhook].
type ConversionRequest struct {
	CRD *apiextensionsv1.CustomResourceDefinition
	// Schemas holds the structural schemas of the CRD by version.
	Schemas map[string]*structuralschema.Structural
	// Text is the conversion document, which replaces the webhook.
	Text string
	// Live permits calls of the real webhook, unless the operator disables them.
	Live bool
}

// A ConversionWebhook replaces the conversion webhook of a CRD for one evaluation. The
// API server's own converter calls it.
type ConversionWebhook interface {
	// Converter returns the API server's converter, with its original errors.
	Converter() runtime.ObjectConvertor
	// Convert converts an object in a stage of a request. The error is [ErrNoWebhook] or
	// the API server's response.
	Convert(stage string, object *unstructured.Unstructured, to schema.GroupVersion) (runtime.Object, error)
	// Findings returns the findings about the conversion document.
	Findings() []playground.Finding
	// Reviews returns the previous calls without duplicates.
	Reviews() []playground.ConversionReview
}

// A TypeConverter is a managedfields.TypeConverter. Importing package managedfields
// would enlarge the WebAssembly module.
type TypeConverter interface {
	ObjectToTyped(runtime.Object, ...typed.ValidationOptions) (*typed.TypedValue, error)
	TypedToObject(*typed.TypedValue) (runtime.Object, error)
}

// A FieldManager merges applied configurations.
type FieldManager interface {
	Apply(live, applied runtime.Object, manager string, force bool) (runtime.Object, error)
}

// Missing returns the names of the features that a scenario needs and f lacks.
// byWebhook reports whether a webhook converts the objects of the CRD.
func (f Set) Missing(s playground.Scenario, byWebhook bool) []string {
	var missing []string
	for _, feature := range []struct {
		name      string
		isMissing bool
	}{
		{playground.PartAdmission, f.Admission == nil && strings.TrimSpace(s.Admission) != ""},
		{playground.PartApply, f.ApplyTypes == nil && s.Operation == playground.OperationApply},
		{playground.PartConversion, f.ConversionWebhook == nil && byWebhook},
		{playground.PartSchemas, f.Schema == nil && s.Schemas},
	} {
		if feature.isMissing {
			missing = append(missing, feature.name)
		}
	}
	return missing
}

// Supports reports whether f has the features that decide whether the objects of a
// scenario are accepted.
func (f Set) Supports(s playground.Scenario) bool {
	return (f.Admission != nil || strings.TrimSpace(s.Admission) == "") && (f.ApplyTypes != nil || s.Operation != playground.OperationApply)
}

// ErrNoWebhook reports that converting an object requires the CRD's conversion webhook,
// which the scenario does not replace.
var ErrNoWebhook = errors.New("the conversion webhook has no response in the scenario")
