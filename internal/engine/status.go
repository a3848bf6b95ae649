package engine

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/playground"
)

// sortErrors orders errs by field and text. The API server finds them in the
// random order of Go's maps; a report must not differ between two runs.
func sortErrors(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(
			cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.ErrorBody(), b.ErrorBody()),
			cmp.Compare(a.Type, b.Type),
		)
	})
	return errs
}

// statusOf is the answer that the API server gives for err.
func statusOf(err error) playground.Status {
	s := apiStatus(err)
	return playground.Status{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message}
}

// apiStatus follows ErrorToAPIStatus of
// k8s.io/apiserver/pkg/endpoints/handlers/responsewriters: an error that is no
// Status is answered with its text and no reason.
func apiStatus(err error) metav1.Status {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		status = known.Status()
	}
	status.Message = repeatable(status.Message)
	if status.Details != nil {
		details := *status.Details
		details.Causes = slices.Clone(details.Causes)
		for i := range details.Causes {
			details.Causes[i].Message = repeatable(details.Causes[i].Message)
		}
		status.Details = &details
	}
	return status
}

var selfType = regexp.MustCompile(`\bselfType\d+`)

// repeatable removes from a message of the CEL compiler the number, taken from
// the clock, with which it names the type of self.
func repeatable(message string) string {
	return selfType.ReplaceAllString(message, "selfType")
}

// panicError is a panic of the API server's own code. A real server would
// answer 500 and log it.
type panicError struct {
	stage string
	value any
}

func (p *panicError) Error() string {
	return fmt.Sprintf("the API server's code panicked in stage %q: %v", p.stage, p.value)
}

// guard runs an upstream call and turns its panic into an error.
func guard(stage string, call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			klog.V(1).Infof("panic in stage %q: %v\n%s", stage, p, debug.Stack())
			err = &panicError{stage: stage, value: p}
		}
	}()
	return call()
}
