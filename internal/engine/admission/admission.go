// Package admission has the API server's admission plugins judge requests by the
// policies, bindings and webhooks that a text declares, without a cluster.
package admission

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
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

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// The plugins log what they answer with, and what a failure policy ignores;
// the report has both.
func init() { klog.SetLogger(logr.Discard()) }

// Control are the API server's admission plugins, set up with what an
// admission text declares. It is safe for concurrent use: what happens to a
// request is noted in the record that the request's context carries.
type Control struct {
	findings []playground.Finding
	answers  []*webhookAnswer
	matcher  *matching.Matcher

	mutating, validating []*admissionPolicy
	// typed are the policies that the API server checks the types of.
	typed           []declared[*admissionregistrationv1.ValidatingAdmissionPolicy]
	mutatingHooks   []mutating.PolicyHook
	validatingHooks []validating.PolicyHook

	webhooks          []*admissionWebhook // the mutating ones first
	mutatingPlugin    *webhookmutating.Plugin
	validatingPlugins []*webhookvalidating.Plugin
}

// NoRoles is the authorizer of a cluster that has no roles but that of its
// administrators.
var NoRoles authorizer.AuthorizerFunc = func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	groups := a.GetUser().GetGroups()
	if slices.Contains(groups, engine.AdminsGroup) || slices.Contains(groups, user.SystemPrivilegedGroup) {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// New sets the plugins up that a text declares, in the order of the names. What
// is wrong with the text is told in the findings.
func New(text string) (*Control, error) {
	t := readAdmissionText(text)
	sortByName(t.validatingPolicies)
	sortByName(t.validatingBindings)
	sortByName(t.mutatingPolicies)
	sortByName(t.mutatingBindings)
	sortByName(t.validatingWebhooks)
	sortByName(t.mutatingWebhooks)
	c := &Control{answers: t.answers, matcher: matching.NewMatcher(namespaceLister(t.namespaces), newCluster(nil).client())}
	for _, p := range t.mutatingPolicies {
		if err := c.addMutatingPolicy(p, t); err != nil {
			return nil, err
		}
	}
	for _, p := range t.validatingPolicies {
		if err := c.addValidatingPolicy(p, t); err != nil {
			return nil, err
		}
	}
	if err := c.addMutatingWebhooks(t); err != nil {
		return nil, err
	}
	if err := c.addValidatingWebhooks(t); err != nil {
		return nil, err
	}
	c.typed = t.validatingPolicies
	c.checkAnswers(t)
	c.findings = t.findings
	return c, nil
}

// Findings implements [engine.Plugins].
func (c *Control) Findings() []playground.Finding { return c.findings }

// Review implements [engine.Plugins].
func (c *Control) Review() engine.Review { return &review{control: c, record: newRecord()} }

// checkAnswers remarks on answers of webhooks that are not there.
func (c *Control) checkAnswers(t *admissionText) {
	names := map[string]bool{}
	for _, w := range c.webhooks {
		names[w.name] = true
	}
	for _, a := range t.answers {
		switch {
		case len(c.webhooks) == 0:
			t.note(playground.SeverityWarning, a.at, "no webhook configuration is here that this could be the answer of")
		case a.webhook != "" && !names[a.webhook]:
			t.note(playground.SeverityWarning, a.at, fmt.Sprintf("no webhook is named %q, so this answers nothing", a.webhook))
		}
	}
}

// admit runs the mutating plugins, a second time if one of them asks for it
// (reinvoker in k8s.io/apiserver/pkg/admission).
func (c *Control) admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, types patch.TypeConverterManager) error {
	err := c.admitOnce(ctx, a, o, types)
	reinvocation := a.GetReinvocationContext()
	if err != nil || !reinvocation.ShouldReinvoke() {
		return err
	}
	reinvocation.SetIsReinvoke()
	recordOf(ctx).reinvocation = true
	return c.admitOnce(ctx, a, o, types)
}

