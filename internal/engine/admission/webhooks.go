package admission

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/generic"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	webhookmutating "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	webhookvalidating "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/rest"

	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/engine/webhook"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// An admissionWebhook is a webhook of a configuration in the report.
type admissionWebhook struct {
	kind, configuration, name string
	at                        playground.Range
	ignoresFailure            bool
	match                     *admissionregistrationv1.MatchResources
	// conditions returns the match conditions, whose evaluations the record of a request holds.
	conditions func() matchconditions.Matcher
}

func (w *admissionWebhook) mutates() bool { return w.kind == "MutatingWebhookConfiguration" }

// webhookHost is the domain of the addresses of webhooks. The first label of an
// address is the index in the list of all webhooks.
const webhookHost = ".webhook.invalid"

// addWebhook adds a webhook and gives it a unique address.
func (p *Plugins) addWebhook(w *admissionWebhook, config *admissionregistrationv1.WebhookClientConfig) {
	url := "https://" + strconv.Itoa(len(p.webhooks)) + webhookHost + "/"
	*config = admissionregistrationv1.WebhookClientConfig{URL: &url}
	p.webhooks = append(p.webhooks, w)
}

// webhookAt returns the webhook with the given host.
func (p *Plugins) webhookAt(host string) (*admissionWebhook, error) {
	i, err := strconv.Atoi(strings.TrimSuffix(host, webhookHost))
	if err != nil || i < 0 || i >= len(p.webhooks) {
		return nil, fmt.Errorf("no webhook at %s", host)
	}
	return p.webhooks[i], nil
}

// addMutatingWebhooks sets up one plugin for all mutating webhooks, because they
// run in sequence.
func (p *Plugins) addMutatingWebhooks(m *manifest.Manifest) error {
	if len(m.MutatingWebhooks) == 0 {
		return nil
	}
	cluster := newCluster(m.Namespaces)
	for _, d := range m.MutatingWebhooks {
		for i := range d.Object.Webhooks {
			w := &d.Object.Webhooks[i]
			match := matchOfWebhook(w.Rules, w.NamespaceSelector, w.ObjectSelector, w.MatchPolicy)
			p.addWebhook(&admissionWebhook{"MutatingWebhookConfiguration", d.Object.Name, w.Name, d.Range("webhooks", i, "name"), ignores(w.FailurePolicy), match, matchConditions(d.Doc, i, w.MatchConditions)}, &w.ClientConfig)
		}
		_ = cluster.mutating.Add(d.Object) // its key function cannot fail on an object with metadata
	}
	plugin, err := webhookmutating.NewMutatingWebhook(nil)
	if err != nil {
		return fmt.Errorf("prepare mutating webhooks: %w", err)
	}
	p.mutatingPlugin = plugin
	return p.initialize(plugin.Webhook, cluster)
}

// addValidatingWebhooks sets up one plugin per validating webhook. The API server
// calls them concurrently and responds with the earliest error; calls in sequence
// always have the same first error.
func (p *Plugins) addValidatingWebhooks(m *manifest.Manifest) error {
	for _, d := range m.ValidatingWebhooks {
		for i, w := range d.Object.Webhooks {
			match := matchOfWebhook(w.Rules, w.NamespaceSelector, w.ObjectSelector, w.MatchPolicy)
			p.addWebhook(&admissionWebhook{"ValidatingWebhookConfiguration", d.Object.Name, w.Name, d.Range("webhooks", i, "name"), ignores(w.FailurePolicy), match, matchConditions(d.Doc, i, w.MatchConditions)}, &w.ClientConfig)
			cluster := newCluster(m.Namespaces)
			_ = cluster.validating.Add(&admissionregistrationv1.ValidatingWebhookConfiguration{
				ObjectMeta: d.Object.ObjectMeta,
				Webhooks:   []admissionregistrationv1.ValidatingWebhook{w},
			})
			plugin, err := webhookvalidating.NewValidatingAdmissionWebhook(nil)
			if err != nil {
				return fmt.Errorf("prepare validating webhooks: %w", err)
			}
			if err := p.initialize(plugin.Webhook, cluster); err != nil {
				return err
			}
			p.validatingPlugins = append(p.validatingPlugins, plugin)
		}
	}
	return nil
}

func ignores(policy *admissionregistrationv1.FailurePolicyType) bool {
	return policy != nil && *policy == admissionregistrationv1.Ignore
}

// matchConditions compiles the match conditions of webhook i when they are needed: the plugins
// compile their own, and the result explains their errors.
func matchConditions(doc *source.Document, i int, conditions []admissionregistrationv1.MatchCondition) func() matchconditions.Matcher {
	return sync.OnceValue(func() matchconditions.Matcher {
		expressions := policyExpressions{doc, []any{"webhooks", i}, map[plugincel.ExpressionAccessor]*policyExpression{}}
		accessors := expressions.matchConditions(conditions)
		compiler := recordingCompiler{plugincel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())), expressions.by}
		evaluator := compiler.CompileCondition(accessors, plugincel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.StoredExpressions)
		return matchconditions.NewMatcher(evaluator, nil, "webhook", "", "")
	})
}

// explainMatchConditions notes the webhook whose match conditions are the cause of an error of the
// plugins, if there is one.
func (p *Plugins) explainMatchConditions(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces, err error) {
	r := recordOf(ctx)
	for _, w := range p.webhooks {
		if !strings.Contains(err.Error(), "resulted in error: ") || p.explainMismatch(a, o, w.match) != nil {
			continue
		}
		attributes, conversionErr := admission.NewVersionedAttributes(a, a.GetKind(), o)
		if conversionErr != nil {
			return
		}
		r.current, r.failures = &playground.AdmissionInvocation{}, nil
		result := w.conditions().Match(ctx, attributes, nil, NoRoles)
		if result.Error != nil && err.Error() == apierrors.NewForbidden(a.GetResource().GroupResource(), a.GetName(), result.Error).Error() {
			r.failToMatch(w.at)
			called := r.webhook(w)
			called.outcome, called.why = playground.OutcomeError, "a match condition cannot be evaluated: "+result.Error.Error()
			return
		}
	}
}

// matchOfWebhook expresses the conditions of a webhook as policy constraints.
func matchOfWebhook(rules []admissionregistrationv1.RuleWithOperations, namespace, object *metav1.LabelSelector, policy *admissionregistrationv1.MatchPolicyType) *admissionregistrationv1.MatchResources {
	match := &admissionregistrationv1.MatchResources{NamespaceSelector: namespace, ObjectSelector: object, MatchPolicy: policy}
	for _, rule := range rules {
		match.ResourceRules = append(match.ResourceRules, admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: rule})
	}
	return match
}

// initialize connects a plugin with the cluster of the manifest. The responses of
// the manifest replace the network.
func (p *Plugins) initialize(plugin *generic.Webhook, cluster *cluster) error {
	plugin.SetExternalKubeClientSet(cluster.client())
	plugin.SetExternalKubeInformerFactory(cluster)
	plugin.SetUnconditionalAuthorizer(NoRoles)
	plugin.SetAuthenticationInfoResolverWrapper(webhook.Authentication(func(config *rest.Config) {
		config.Wrap(func(http.RoundTripper) http.RoundTripper { return webhook.Handler(p.respond) })
	}))
	if err := plugin.ValidateInitialization(); err != nil {
		return fmt.Errorf("prepare webhooks: %w", err)
	}
	plugin.SetReadyFunc(func() bool { return true })
	return nil
}
