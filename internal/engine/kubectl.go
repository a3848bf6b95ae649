package engine

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// createdOutput is what `kubectl create` prints of a created object.
func createdOutput(kind, group, name string, warnings []string) string {
	resource := strings.ToLower(kind)
	if group != "" {
		resource += "." + group
	}
	return warningOutput(warnings) + fmt.Sprintf("%s/%s created", resource, name)
}

// refusedOutput is what `kubectl create -f file` prints of an error that the
// API server answered (k8s.io/kubectl/pkg/cmd/util, StandardErrorMessage).
func refusedOutput(err error, file string, warnings []string) string {
	status := apiStatus(err)
	if apierrors.IsInvalid(err) && status.Details != nil {
		return warningOutput(warnings) + invalidOutput(status)
	}
	return warningOutput(warnings) + fmt.Sprintf("Error from server (%s): error when creating %q: %s", status.Reason, file, status.Message)
}

func invalidOutput(status metav1.Status) string {
	head := "The request is invalid"
	details := status.Details
	if details.Kind != "" || details.Name != "" {
		head = fmt.Sprintf("The %s %q is invalid", details.Kind, details.Name)
	} else if len(details.Causes) == 0 && status.Message != "" {
		head += ": " + status.Message
	}
	var causes []string
	for _, cause := range details.Causes {
		if text := fmt.Sprintf("%s: %s", cause.Field, cause.Message); !slices.Contains(causes, text) {
			causes = append(causes, text)
		}
	}
	switch len(causes) {
	case 0:
		return head
	case 1:
		return head + ": " + causes[0]
	}
	return head + ": \n* " + strings.Join(causes, "\n* ")
}

func warningOutput(warnings []string) string {
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "Warning: %s\n", w)
	}
	return b.String()
}
