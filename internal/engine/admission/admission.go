// Package admission runs the API server's admission plugins without a cluster.
// A manifest declares their policies, bindings and webhooks.
package admission

import (
	"context"
	"slices"

	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	webhookmutating "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	webhookvalidating "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// The plugins log their responses and the failures that a failure policy ignores.
// The report contains both.
func init() { klog.SetLogger(logr.Discard()) }

// Plugins are the API server's admission plugins for one manifest. They are safe
// for concurrent use: the state of a request is in the [record] of its context.
type Plugins struct {
	file      *source.File
	findings  []playground.Finding
	responses []*manifest.WebhookResponse
	matcher   *matching.Matcher

	mutating, validating []*admissionPolicy
	// typed lists the policies whose types the API server checks.
	typed           []manifest.Declared[*admissionregistrationv1.ValidatingAdmissionPolicy]
	mutatingHooks   []mutating.PolicyHook
	validatingHooks []validating.PolicyHook

	webhooks          []*admissionWebhook // mutating webhooks first
	mutatingPlugin    *webhookmutating.Plugin
	validatingPlugins []*webhookvalidating.Plugin
}

// NoRoles is the authorizer of a cluster whose only role is the administrator.
var NoRoles authorizer.AuthorizerFunc = func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	groups := a.GetUser().GetGroups()
	if slices.Contains(groups, AdminsGroup) || slices.Contains(groups, user.SystemPrivilegedGroup) {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// New sets up the plugins that a manifest declares, in the order of their names.
// Errors in the manifest become findings.
func New(yaml string) (*Plugins, error) {
	m := manifest.Parse(yaml)
	m.SortByName()
	p := &Plugins{
		file:      m.File,
		findings:  m.Findings.List(),
		responses: m.Responses,
		matcher:   matching.NewMatcher(namespaceLister(m.Namespaces), newCluster(nil).client()),
		typed:     m.ValidatingPolicies,
	}
	for _, policy := range m.MutatingPolicies {
		if err := p.addMutatingPolicy(policy, m); err != nil {
			return nil, err
		}
	}
	for _, policy := range m.ValidatingPolicies {
		if err := p.addValidatingPolicy(policy, m); err != nil {
			return nil, err
		}
	}
	if err := p.addMutatingWebhooks(m); err != nil {
		return nil, err
	}
	if err := p.addValidatingWebhooks(m); err != nil {
		return nil, err
	}
	return p, nil
}

// File returns the parsed documents that declare the plugins.
func (p *Plugins) File() *source.File { return p.file }

// Findings returns the findings about these documents.
func (p *Plugins) Findings() []playground.Finding { return p.findings }

// Review starts the review of a request.
func (p *Plugins) Review() *Review { return &Review{plugins: p, record: newRecord()} }

// admit runs the mutating plugins, and runs them again if one of them requests
// reinvocation (reinvoker in k8s.io/apiserver/pkg/admission).
func (p *Plugins) admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, types patch.TypeConverterManager) error {
	err := p.admitOnce(ctx, a, o, types)
	reinvocation := a.GetReinvocationContext()
	if err != nil || !reinvocation.ShouldReinvoke() {
		return err
	}
	reinvocation.SetIsReinvoke()
	recordOf(ctx).reinvocation = true
	return p.admitOnce(ctx, a, o, types)
}

func (p *Plugins) admitOnce(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, types patch.TypeConverterManager) error {
	if len(p.mutatingHooks) > 0 {
		dispatcher := mutating.NewDispatcher(NoRoles, p.matcher, types)
		if err := dispatcher.Dispatch(ctx, a, o, p.mutatingHooks); err != nil {
			return err
		}
	}
	if p.mutatingPlugin == nil {
		return nil
	}
	err := p.mutatingPlugin.Admit(ctx, a, o)
	if err != nil {
		p.explainMatchConditions(ctx, a, o, err)
	}
	return err
}

// validate runs the validating policies and, if they admit the request, the
// validating webhooks.
func (p *Plugins) validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	recordOf(ctx).reinvocation = false
	if len(p.validatingHooks) > 0 {
		matcher := &recordingPolicyMatcher{PolicyMatcher: generic.NewPolicyMatcher(p.matcher), plugins: p, record: recordOf(ctx)}
		ctx := context.WithValue(ctx, policyMatcherKey{}, matcher)
		if err := validating.NewDispatcher(NoRoles, matcher).Dispatch(ctx, a, o, p.validatingHooks); err != nil {
			return err
		}
	}
	var first error
	for _, plugin := range p.validatingPlugins {
		if err := plugin.Validate(ctx, a, o); err != nil && first == nil {
			first = err
		}
	}
	if first != nil {
		p.explainMatchConditions(ctx, a, o, first)
	}
	return first
}
