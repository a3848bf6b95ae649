// Package upstream reads what the API server's code answers with: its errors, in
// an order and with texts that repeat, and its panics.
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
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/playground"
)

// SortErrors orders errs by field and text. The API server finds them in the
// random order of Go's maps; a report must not differ between two runs.
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

// StatusOf is the answer that the API server gives for err.
func StatusOf(err error) playground.Status {
	s := APIStatus(err)
	return playground.Status{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message}
}

// APIStatus follows ErrorToAPIStatus of
// k8s.io/apiserver/pkg/endpoints/handlers/responsewriters: an error that is no
// Status is answered with its text and no reason.
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

var selfType = regexp.MustCompile(`\bselfType\d+`)

// Repeatable removes from a message of the CEL compiler the number, taken from
// the clock, with which it names the type of self.
func Repeatable(message string) string {
	if !strings.Contains(message, "selfType") {
		return message // an expression takes long to find that out
	}
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

// Guard runs an upstream call and turns its panic into an error.
func Guard(stage string, call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			klog.V(1).Infof("panic in stage %q: %v\n%s", stage, p, debug.Stack())
			err = &panicError{stage: stage, value: p}
		}
	}()
	return call()
}
