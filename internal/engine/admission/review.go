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

	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/upstream"
)

// A review is an [feature.Review].
type review struct {
	plugins *Plugins
	record  *record
	request feature.ReviewedRequest
}

func (r *review) Mutates() bool {
	return len(r.plugins.mutatingHooks) > 0 || r.plugins.mutatingPlugin != nil
}

func (r *review) Validates() bool {
	return len(r.plugins.validatingHooks) > 0 || len(r.plugins.validatingPlugins) > 0
}

func (r *review) Mutate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, types func(schema.GroupVersionKind) feature.TypeConverter) error {
	return r.plugins.admit(withRecord(ctx, r.record), &recordingAttributes{a, r.record}, o, typeConverters(types))
}

func (r *review) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	return r.plugins.validate(withRecord(ctx, r.record), &recordingAttributes{a, r.record}, o)
}

func (r *review) Mutations() []feature.Mutation { return r.record.mutations }

func (r *review) Refusal(err error) ([]feature.Denial, error) {
	err = r.record.reproducibleError(err)
	status := upstream.APIStatus(err)
	isReported := func(d feature.Denial) bool { return d.Message == status.Details.Causes[0].Message }
	hasCauses := status.Details != nil && len(status.Details.Causes) > 0
	if hasCauses && slices.ContainsFunc(r.record.denials, isReported) {
		return withCauses(r.record.denials, status.Details.Causes), err
	}
	denial := feature.Denial{Message: status.Message, Reason: status.Reason}
	if hasCauses {
		denial.Message = status.Details.Causes[0].Message
		denial.Reason = metav1.StatusReason(status.Details.Causes[0].Type)
	}
	if at := r.record.failedAt; at != nil {
		denial.At = *at
	}
	return []feature.Denial{denial}, err
}

// withCauses returns denials with the reasons of the equal causes of a status.
func withCauses(denials []feature.Denial, causes []metav1.StatusCause) []feature.Denial {
	denials = slices.Clone(denials)
	for i, d := range denials {
		if at := slices.IndexFunc(causes, func(c metav1.StatusCause) bool { return c.Message == d.Message }); at >= 0 {
			denials[i].Reason = metav1.StatusReason(causes[at].Type)
		}
	}
	return denials
}

// explainMismatch returns the reason why the request does not match, or "".
func (r *review) explainMismatch(match *admissionregistrationv1.MatchResources) string {
	attributes, interfaces := r.request.Attributes()
	return r.plugins.explainMismatch(attributes, interfaces, match)
}

// typeConverters provides the converters with which policies merge apply
// configurations.
type typeConverters func(schema.GroupVersionKind) feature.TypeConverter

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
