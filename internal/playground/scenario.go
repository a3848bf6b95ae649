// Package playground defines the contract between the engine, the HTTP API, the
// WebAssembly module and the page. A [Scenario] is the request, a [Report] the
// response. The package contains no logic and no Kubernetes types.
package playground

import "context"

// Scenario is a request to evaluate a CRD and objects. All documents are
// untrusted YAML or JSON, exactly as typed by the user.
type Scenario struct {
	// Kubernetes is the minor release that judges the scenario, from "1.25" to
	// "1.37". Empty: the newest. The release's own libraries judge the scenario if
	// they are available, see Report.Kubernetes. Otherwise the release only selects
	// the CEL environment and the feature gates. All other behaviour is then the
	// newest release's, including bug fixes and fields that the selected release
	// lacks.
	Kubernetes string `json:"kubernetes,omitempty"`

	// CRD is the CustomResourceDefinition. It may hold several YAML documents. The
	// report is about one of their CustomResourceDefinitions, see CRDIndex, and has
	// the reports on the others. A CustomResourceDefinition whose name an earlier one
	// has is an update of it.
	CRD string `json:"crd"`

	// CRDIndex chooses one of several CustomResourceDefinitions in CRD, counted from
	// 0. An index after the last means the last. The objects of the report are those
	// of its kind. An object without a CRD belongs to the first CRD of its group, or
	// to the first CRD if there is no such CRD.
	CRDIndex int `json:"crdIndex,omitempty"`

	// Go is Go types with kubebuilder markers from which CRD was generated, see
	// [GenerateRequest]. The engine ignores it: the page keeps CRD current.
	Go string `json:"go,omitempty"`

	// OldCRD is the existing CRD in the cluster. If it is set, CRD is an update
	// of it.
	OldCRD string `json:"oldCrd,omitempty"`

	// CRDOperation is the request for CRD: create, update, apply (server-side) or
	// clientApply (kubectl apply without --server-side). Empty: update if OldCRD is set,
	// otherwise create.
	CRDOperation CRDOperation `json:"crdOperation,omitempty"`

	// CRDFieldManager is the field manager of the request for CRD. Empty: the one that
	// kubectl names.
	CRDFieldManager string `json:"crdFieldManager,omitempty"`

	// CRDForce resolves conflicts of an apply request for CRD by taking ownership of the
	// fields of other managers.
	CRDForce bool `json:"crdForce,omitempty"`

	// CRDStored requests the CRD as the API server stores it, see CRD.Stored.
	CRDStored bool `json:"crdStored,omitempty"`

	// VerdictOnly omits parts of the report on which neither verdicts nor findings depend: the owners
	// of fields, the sizes of large fields, and the oldest releases that accept a rule.
	VerdictOnly bool `json:"-"`

	// Object is the custom resource. If it contains several YAML documents, each
	// is evaluated separately. Empty: only the CRD is evaluated.
	Object string `json:"object,omitempty"`

	// OldObject contains the stored objects in the cluster, which may be invalid.
	// An update applies to the stored object with the namespace and name of
	// Object.
	OldObject string `json:"oldObject,omitempty"`

	// Conversion replaces the conversion webhook if the CRD's conversion strategy
	// is Webhook. It contains documents of two kinds:
	//
	//   - APIConversion: conversion rules in the format of kcp's APIConversion:
	//     spec.conversions[] with from, to, rules[] (field, destination,
	//     transformation) and preserve[]. A transformation is a CEL expression
	//     whose variable self is the value at field; field "." is the whole
	//     object.
	//   - ConversionReview: a response of the webhook. It is used for a request
	//     that matches its response.uid or its converted objects.
	Conversion string `json:"conversion,omitempty"`

	// Admission configures admission for the requests for Object. It contains
	// documents in the form in which an administrator creates them. The cluster
	// has no other admission configuration.
	//
	//   - ValidatingAdmissionPolicy and MutatingAdmissionPolicy, each with its
	//     …Binding. A policy without a binding has no effect.
	//   - Parameter objects of the kinds named by the paramKind of a policy.
	//   - Namespace: the labels and annotations of a namespace. Namespaces
	//     without such a document exist, too.
	//   - ValidatingWebhookConfiguration and MutatingWebhookConfiguration.
	//   - AdmissionReview: a response of a webhook. metadata.name is the name of
	//     the webhook (webhooks[].name); a review without a name applies to all
	//     webhooks. If the review has a request, it applies only to requests with
	//     the same name, namespace, operation and uid. Each matching review is
	//     used for one call, the last for all remaining calls. response.uid is
	//     optional; response.patch may be a list of operations instead of a
	//     base64 string.
	//
	// Policies and webhooks do not run for scale requests. The cluster has no
	// roles: the authorizer of policies allows everything to the groups
	// kubeadm:cluster-admins and system:masters, and nothing to other users.
	Admission string `json:"admission,omitempty"`

	// User is the name of the requesting user, as in `kubectl --as`; policies and
	// webhooks receive it. Groups lists the user's groups, separated by commas, in
	// addition to system:authenticated. Empty: kubernetes-admin in the group
	// kubeadm:cluster-admins.
	User   string `json:"user,omitempty"`
	Groups string `json:"groups,omitempty"`

	// Operation is the request for Object: create, update, updateStatus, apply
	// and applyStatus (server-side), delete or scale. For delete and scale, Object only needs to
	// identify the object. Empty: update if OldObject is set, otherwise create.
	Operation Operation `json:"operation,omitempty"`

	// Replicas is the number of replicas of a scale request, as in
	// `kubectl scale --replicas`.
	Replicas int32 `json:"replicas,omitempty"`

	// FieldManager is the field manager of the request. Empty: the manager that kubectl names,
	// which is kubectl-create, kubectl-replace, or kubectl for apply and scale.
	FieldManager string `json:"fieldManager,omitempty"`
	// Force resolves conflicts of an apply request by taking ownership of the
	// fields of other managers.
	Force bool `json:"force,omitempty"`

	// FieldValidation is the fieldValidation parameter of the requests for CRD
	// and Object: Strict (the default, as in kubectl), Warn or Ignore.
	FieldValidation FieldValidation `json:"fieldValidation,omitempty"`

	// CRDFile and ObjectFile are the paths of the files with CRD and Object in the output of kubectl.
	// Empty: crd.yaml and object.yaml.
	CRDFile    string `json:"-"`
	ObjectFile string `json:"-"`

	// Schemas requests the schemas that a cluster publishes for the CRD, see
	// Report.Schemas.
	Schemas bool `json:"schemas,omitempty"`

	// Releases requests the verdict of each release, see Report.Releases.
	Releases bool `json:"releases,omitempty"`

	// Now is the time of the request in RFC 3339 format. It determines
	// creationTimestamp and ages. Empty: the current time.
	Now string `json:"now,omitempty"`
}

