package admission

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/generic"
	webhookmutating "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	webhookvalidating "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// admissionWebhook is one webhook of a configuration, as it is reported.
type admissionWebhook struct {
	kind, configuration, name string
	at                        playground.Range
	ignoresFailure            bool
	match                     *admissionregistrationv1.MatchResources
}

func (w *admissionWebhook) mutates() bool { return w.kind == "MutatingWebhookConfiguration" }

// webhookHost is the domain of the addresses under which the plugins call
// webhooks; their first label is the place in the list of all webhooks.
const webhookHost = ".webhook.invalid"

// addWebhook remembers a webhook and gives it an address of its own.
func (c *Control) addWebhook(w *admissionWebhook, config *admissionregistrationv1.WebhookClientConfig) {
	url := "https://" + strconv.Itoa(len(c.webhooks)) + webhookHost + "/"
	*config = admissionregistrationv1.WebhookClientConfig{URL: &url}
	c.webhooks = append(c.webhooks, w)
}

// webhookAt is the webhook at the address of a request.
func (c *Control) webhookAt(host string) (*admissionWebhook, error) {
	i, err := strconv.Atoi(strings.TrimSuffix(host, webhookHost))
	if err != nil || i < 0 || i >= len(c.webhooks) {
		return nil, fmt.Errorf("no webhook at %s", host)
	}
	return c.webhooks[i], nil
}

func webhookRange(doc *source.Document, i int) playground.Range {
	return rangeOrKind(doc, "webhooks", i, "name")
}

// addMutatingWebhooks makes one plugin for all mutating webhooks, which run
// one after the other.
func (c *Control) addMutatingWebhooks(t *admissionText) error {
	if len(t.mutatingWebhooks) == 0 {
		return nil
	}
	cluster := newCluster(t.namespaces)
	for _, d := range t.mutatingWebhooks {
		for i := range d.object.Webhooks {
			w := &d.object.Webhooks[i]
			match := matchOfWebhook(w.Rules, w.NamespaceSelector, w.ObjectSelector, w.MatchPolicy)
			c.addWebhook(&admissionWebhook{"MutatingWebhookConfiguration", d.object.Name, w.Name, webhookRange(d.doc, i), ignores(w.FailurePolicy), match}, &w.ClientConfig)
		}
		_ = cluster.mutating.Add(d.object) // its key function cannot fail on an object with metadata
	}
	plugin, err := webhookmutating.NewMutatingWebhook(nil)
	if err != nil {
		return fmt.Errorf("prepare mutating webhooks: %w", err)
	}
	c.mutatingPlugin = plugin
	return c.initialize(plugin.Webhook, cluster)
}

// addValidatingWebhooks makes a plugin for each webhook. The API server calls
// them at the same time and answers with the error that comes first; called in
// order, the first error is always the same.
func (c *Control) addValidatingWebhooks(t *admissionText) error {
	for _, d := range t.validatingWebhooks {
		for i, w := range d.object.Webhooks {
			match := matchOfWebhook(w.Rules, w.NamespaceSelector, w.ObjectSelector, w.MatchPolicy)
			c.addWebhook(&admissionWebhook{"ValidatingWebhookConfiguration", d.object.Name, w.Name, webhookRange(d.doc, i), ignores(w.FailurePolicy), match}, &w.ClientConfig)
			cluster := newCluster(t.namespaces)
			_ = cluster.validating.Add(&admissionregistrationv1.ValidatingWebhookConfiguration{
				ObjectMeta: d.object.ObjectMeta,
				Webhooks:   []admissionregistrationv1.ValidatingWebhook{w},
			})
			plugin, err := webhookvalidating.NewValidatingAdmissionWebhook(nil)
			if err != nil {
				return fmt.Errorf("prepare validating webhooks: %w", err)
			}
			if err := c.initialize(plugin.Webhook, cluster); err != nil {
				return err
			}
			c.validatingPlugins = append(c.validatingPlugins, plugin)
		}
	}
	return nil
}

func ignores(policy *admissionregistrationv1.FailurePolicyType) bool {
	return policy != nil && *policy == admissionregistrationv1.Ignore
}

// matchOfWebhook is how a policy would say what a webhook is called for.
func matchOfWebhook(rules []admissionregistrationv1.RuleWithOperations, namespace, object *metav1.LabelSelector, policy *admissionregistrationv1.MatchPolicyType) *admissionregistrationv1.MatchResources {
	match := &admissionregistrationv1.MatchResources{NamespaceSelector: namespace, ObjectSelector: object, MatchPolicy: policy}
	for _, rule := range rules {
		match.ResourceRules = append(match.ResourceRules, admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: rule})
	}
	return match
}

// initialize connects a plugin with the cluster of the text, and with the
// answers of the text for a network.
func (c *Control) initialize(plugin *generic.Webhook, cluster *cluster) error {
	plugin.SetExternalKubeClientSet(cluster.client())
	plugin.SetExternalKubeInformerFactory(cluster)
	plugin.SetUnconditionalAuthorizer(NoRoles)
	plugin.SetAuthenticationInfoResolverWrapper(c.authentication)
	if err := plugin.ValidateInitialization(); err != nil {
		return fmt.Errorf("prepare webhooks: %w", err)
	}
	plugin.SetReadyFunc(func() bool { return true })
	return nil
}

func (c *Control) authentication(webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	config := &rest.Config{WrapTransport: func(http.RoundTripper) http.RoundTripper { return c }}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(string) (*rest.Config, error) { return config, nil },
	}
}
