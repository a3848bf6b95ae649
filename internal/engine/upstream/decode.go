package upstream

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdlab/crdlab/internal/playground"
)

// A decodeError is the API server's response to a body, or to the result of a patch, that it
// cannot decode.
type decodeError struct {
	*apierrors.StatusError
	cause error
}

func (e *decodeError) Unwrap() error { return e.StatusError }

// DecodeError returns the API server's response to err. want is the kind that the
// request expects. It follows transformDecodeError of
// k8s.io/apiserver/pkg/endpoints/handlers, which is not exported.
func DecodeError(err error, gvk *schema.GroupVersionKind, want, body string) error {
	message := fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", want, err, summarizeBody(body))
	if gvk != nil && gvk.Kind != "" {
		message = fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, want, err)
	}
	return &decodeError{apierrors.NewBadRequest(message), err}
}

// PatchError returns the API server's response to a patch whose result it cannot decode.
func PatchError(response *apierrors.StatusError, cause error) error {
	return &decodeError{response, cause}
}

// summarizeBody returns the start of a body as error messages quote it.
func summarizeBody(body string) string {
	const maxLength = 30
	ellipsis := ""
	if body == "" {
		return "<empty>"
	}
	if len(body) > maxLength {
		body, ellipsis = body[:maxLength], " ..."
	}
	if body[0] == '{' {
		return body + ellipsis
	}
	return hex.EncodeToString([]byte(body)) + ellipsis
}

// StrictErrors returns the single errors of strict decoding in an error from
// [DecodeError] or [PatchError], or nil if err has a different cause.
func StrictErrors(err error) []error {
	var decode *decodeError
	if !errors.As(err, &decode) {
		return nil
	}
	strict, ok := runtime.AsStrictDecodingError(decode.cause)
	if !ok {
		return nil
	}
	return SplitYAMLErrors(strict.Errors())
}

// CheckDuplicates rejects duplicate keys in the configuration of a server-side apply, or
// returns warnings about them. The API server's handler checks them after the merge.
func CheckDuplicates(configuration, fieldValidation string) (warnings []string, err error) {
	if fieldValidation == playground.FieldValidationIgnore {
		return nil, nil
	}
	err = utilyaml.UnmarshalStrict([]byte(configuration), &map[string]any{})
	if err == nil {
		return nil, nil
	}
	if fieldValidation == playground.FieldValidationStrict {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
	}
	for _, duplicate := range SplitYAMLErrors([]error{err}) {
		warnings = append(warnings, duplicate.Error())
	}
	return warnings, nil
}

// SplitYAMLErrors splits the YAML decoder's single error about all duplicate keys.
// It follows parseYAMLWarnings of k8s.io/apiserver/pkg/endpoints/handlers.
func SplitYAMLErrors(errs []error) []error {
	var single []error
	for _, err := range errs {
		message := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
		lines, ok := strings.CutPrefix(message, "yaml: unmarshal errors:\n")
		if !ok {
			single = append(single, err)
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			single = append(single, errors.New(strings.TrimSpace(line)))
		}
	}
	return single
}
