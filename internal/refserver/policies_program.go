//go:build program

package refserver

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
)

// checkPolicies returns an [UnsupportedError].
func checkPolicies([]runtime.Object) error {
	return &UnsupportedError{"the program of an older release runs no admission plugins"}
}

func newPolicyPlugins(context.Context, Admission) (admission.Interface, error) { return nil, nil }
