package engine

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	upstream "k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/crdlab/crdlab/internal/playground"
)

// errNoWebhook: only the CRD's conversion webhook could tell what an object is
// like at another version, and nothing stands for it.
var errNoWebhook = errors.New("the conversion webhook would be asked")

// conversion converts the objects of a CRD between its versions, with the API
// server's own converters.
type conversion struct {
	crd       *crd
	webhook   *conversionWebhook // nil unless the strategy is Webhook
	converter runtime.ObjectConvertor
	findings  []playground.Finding
}

// newConversion prepares the conversion of c's objects; text stands for the
// webhook. Of a CRD that is not served nothing can be converted.
func newConversion(c *crd, text string, live Webhooks) (*conversion, error) {
	conv := &conversion{crd: c, findings: []playground.Finding{}}
	if c.v1 == nil || !c.isEstablished() {
		return conv, nil
	}
	if c.v1.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter {
		conv.webhook = newConversionWebhook(c, text)
		conv.webhook.live = live
		conv.findings = append(conv.findings, conv.webhook.findings...)
	} else if strings.TrimSpace(text) != "" {
		conv.findings = append(conv.findings, unusedConversion())
	}
	factory, err := upstream.NewCRConverterFactory(webhook.NewDefaultServiceResolver(), conv.authentication)
	if err != nil {
		return nil, fmt.Errorf("prepare conversion: %w", err)
	}
	if conv.converter, _, err = factory.NewConverter(c.v1); err != nil {
		return nil, fmt.Errorf("prepare conversion: %w", err)
	}
	return conv, nil
}

// authentication makes all calls of webhooks go through c.webhook, which ends
// them in this process unless it is allowed to pass them on.
func (c *conversion) authentication(delegate webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	if c.webhook == nil {
		return delegate
	}
	config := &rest.Config{
		Dial: c.webhook.live.dial,
		WrapTransport: func(transport http.RoundTripper) http.RoundTripper {
			c.webhook.transport = transport
			return c.webhook
		},
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc:        func(string) (*rest.Config, error) { return config, nil },
		ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return config, nil },
	}
}

// convert turns an object into one of another version and prunes it with that
// version's schema (schemaCoercingConverter in
// k8s.io/apiextensions-apiserver/pkg/apiserver).
func (c *conversion) convert(object *unstructured.Unstructured, to *version) (*unstructured.Unstructured, error) {
	if object.GroupVersionKind() == to.kind {
		return object.DeepCopy(), nil
	}
	out, err := c.call(object, to)
	if err != nil {
		return nil, err
	}
	converted, ok := out.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("converted to a %T", out)
	}
	if err := to.coerce(converted, coerceOptions{}); err != nil {
		return nil, err
	}
	return converted, nil
}

func (c *conversion) call(object *unstructured.Unstructured, to *version) (runtime.Object, error) {
	if c.webhook != nil {
		c.webhook.begin()
	}
	out, err := c.converter.ConvertToVersion(object.DeepCopy(), to.kind.GroupVersion())
	if err != nil && c.webhook != nil && c.webhook.unanswered {
		return nil, errNoWebhook
	}
	if err != nil && c.webhook != nil {
		err = apierrors.NewInternalError(errors.New(c.webhook.complain(err)))
	}
	return out, err
}

func unusedConversion() playground.Finding {
	return playground.Finding{
		Severity: playground.SeverityInfo,
		Stage:    playground.StageStore,
		Message:  "not used: the CRD's conversion strategy is not Webhook",
		Document: playground.DocumentConversion,
		Related:  []playground.Related{},
	}
}
