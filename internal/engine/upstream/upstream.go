// Package upstream handles errors and panics of the API server's code. It gives
// errors a reproducible order and wording.
package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/playground"
)

// SortErrors sorts errs by field and message. The API server finds them in the
// random order of Go's maps, but a report must not differ between two runs.
func SortErrors(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(
			cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.ErrorBody(), b.ErrorBody()),
			cmp.Compare(a.Type, b.Type),
		)
	})
	return errs
}

// SortCauses sorts the causes of a Status by field and message. The API server lists the
// conflicts of server-side apply in the random order of Go's maps.
func SortCauses(err error) error {
	var known *apierrors.StatusError
	if !errors.As(err, &known) || known.ErrStatus.Details == nil {
		return err
	}
	sorted := &apierrors.StatusError{ErrStatus: *known.ErrStatus.DeepCopy()}
	slices.SortFunc(sorted.ErrStatus.Details.Causes, func(a, b metav1.StatusCause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Type, b.Type))
	})
	return sorted
}

// StatusOf returns the API server's response to err.
func StatusOf(err error) playground.Status {
	s := APIStatus(err)
	return playground.Status{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message}
}

// APIStatus returns the API server's response to err, without random numbers. It
// follows ErrorToAPIStatus of
// k8s.io/apiserver/pkg/endpoints/handlers/responsewriters: an error without a
// Status has code 500 and no reason.
func APIStatus(err error) metav1.Status {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		status = known.Status()
	}
	status.Message = Repeatable(status.Message)
	if status.Details != nil {
		details := *status.Details
		details.Causes = slices.Clone(details.Causes)
		for i := range details.Causes {
			details.Causes[i].Message = Repeatable(details.Causes[i].Message)
		}
		status.Details = &details
	}
	return status
}

// Invalid returns the response to an invalid object. It equals the result of
// [apierrors.NewInvalid], which needs time proportional to the square of the message's
// length.
func Invalid(kind schema.GroupKind, name string, errs field.ErrorList) *apierrors.StatusError {
	invalid := apierrors.NewInvalid(kind, name, nil)
	status := &invalid.ErrStatus
	var messages []string
	isListed := make(map[string]bool, len(errs))
	for _, err := range errs {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseType(err.Type), Message: err.ErrorBody(), Field: err.Field,
		})
		if message := err.Error(); !isListed[message] {
			isListed[message] = true
			messages = append(messages, message)
		}
	}
	switch len(messages) {
	case 0:
	case 1:
		status.Message += ": " + messages[0]
	default:
		status.Message += ": [" + strings.Join(messages, ", ") + "]"
	}
	return invalid
}

var selfType = regexp.MustCompile(`\bselfType\d+`)

// Repeatable removes the timestamp from the name that the CEL compiler gives the
// type of self, so that its messages are reproducible.
func Repeatable(message string) string {
	if !strings.Contains(message, "selfType") {
		return message // much faster than the regular expression
	}
	return selfType.ReplaceAllString(message, "selfType")
}

// A panicError is a panic of the API server's own code. A real server would respond
// with status 500 and log it.
type panicError struct {
	stage string
	value any
}

func (p *panicError) Error() string {
	return fmt.Sprintf("the API server's code panicked in stage %q: %v", p.stage, p.value)
}

// Guard calls upstream code and returns its panic as an error.
func Guard(stage string, call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			klog.V(1).Infof("panic in stage %q: %v\n%s", stage, p, debug.Stack())
			err = &panicError{stage: stage, value: p}
		}
	}()
	return call()
}

// IsHeader reports whether the API server can send a message as a warning, which is a header of the
// response. It drops messages with control characters.
func IsHeader(message string) bool {
	_, err := utilnet.NewWarningHeader(299, "", message)
	return err == nil
}
