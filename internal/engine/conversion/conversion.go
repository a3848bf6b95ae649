// Package conversion stands for the conversion webhooks of CRDs: rules or
// answers that were typed, or calls that the operator of a server allows.
package conversion

import (
	"errors"
	"net/http"

	upstream "k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// New makes a webhook. Where nothing is typed that stands for it, those of
// live are called.
func New(request engine.ConversionRequest, live Webhooks) (*Webhook, error) {
	w := newWebhook(request)
	if request.Live {
		w.live = live
	}
	factory, err := upstream.NewCRConverterFactory(webhook.NewDefaultServiceResolver(), w.authentication)
	if err != nil {
		return nil, err
	}
	if w.converter, _, err = factory.NewConverter(request.CRD); err != nil {
		return nil, err
	}
	return w, nil
}

// authentication makes all calls of webhooks go through w, which ends them in
// this process unless it is allowed to pass them on.
func (w *Webhook) authentication(webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	config := &rest.Config{
		Dial: w.live.dial,
		WrapTransport: func(transport http.RoundTripper) http.RoundTripper {
			w.transport = transport
			return w
		},
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc:        func(string) (*rest.Config, error) { return config, nil },
		ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return config, nil },
	}
}

// Converter implements [engine.ConversionWebhook].
func (w *Webhook) Converter() runtime.ObjectConvertor { return w.converter }

// Findings implements [engine.ConversionWebhook].
func (w *Webhook) Findings() []playground.Finding { return w.findings }

// Reviews implements [engine.ConversionWebhook].
func (w *Webhook) Reviews() []playground.ConversionReview { return w.reviews }

// Convert implements [engine.ConversionWebhook].
func (w *Webhook) Convert(stage string, object *unstructured.Unstructured, to schema.GroupVersion) (runtime.Object, error) {
	w.stage, w.uid, w.unanswered = stage, "", false
	out, err := w.converter.ConvertToVersion(object.DeepCopy(), to)
	switch {
	case err != nil && w.unanswered:
		return out, engine.ErrNoWebhook
	case err != nil:
		return out, errors.New(w.complain(err))
	}
	return out, nil
}

// property is the schema of a field; nil if it has none.
func property(root *structuralschema.Structural, path []string) *structuralschema.Structural {
	node := root
	for _, step := range path {
		if node == nil {
			return nil
		}
		if child, ok := node.Properties[step]; ok {
			node = &child
		} else if node.AdditionalProperties != nil {
			node = node.AdditionalProperties.Structural
		} else {
			return nil
		}
	}
	return node
}