func (c *Control) admitOnce(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, types patch.TypeConverterManager) error {
	if len(c.mutatingHooks) > 0 {
		dispatcher := mutating.NewDispatcher(NoRoles, c.matcher, types)
		if err := dispatcher.Dispatch(ctx, a, o, c.mutatingHooks); err != nil {
			return err
		}
	}
	if c.mutatingPlugin == nil {
		return nil
	}
	return c.mutatingPlugin.Admit(ctx, a, o)
}

// validate runs the validating plugins: the policies, and if these admit the
// request, the webhooks.
func (c *Control) validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	recordOf(ctx).reinvocation = false
	if len(c.validatingHooks) > 0 {
		matcher := &recordedPolicyMatcher{PolicyMatcher: generic.NewPolicyMatcher(c.matcher), control: c, record: recordOf(ctx)}
		ctx := context.WithValue(ctx, policyMatcherKey{}, matcher)
		if err := validating.NewDispatcher(NoRoles, matcher).Dispatch(ctx, a, o, c.validatingHooks); err != nil {
			return err
		}
	}
	var first error
	for _, plugin := range c.validatingPlugins {
		if err := plugin.Validate(ctx, a, o); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// explainMismatch says why a request is not among those that match describes:
// the first of its parts that the plugins' matcher, given it alone, refuses.
func (c *Control) explainMismatch(a admission.Attributes, o admission.ObjectInterfaces, match *admissionregistrationv1.MatchResources) string {
	all := &metav1.LabelSelector{}
	parts := []struct {
		why  string
		part admissionregistrationv1.MatchResources
	}{
		{"namespaceSelector does not match the labels of the namespace " + a.GetNamespace(),
			admissionregistrationv1.MatchResources{NamespaceSelector: match.NamespaceSelector, ObjectSelector: all}},
		{"objectSelector does not match the labels of the object",
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: match.ObjectSelector}},
		{"excludeResourceRules match " + describeRequest(a),
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: all, ExcludeResourceRules: match.ExcludeResourceRules, MatchPolicy: match.MatchPolicy}},
		{"no rule matches " + describeRequest(a),
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: all, ResourceRules: match.ResourceRules, MatchPolicy: match.MatchPolicy}},
	}
	for _, p := range parts {
		if matches, _, _, err := c.matcher.Matches(a, o, &matchCriteria{&p.part}); err == nil && !matches {
			return p.why
		}
	}
	return ""
}

func describeRequest(a admission.Attributes) string {
	resource := a.GetResource().Resource
	if a.GetSubresource() != "" {
		resource += "/" + a.GetSubresource()
	}
	return fmt.Sprintf("%s of %s in %s", a.GetOperation(), resource, a.GetResource().GroupVersion())
}

// matchCriteria is what the plugins' matcher wants to be asked.
type matchCriteria struct {
	match *admissionregistrationv1.MatchResources
}

func (m *matchCriteria) GetParsedNamespaceSelector() (labels.Selector, error) {
	return metav1.LabelSelectorAsSelector(m.match.NamespaceSelector)
}

func (m *matchCriteria) GetParsedObjectSelector() (labels.Selector, error) {
	return metav1.LabelSelectorAsSelector(m.match.ObjectSelector)
}

func (m *matchCriteria) GetMatchResources() admissionregistrationv1.MatchResources { return *m.match }

// admissionError takes what is random out of an error of the plugins.
func (r *Record) admissionError(err error) error {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return err
	}
	out := &apierrors.StatusError{ErrStatus: *status.ErrStatus.DeepCopy()}
	out.ErrStatus.Message = r.repeatable(out.ErrStatus.Message)
	if out.ErrStatus.Details != nil {
		for i := range out.ErrStatus.Details.Causes {
			cause := &out.ErrStatus.Details.Causes[i]
			cause.Message = r.repeatable(cause.Message)
		}
	}
	return out
}
