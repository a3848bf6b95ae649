// Package playground is the contract between the engine, the HTTP API, the
// WebAssembly module and the page: what is asked ([Scenario]) and what is
// answered ([Report]). It holds no logic and no Kubernetes types.
package playground

// Scenario is one question to the playground. All texts are YAML or JSON as
// the user typed them; nothing in them is trusted.
type Scenario struct {
	// Kubernetes is the minor release, from "1.25" to "1.37", whose CEL
	// environment and feature gates apply. Empty: the newest. All else is as
	// the newest release has it: an older one lacks its bug fixes and its
	// younger fields, too.
	Kubernetes string `json:"kubernetes,omitempty"`

	// CRD is the CustomResourceDefinition. It may hold several YAML documents;
	// the first CustomResourceDefinition among them counts.
	CRD string `json:"crd"`

	// OldCRD is the CRD that is in the cluster before; then CRD is applied as
	// its update.
	OldCRD string `json:"oldCrd,omitempty"`

	// Object is the custom resource. It may hold several YAML documents, each
	// of which is judged on its own. Empty: only the CRD is judged.
	Object string `json:"object,omitempty"`

	// OldObject are the objects in the cluster before, as stored: they need not
	// be valid. The one of Object's namespace and name is what is updated.
	OldObject string `json:"oldObject,omitempty"`

	// Conversion says how objects convert if the CRD's conversion strategy is
	// Webhook. Its documents stand for the webhook:
	//
	//   - kind: APIConversion, rules in the shape of kcp's type of that name:
	//     spec.conversions[] with from, to, rules[] (field, destination,
	//     transformation) and preserve[]. A transformation is a CEL expression
	//     on self, the value at field; field "." is the whole object.
	//   - kind: ConversionReview, an answer of the webhook. The one whose
	//     response.uid or converted objects fit a request answers it.
	Conversion string `json:"conversion,omitempty"`

	// Admission is what admits the requests for Object: documents as an
	// administrator creates them, in a cluster that has nothing else.
	//
	//   - ValidatingAdmissionPolicy and MutatingAdmissionPolicy, each with its
	//     …Binding: without a binding a policy does nothing.
	//   - The objects that a policy's paramKind names, of whatever kind.
	//   - Namespace: the labels and annotations of one. Namespaces that are
	//     named elsewhere exist without being here.
	//   - ValidatingWebhookConfiguration and MutatingWebhookConfiguration.
	//   - AdmissionReview: an answer of a webhook. metadata.name names the
	//     webhook (webhooks[].name); without it the answer is every webhook's.
	//     If the review has a request, then it answers only requests with the
	//     name, namespace, operation and uid that this gives. Of several that
	//     fit, each answers one call and the last one all further calls.
	//     response.uid may be left out; response.patch may be the list of
	//     operations instead of its base64.
	//
	// Scale requests are not shown to policies and webhooks.
	// The cluster has no roles: what a policy asks its authorizer is allowed to
	// the groups kubeadm:cluster-admins and system:masters, and to nobody else.
	Admission string `json:"admission,omitempty"`

	// User makes the requests, as `kubectl --as`; policies and webhooks are
	// told. Groups are the groups, separated by commas, in which User is beside
	// system:authenticated. Empty: kubernetes-admin, who is in
	// kubeadm:cluster-admins.
	User   string `json:"user,omitempty"`
	Groups string `json:"groups,omitempty"`

	// Operation is the request for Object: create, update, updateStatus, apply
	// (server-side), delete or scale; for the last two Object needs no more than
	// what names it. Empty: update if OldObject is set, else create.
	Operation string `json:"operation,omitempty"`

	// Replicas is what scale asks for, as in `kubectl scale --replicas`.
	Replicas int32 `json:"replicas,omitempty"`

	// FieldManager is who applies; empty: kubectl.
	FieldManager string `json:"fieldManager,omitempty"`
	// Force takes over the fields of other managers in conflicts of apply.
	Force bool `json:"force,omitempty"`

	// FieldValidation is the fieldValidation parameter of the requests for CRD
	// and Object: Strict (the default, as kubectl sends it), Warn or Ignore.
	FieldValidation string `json:"fieldValidation,omitempty"`

	// Schemas asks for what a cluster publishes of the CRD, in Report.Schemas.
	Schemas bool `json:"schemas,omitempty"`

	// Now is the RFC 3339 instant at which the request arrives; it is used for
	// creationTimestamp and ages. Empty: the real time.
	Now string `json:"now,omitempty"`
}

// Values of [Scenario.FieldValidation], as in the Kubernetes API.
const (
	FieldValidationStrict = "Strict"
	FieldValidationWarn   = "Warn"
	FieldValidationIgnore = "Ignore"
)

// Values of [Scenario.Operation].
const (
	OperationCreate       = "create"
	OperationUpdate       = "update"
	OperationUpdateStatus = "updateStatus"
	OperationApply        = "apply"
	OperationDelete       = "delete"
	OperationScale        = "scale"
)

// The Kubernetes releases, as minor versions of 1, that a scenario can choose.
// Validation rules are on by default since the oldest one.
const (
	OldestMinor = 25
	NewestMinor = 37
)

// Document names one text of a [Scenario], as its JSON field does.
type Document string

// The documents of a scenario.
const (
	DocumentCRD        Document = "crd"
	DocumentOldCRD     Document = "oldCrd"
	DocumentObject     Document = "object"
	DocumentOldObject  Document = "oldObject"
	DocumentConversion Document = "conversion"
	DocumentAdmission  Document = "admission"
)

// Text is the text of s that is the document; nil if there is no such document.
func (s *Scenario) Text(document Document) *string {
	switch document {
	case DocumentCRD:
		return &s.CRD
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

// InvalidScenarioError says that a parameter of a [Scenario], not one of its
// documents, is unusable.
type InvalidScenarioError struct {
	// Parameter is the JSON name of the field.
	Parameter string
	Message   string
}

func (e *InvalidScenarioError) Error() string { return e.Parameter + ": " + e.Message }
