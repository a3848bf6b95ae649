// Package conversion replaces the conversion webhook of a CRD. Conversions
// follow rules or responses that the user wrote, or call a webhook that the
// operator of the server permits.
package conversion

import (
	"errors"
	"net/http"

	upstream "k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiserverwebhook "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/webhook"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Webhook is an [feature.ConversionWebhook]. It handles the calls of the API
// server's converter in this process.
type Webhook struct {
	request   feature.ConversionRequest
	converter runtime.ObjectConvertor
	rules     []*conversionRules
	responses []map[string]any // ConversionReview objects as written
	findings  []playground.Finding

	// live permits calls over transport. Rules and responses of the user have
	// precedence.
	live      Webhooks
	transport http.RoundTripper

	stage   string                        // of the object's request
	reviews []playground.ConversionReview // the calls so far
	// uid is the API server's random UID of the current call.
	uid types.UID
	// noResponse reports that the current call found no rule, response or webhook.
	noResponse bool
}

// New returns the webhook of a CRD. It calls a permitted webhook of live only
// if request allows that and contains no rule or response for the call.
func New(request feature.ConversionRequest, live Webhooks) (*Webhook, error) {
	w := parse(request)
	if request.Live {
		w.live = live
	}
	authentication := webhook.Authentication(func(config *rest.Config) {
		config.Dial = w.live.dial
		config.Wrap(func(transport http.RoundTripper) http.RoundTripper {
			w.transport = transport
			return webhook.Handler(w.respond)
		})
	})
	factory, err := upstream.NewCRConverterFactory(apiserverwebhook.NewDefaultServiceResolver(), authentication)
	if err != nil {
		return nil, err
	}
	if w.converter, _, err = factory.NewConverter(request.CRD); err != nil {
		return nil, err
	}
	return w, nil
}

// Converter implements [feature.ConversionWebhook].
func (w *Webhook) Converter() runtime.ObjectConvertor { return w.converter }

// Findings implements [feature.ConversionWebhook].
func (w *Webhook) Findings() []playground.Finding { return w.findings }

// Reviews implements [feature.ConversionWebhook].
func (w *Webhook) Reviews() []playground.ConversionReview { return w.reviews }

// Convert implements [feature.ConversionWebhook].
func (w *Webhook) Convert(stage string, object *unstructured.Unstructured, to schema.GroupVersion) (runtime.Object, error) {
	w.stage, w.uid, w.noResponse = stage, "", false
	out, err := w.converter.ConvertToVersion(object.DeepCopy(), to)
	switch {
	case err != nil && w.noResponse:
		return out, feature.ErrNoWebhook
	case err != nil:
		return out, errors.New(w.recordError(err))
	}
	return out, nil
}
