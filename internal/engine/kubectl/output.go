// Package kubectl formats the output that kubectl prints for the requests of a
// scenario.
package kubectl

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// FormatSuccess returns the output for an accepted request.
func FormatSuccess(kind, group, name, operation string, warnings []string) string {
	return FormatWarnings(warnings) + fmt.Sprintf("%s/%s %s", ResourceName(kind, group), name, verbs[operation].past)
}

// ResourceName returns the name of a kind in the output: "crontab.example.com".
func ResourceName(kind, group string) string {
	resource := strings.ToLower(kind)
	if group != "" {
		resource += "." + group
	}
	return resource
}

// verbs holds the verb of each operation in the present and in the past.
var verbs = map[string]struct{ present, past string }{
	playground.OperationCreate:         {"creating", "created"},
	playground.OperationUpdate:         {"replacing", "replaced"},
	playground.OperationUpdateStatus:   {"replacing", "replaced"},
	playground.OperationApply:          {"applying", "serverside-applied"},
	playground.OperationApplyStatus:    {"applying", "serverside-applied"},
	playground.OperationDelete:         {"deleting", "deleted"},
	playground.OperationScale:          {"scaling", "scaled"},
	playground.CRDOperationClientApply: {"creating", "configured"},
}

// FormatError returns the output for a request that the API server rejected. file is
// the name of the file that kubectl sent. FormatError follows StandardErrorMessage of
// k8s.io/kubectl/pkg/cmd/util.
func FormatError(err error, operation, file string, warnings []string) string {
	switch {
	case playground.IsApply(operation) && apierrors.IsConflict(err):
		return FormatWarnings(warnings) + "error: " + upstream.APIStatus(err).Message + applyConflictAdvice
	case operation == playground.OperationScale: // kubectl scale reads no file
		return formatStatus(err, "", warnings)
	}
	return formatStatus(err, fmt.Sprintf("error when %s %q: ", verbs[operation].present, file), warnings)
}

// formatStatus returns the output for an error of the API server. Unless the request is
// invalid, its message follows what kubectl was doing.
func formatStatus(err error, doing string, warnings []string) string {
	status := upstream.APIStatus(err)
	if apierrors.IsInvalid(err) && status.Details != nil {
		return FormatWarnings(warnings) + formatInvalid(status)
	}
	head := "Error from server"
	if status.Reason != "" {
		head += fmt.Sprintf(" (%s)", status.Reason)
	}
	return FormatWarnings(warnings) + head + ": " + doing + status.Message
}

// FormatUnmapped returns the output for an object in a file whose kind discovery does not list.
// message says which kind, as k8s.io/apimachinery/pkg/api/meta does.
func FormatUnmapped(file, name, namespace, message string) string {
	return fmt.Sprintf("error: resource mapping not found for name: %q namespace: %q from %q: %s\nensure CRDs are installed first",
		name, namespace, file, message)
}

// applyConflictAdvice follows the message of a conflict in server-side apply.
const applyConflictAdvice = `
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the ` + "`--force-conflicts`" + ` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`

func formatInvalid(status metav1.Status) string {
	head := "The request is invalid"
	details := status.Details
	if details.Kind != "" || details.Name != "" {
		head = fmt.Sprintf("The %s %q is invalid", details.Kind, details.Name)
	} else if len(details.Causes) == 0 && status.Message != "" {
		head += ": " + status.Message
	}
	causes := distinctCauses(details.Causes)
	switch len(causes) {
	case 0:
		return head
	case 1:
		return head + ": " + causes[0]
	}
	return head + ": \n* " + strings.Join(causes, "\n* ")
}

// distinctCauses formats the causes of an error without duplicates.
func distinctCauses(causes []metav1.StatusCause) []string {
	var lines []string
	listed := make(map[string]bool, len(causes))
	for _, cause := range causes {
		if line := fmt.Sprintf("%s: %s", cause.Field, cause.Message); !listed[line] {
			listed[line] = true
			lines = append(lines, line)
		}
	}
	return lines
}

// FormatWarnings returns the lines for the warnings of a response.
func FormatWarnings(warnings []string) string {
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "Warning: %s\n", w)
	}
	return b.String()
}
