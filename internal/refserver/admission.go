//go:build !js || program

package refserver

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// An Admission configures the admission plugins.
type Admission struct {
	// User sends all requests.
	User user.Info
	// Objects are the policies, their bindings and parameters, and the
	// namespaces of the requests. All have the API server's defaults.
	Objects []runtime.Object
	// Authorizer responds to the authorization checks in expressions.
	Authorizer authorizer.Authorizer
}

// An UnsupportedError reports admission objects that a [Server] cannot enforce.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return "unsupported admission: " + e.Reason }

// SetAdmission lets the API server's own policy plugins admit all following
// requests for objects, with clients and informers of a cluster that has the
// objects of a. Without objects, no plugin runs. It returns an
// [UnsupportedError] for admission webhooks and for mutating policies, which
// need published OpenAPI documents.
func (s *Server) SetAdmission(a Admission) error {
	s.stopAdmission()
	s.requester, s.admission.plugins, s.stopAdmission = a.User, nil, func() {}
	if len(a.Objects) == 0 {
		return nil
	}
	if err := checkPolicies(a.Objects); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stopAdmission = stop
	plugins, err := newPolicyPlugins(ctx, a)
	s.admission.plugins = plugins
	return err
}

// Close stops the admission plugins.
func (s *Server) Close() { s.stopAdmission() }

// An admissionSwitch passes requests to the current plugins. The handlers
// outlive the plugins, which change with each call of SetAdmission.
type admissionSwitch struct{ plugins admission.Interface }

// Handles returns true: the plugins of a later configuration may handle any
// operation.
func (s *admissionSwitch) Handles(admission.Operation) bool { return true }

// Admit implements [admission.MutationInterface].
func (s *admissionSwitch) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	plugins, ok := s.plugins.(admission.MutationInterface)
	if !ok || !plugins.Handles(a.GetOperation()) {
		return nil
	}
	return plugins.Admit(ctx, a, o)
}

// Validate implements [admission.ValidationInterface].
func (s *admissionSwitch) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	plugins, ok := s.plugins.(admission.ValidationInterface)
	if !ok || !plugins.Handles(a.GetOperation()) {
		return nil
	}
	return plugins.Validate(ctx, a, o)
}
