// Package conversion replaces the conversion webhook of a CRD. Conversions
// follow rules or responses that the user wrote, or call a webhook that the
// operator of the server permits.
package conversion

import (
	"errors"
	"net/http"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	upstream "k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiserverwebhook "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/crdlab/crdlab/internal/engine/webhook"
	"github.com/crdlab/crdlab/internal/playground"
)

// ErrNoWebhook reports that converting an object requires the CRD's conversion webhook,
// which the scenario does not replace.
var ErrNoWebhook = errors.New("the conversion webhook has no response in the scenario")

// A Request holds the parameters of a [Webhook].
type Request struct {
	CRD *apiextensionsv1.CustomResourceDefinition
	// Schemas holds the structural schemas of the CRD by version.
	Schemas map[string]*structuralschema.Structural
	// Text is the conversion document, which replaces the webhook.
	Text string
	// Live permits calls of the real webhook if Text has no rule or response for them.
	Live Webhooks
}

// A Webhook replaces the conversion webhook of a CRD for one evaluation. It handles the calls
// of the API server's converter in this process.
type Webhook struct {
	request   Request
	converter runtime.ObjectConvertor
	rules     []*conversionRules
	responses []map[string]any // ConversionReview objects as written
	findings  []playground.Finding

	// transport carries the calls of a permitted webhook. Rules and responses of the user
	// have precedence.
	transport http.RoundTripper

	stage   string                        // of the object's request
	reviews []playground.ConversionReview // the calls so far
	// uid is the API server's random UID of the current call.
	uid types.UID
	// noResponse reports that the current call found no rule, response or webhook.
	noResponse bool
}

// New returns the webhook of a CRD.
func New(request Request) (*Webhook, error) {
	w := parse(request)
	authentication := webhook.Authentication(func(config *rest.Config) {
		config.Dial = request.Live.dial
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

// Converter returns the API server's converter, with its original errors.
func (w *Webhook) Converter() runtime.ObjectConvertor { return w.converter }

// Findings returns the findings about the conversion document.
func (w *Webhook) Findings() []playground.Finding { return w.findings }

// Reviews returns the previous calls without duplicates.
func (w *Webhook) Reviews() []playground.ConversionReview { return w.reviews }

// Convert converts an object in a stage of a request. The error is [ErrNoWebhook] or the API
// server's response.
func (w *Webhook) Convert(stage string, object *unstructured.Unstructured, to schema.GroupVersion) (runtime.Object, error) {
	w.stage, w.uid, w.noResponse = stage, "", false
	out, err := w.converter.ConvertToVersion(object.DeepCopy(), to)
	switch {
	case err != nil && w.noResponse:
		return out, ErrNoWebhook
	case err != nil:
		return out, errors.New(w.recordError(err))
	}
	return out, nil
}