// FieldValidation is the fieldValidation parameter of the Kubernetes API.
type FieldValidation = string

// Values of [FieldValidation].
const (
	FieldValidationStrict FieldValidation = "Strict"
	FieldValidationWarn   FieldValidation = "Warn"
	FieldValidationIgnore FieldValidation = "Ignore"
)

// Operation is the kind of a request for an object.
type Operation = string

// Values of [Operation].
const (
	OperationCreate       Operation = "create"
	OperationUpdate       Operation = "update"
	OperationUpdateStatus Operation = "updateStatus"
	OperationApply        Operation = "apply"
	OperationApplyStatus  Operation = "applyStatus"
	OperationDelete       Operation = "delete"
	OperationScale        Operation = "scale"
)

// IsApply reports whether a request for an object is a server-side apply.
func IsApply(o Operation) bool { return o == OperationApply || o == OperationApplyStatus }

// IsOfStatus reports whether a request for an object goes to /status.
func IsOfStatus(o Operation) bool { return o == OperationUpdateStatus || o == OperationApplyStatus }

// CRDOperation is the kind of a request for a CRD.
type CRDOperation = string

// Values of [CRDOperation]. Those of the same name have the meaning of [Operation].
const (
	CRDOperationCreate      CRDOperation = "create"
	CRDOperationUpdate      CRDOperation = "update"
	CRDOperationApply       CRDOperation = "apply"
	CRDOperationClientApply CRDOperation = "clientApply"
)

// The range of [Scenario.Kubernetes], as minor versions of Kubernetes 1. The
// oldest release is the first with validation rules enabled by default.
const (
	OldestMinor = 25
	NewestMinor = 37
)

// Document identifies a document of a [Scenario] by the name of its JSON field.
type Document string

// The documents of a [Scenario].
const (
	DocumentCRD        Document = "crd"
	DocumentGo         Document = "go"
	DocumentOldCRD     Document = "oldCrd"
	DocumentObject     Document = "object"
	DocumentOldObject  Document = "oldObject"
	DocumentConversion Document = "conversion"
	DocumentAdmission  Document = "admission"
)

// Text returns a pointer to the given document of s, or nil if the document is
// unknown.
func (s *Scenario) Text(document Document) *string {
	switch document {
	case DocumentCRD:
		return &s.CRD
	case DocumentGo:
		return &s.Go
	case DocumentOldCRD:
		return &s.OldCRD
	case DocumentObject:
		return &s.Object
	case DocumentOldObject:
		return &s.OldObject
	case DocumentConversion:
		return &s.Conversion
	case DocumentAdmission:
		return &s.Admission
	}
	return nil
}

// InvalidScenarioError reports an invalid parameter of a [Scenario]. Problems in
// its documents are findings, not errors.
type InvalidScenarioError struct {
	// Parameter is the JSON name of the field.
	Parameter string
	Message   string
}

func (e *InvalidScenarioError) Error() string { return e.Parameter + ": " + e.Message }

// FieldManagers maps operations to the field managers that kubectl names for its
// commands create, replace and apply --server-side. For scale, it names no manager, and the API
// server takes the name of the client.
var FieldManagers = map[Operation]string{
	OperationCreate:         "kubectl-create",
	OperationUpdate:         "kubectl-replace",
	OperationUpdateStatus:   "kubectl-replace",
	OperationApply:          "kubectl",
	OperationApplyStatus:    "kubectl",
	OperationScale:          "kubectl",
	CRDOperationClientApply: "kubectl-client-side-apply",
}

// Evaluate evaluates a scenario.
type Evaluate func(context.Context, Scenario) (Report, error)

// Assist responds to a request of an editor.
type Assist func(context.Context, AssistRequest) (AssistResponse, error)
