package admission

import (
	"context"
	"errors"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Review passes a request to the admission plugins and records their decisions.
type Review struct {
	plugins *Plugins
	record  *record
	request ReviewedRequest
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
	// At is the range in the admission document, or zero.
	At playground.Range
	// IsMistake reports that the policy, its binding or the webhook's response failed, instead
	// of refusing the object.
	IsMistake bool
	// Fault is the cause of an error of an expression; nil if it is unknown.
	Fault *celrule.Fault
	// IgnoredMessage is the reason why the API server ignored messageExpression, or nil.
	IgnoredMessage *playground.Related
}

// Mutates reports whether there is a mutating plugin.
func (r *Review) Mutates() bool {
	return len(r.plugins.mutatingHooks) > 0 || r.plugins.mutatingPlugin != nil
}

// Validates reports whether there is a validating plugin.
func (r *Review) Validates() bool {
	return len(r.plugins.validatingHooks) > 0 || len(r.plugins.validatingPlugins) > 0
}

// Mutate runs the mutating plugins, which may change the object. types returns the types of a
// kind for apply configurations, or nil.
func (r *Review) Mutate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, types func(schema.GroupVersionKind) managedfields.TypeConverter) error {
	return r.plugins.admit(withRecord(ctx, r.record), &recordingAttributes{a, r.record}, o, typeConverters(types))
}

// Validate runs the validating plugins.
func (r *Review) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	return r.plugins.validate(withRecord(ctx, r.record), &recordingAttributes{a, r.record}, o)
}

// Mutations returns the changes to the object in their order.
func (r *Review) Mutations() []Mutation { return r.record.mutations }

// Refusal returns the error of a plugin in a reproducible form, and the denials that caused
// it, at least one.
func (r *Review) Refusal(err error) ([]Denial, error) {
	err = r.record.reproducibleError(err)
	status := upstream.APIStatus(err)
	isReported := func(d Denial) bool { return d.Message == status.Details.Causes[0].Message }
	hasCauses := status.Details != nil && len(status.Details.Causes) > 0
	if hasCauses && slices.ContainsFunc(r.record.denials, isReported) {
		return withCauses(r.record.denials, status.Details.Causes), err
	}
	denial := Denial{Message: status.Message, Reason: status.Reason}
	if hasCauses {
		denial.Message = status.Details.Causes[0].Message
		denial.Reason = metav1.StatusReason(status.Details.Causes[0].Type)
	}
	if at := r.record.failedAt; at != nil {
		denial.At, denial.IsMistake, denial.Fault = *at, !r.record.refused, r.record.fault
	}
	return []Denial{denial}, err
}

// withCauses returns denials with the reasons of the equal causes of a status.
func withCauses(denials []Denial, causes []metav1.StatusCause) []Denial {
	denials = slices.Clone(denials)
	for i, d := range denials {
		if at := slices.IndexFunc(causes, func(c metav1.StatusCause) bool { return c.Message == d.Message }); at >= 0 {
			denials[i].Reason = metav1.StatusReason(causes[at].Type)
		}
	}
	return denials
}

// explainMismatch returns the reason why the request does not match, or nil.
func (r *Review) explainMismatch(match *admissionregistrationv1.MatchResources) *playground.AdmissionMismatch {
	attributes, interfaces := r.request.Attributes()
	return r.plugins.explainMismatch(attributes, interfaces, match)
}

// typeConverters provides the converters with which policies merge apply
// configurations.
type typeConverters func(schema.GroupVersionKind) managedfields.TypeConverter

func (t typeConverters) GetTypeConverter(kind schema.GroupVersionKind) managedfields.TypeConverter {
	return t(kind)
}

func (typeConverters) Run(context.Context) {}

// reproducibleError returns an error of the plugins without random UIDs.
func (r *record) reproducibleError(err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return err
	}
	out := &apierrors.StatusError{ErrStatus: *status.ErrStatus.DeepCopy()}
	out.ErrStatus.Message = r.replaceUIDs(out.ErrStatus.Message)
	if out.ErrStatus.Details != nil {
		for i := range out.ErrStatus.Details.Causes {
			cause := &out.ErrStatus.Details.Causes[i]
			cause.Message = r.replaceUIDs(cause.Message)
		}
	}
	return out
}

// replaceUIDs replaces the random UIDs of requests in a message.
func (r *record) replaceUIDs(message string) string {
	for random, reproducible := range r.uids {
		message = strings.ReplaceAll(message, random, reproducible)
	}
	return message
}
