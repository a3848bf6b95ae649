package admission

import (
	"context"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/upstream"
)

// review is an [engine.Review].
type review struct {
	control *Control
	record  *Record
	request engine.ReviewedRequest
}

func (r *review) Mutates() bool {
	return len(r.control.mutatingHooks) > 0 || r.control.mutatingPlugin != nil
}

func (r *review) Validates() bool {
	return len(r.control.validatingHooks) > 0 || len(r.control.validatingPlugins) > 0
}

func (r *review) Mutate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, types func(schema.GroupVersionKind) engine.TypeConverter) error {
	return r.control.admit(withRecord(ctx, r.record), &recordedAttributes{a, r.record}, o, typeConverters(types))
}

func (r *review) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	return r.control.validate(withRecord(ctx, r.record), &recordedAttributes{a, r.record}, o)
}

func (r *review) Mutations() []engine.Mutation { return r.record.mutations }

func (r *review) Refusal(err error) (error, []engine.Denial) {
	err = r.record.admissionError(err)
	status := upstream.APIStatus(err)
	isReported := func(d engine.Denial) bool { return d.Message == status.Details.Causes[0].Message }
	hasCauses := status.Details != nil && len(status.Details.Causes) > 0
	if hasCauses && slices.ContainsFunc(r.record.denials, isReported) {
		return err, withCauses(r.record.denials, status.Details.Causes)
	}
	denial := engine.Denial{Message: status.Message, Reason: status.Reason}
	if hasCauses {
		denial.Message = status.Details.Causes[0].Message
		denial.Reason = metav1.StatusReason(status.Details.Causes[0].Type)
	}
	if at := r.record.failedAt; at != nil {
		denial.At = *at
	}
	return err, []engine.Denial{denial}
}

// withCauses gives denials the reasons that they have as causes of a status.
func withCauses(denials []engine.Denial, causes []metav1.StatusCause) []engine.Denial {
	denials = slices.Clone(denials)
	for i, d := range denials {
		if at := slices.IndexFunc(causes, func(c metav1.StatusCause) bool { return c.Message == d.Message }); at >= 0 {
			denials[i].Reason = metav1.StatusReason(causes[at].Type)
		}
	}
	return denials
}

// explainMismatch says why the request is not among those that match describes.
func (r *review) explainMismatch(match *admissionregistrationv1.MatchResources) string {
	attributes, interfaces := r.request.Attributes()
	return r.control.explainMismatch(attributes, interfaces, match)
}

// typeConverters are how policies merge apply configurations.
type typeConverters func(schema.GroupVersionKind) engine.TypeConverter

func (t typeConverters) GetTypeConverter(kind schema.GroupVersionKind) managedfields.TypeConverter {
	return t(kind)
}

func (typeConverters) Run(context.Context) {}
