package object

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// errorCause classifies the error of a read request. It returns an empty cause for an
// error that the API server itself would return.
func errorCause(err error) playground.ErrorCause {
	if errors.Is(err, conversion.ErrNoWebhook) {
		return playground.CauseUnansweredWebhook
	}
	return ""
}

// Conversion converts the objects of a CRD between its versions.
type Conversion struct {
	// Findings reports problems of the conversion document, Scenario.Conversion.
	Findings  []playground.Finding
	webhook   *conversion.Webhook // nil unless the strategy is Webhook
	converter runtime.ObjectConvertor
}

// NewConversion prepares the conversion of c's objects. The responses are a YAML
// document that replaces the webhook; live permits calls of the webhook itself. For a CRD that is not served, the result only holds findings.
func NewConversion(c *crd.CRD, responses string, live conversion.Webhooks) (*Conversion, error) {
	conv := &Conversion{Findings: []playground.Finding{}}
	if c.V1 == nil || c.Unservable {
		if strings.TrimSpace(responses) != "" {
			conv.Findings = append(conv.Findings, conversion.Findings(responses)...)
		}
		return conv, nil
	}
	if c.ConvertsByWebhook() {
		return conv, conv.useWebhook(conversion.Request{CRD: c.V1, Schemas: c.SchemasByVersion(), Text: responses, Live: live})
	}
	if strings.TrimSpace(responses) != "" {
		conv.Findings = append(conv.Findings, unusedConversion())
	}
	conv.converter = customresource.NoneConverter{CRD: c.V1}
	return conv, nil
}

func (c *Conversion) useWebhook(request conversion.Request) error {
	var err error
	if c.webhook, err = conversion.New(request); err != nil {
		return fmt.Errorf("prepare conversion: %w", err)
	}
	c.converter = c.webhook.Converter()
	c.Findings = append(c.Findings, c.webhook.Findings()...)
	return nil
}

// convert converts an object to a version and prunes it with the schema of that
// version (schemaCoercingConverter in
// k8s.io/apiextensions-apiserver/pkg/apiserver).
func (c *Conversion) convert(stage string, object *unstructured.Unstructured, to *crd.Version) (*unstructured.Unstructured, error) {
	if object.GroupVersionKind() == to.Kind {
		return object.DeepCopy(), nil
	}
	out, err := c.call(stage, object, to)
	if err != nil {
		return nil, err
	}
	converted, ok := out.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("converted to a %T", out)
	}
	if err := to.Coerce(converted); err != nil {
		return nil, err
	}
	return converted, nil
}

// reviews returns the previous calls of the conversion webhook.
func (c *Conversion) reviews() []playground.ConversionReview {
	if c.webhook == nil {
		return nil
	}
	return c.webhook.Reviews()
}

func (c *Conversion) call(stage string, object *unstructured.Unstructured, to *crd.Version) (runtime.Object, error) {
	if c.webhook != nil {
		return c.webhook.Convert(stage, object, to.Kind.GroupVersion())
	}
	return c.converter.ConvertToVersion(object, to.Kind.GroupVersion())
}

func unusedConversion() playground.Finding {
	return finding.New(playground.SeverityInfo, playground.DocumentConversion, playground.StageStore, playground.Range{},
		"not used: the CRD's conversion strategy is not Webhook")
}
