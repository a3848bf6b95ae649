package customresource

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// Conversion converts the objects of a CRD between its versions.
type Conversion struct {
	findings  []playground.Finding
	crd       *crd.CRD
	webhook   *conversion.Webhook // nil unless the strategy is Webhook
	converter runtime.ObjectConvertor
}

// NewConversion prepares the conversion of c's objects. The responses are a YAML
// document that replaces the webhook; live permits calls of the webhook itself. For a CRD that is not served, the result only holds findings.
func NewConversion(c *crd.CRD, responses string, live conversion.Webhooks) (*Conversion, error) {
	conv := &Conversion{findings: []playground.Finding{}, crd: c}
	if c.V1 == nil || c.Unservable {
		if strings.TrimSpace(responses) != "" {
			conv.findings = append(conv.findings, conversion.Findings(responses)...)
		}
		return conv, nil
	}
	if c.ConvertsByWebhook() {
		return conv, conv.useWebhook(conversion.Request{CRD: c.V1, Schemas: c.SchemasByVersion(), Text: responses, Live: live})
	}
	if strings.TrimSpace(responses) != "" {
		conv.findings = append(conv.findings, unusedConversion())
	}
	conv.converter = noneConverter{CRD: c.V1}
	return conv, nil
}

func (c *Conversion) useWebhook(request conversion.Request) error {
	var err error
	if c.webhook, err = conversion.New(request); err != nil {
		return fmt.Errorf("prepare conversion: %w", err)
	}
	c.converter = c.webhook.Converter()
	return nil
}

// Findings reports the problems of the conversion document, including the problems of the calls so far.
func (c *Conversion) Findings() []playground.Finding {
	if c.webhook == nil {
		return c.findings
	}
	return append(c.findings, c.webhook.Findings()...)
}

// To converts an object to a version in a stage, and prunes it with the schema of that
// version (schemaCoercingConverter in k8s.io/apiextensions-apiserver/pkg/apiserver).
func (c *Conversion) To(stage string, object *unstructured.Unstructured, to *crd.Version) (*unstructured.Unstructured, error) {
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

// Reviews returns the previous calls of the conversion webhook.
func (c *Conversion) Reviews() []playground.ConversionReview {
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

// Convertor returns the convertor that the handler of custom resources gives to admission
// plugins.
func (c *Conversion) Convertor() runtime.ObjectConvertor { return coercingConvertor{c} }

// coercingConvertor converts and prunes objects, even if they already have the
// requested version (schemaCoercingConverter in
// k8s.io/apiextensions-apiserver/pkg/apiserver).
type coercingConvertor struct{ *Conversion }

// ConvertToVersion implements runtime.ObjectConvertor.
func (c coercingConvertor) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	kind, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{in.GetObjectKind().GroupVersionKind()})
	if !ok {
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", in.GetObjectKind().GroupVersionKind(), target)
	}
	return c.convert(in, kind)
}

// Convert implements runtime.ObjectConvertor.
func (c coercingConvertor) Convert(in, out, _ any) error {
	from, ok := in.(*unstructured.Unstructured)
	to, isUnstructured := out.(*unstructured.Unstructured)
	if !ok || !isUnstructured {
		return fmt.Errorf("cannot convert %T to %T", in, out)
	}
	converted, err := c.convert(from, to.GroupVersionKind())
	if err != nil {
		return err
	}
	to.Object = converted.Object
	return nil
}

func (c coercingConvertor) convert(in runtime.Object, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	object, ok := in.(*unstructured.Unstructured)
	version := c.crd.Versions[kind.Version]
	if !ok || version == nil {
		return nil, fmt.Errorf("cannot convert %T to %v", in, kind)
	}
	converted, err := c.To("", object, version)
	if err != nil {
		return nil, err
	}
	return converted, version.Coerce(converted)
}

// ConvertFieldLabel implements runtime.ObjectConvertor.
func (coercingConvertor) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
