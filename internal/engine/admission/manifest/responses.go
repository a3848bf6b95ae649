package manifest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A WebhookResponse is an AdmissionReview with the response of a webhook.
type WebhookResponse struct {
	Review  map[string]any // without metadata and request
	Range   playground.Range
	webhook string         // the name of the webhook; empty for all
	request map[string]any // the required fields of the request; empty for all
}

// Matches reports whether r is a response to a request to the named webhook.
func (r *WebhookResponse) Matches(webhook string, request map[string]any) bool {
	if r.webhook != "" && r.webhook != webhook {
		return false
	}
	for _, field := range []string{"name", "namespace", "operation", "uid"} {
		if want, ok := r.request[field]; ok && want != request[field] {
			return false
		}
	}
	return true
}

// decodeResponse decodes an AdmissionReview. Its metadata.name names the webhook,
// and its request selects requests.
func (m *Manifest) decodeResponse(doc *source.Document) error {
	review := map[string]any{}
	if err := decodeStrict(doc, &review); err != nil {
		return err
	}
	review = runtime.DeepCopyJSON(review)
	r := &WebhookResponse{Review: review, Range: valueRange(doc, "kind")}
	r.webhook, _, _ = unstructured.NestedString(review, "metadata", "name")
	r.request, _, _ = unstructured.NestedMap(review, "request")
	delete(review, "metadata")
	delete(review, "request")
	m.Responses = append(m.Responses, r)
	return encodePatch(review)
}

// encodePatch replaces a patch that is written as a list or as JSON by the form
// of the API: base64 of its JSON.
func encodePatch(review map[string]any) error {
	response, ok := review["response"].(map[string]any)
	if !ok {
		return nil
	}
	switch patch := response["patch"].(type) {
	case []any:
		data, err := json.Marshal(patch)
		if err != nil {
			return fmt.Errorf("response.patch: %w", err)
		}
		response["patch"] = base64.StdEncoding.EncodeToString(data)
	case string:
		if strings.HasPrefix(strings.TrimSpace(patch), "[") {
			response["patch"] = base64.StdEncoding.EncodeToString([]byte(patch))
		}
	}
	return nil
}

// checkResponses warns of responses without a webhook.
func (m *Manifest) checkResponses() {
	webhooks := map[string]bool{}
	for _, configuration := range m.MutatingWebhooks {
		for _, w := range configuration.Object.Webhooks {
			webhooks[w.Name] = true
		}
	}
	for _, configuration := range m.ValidatingWebhooks {
		for _, w := range configuration.Object.Webhooks {
			webhooks[w.Name] = true
		}
	}
	for _, r := range m.Responses {
		switch {
		case len(webhooks) == 0:
			m.warn(r.Range, "there is no webhook configuration, so this response has no effect")
		case r.webhook != "" && !webhooks[r.webhook]:
			m.warn(r.Range, fmt.Sprintf("no webhook is named %q, so this response has no effect", r.webhook))
		}
	}
}
