package apiclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// A WebhookReplay is a conversion webhook that repeats the responses in a report
// of the engine. Calls that the engine did not make fail.
type WebhookReplay struct {
	calls map[string]playground.ConversionReview // by the key of readCall
	// unanswered is set by a call for which the scenario has no response.
	unanswered atomic.Bool
	// unknown is set by a call that the engine did not make.
	unknown atomic.Bool
}

// replayWebhook connects the cluster with the responses that the scenario has
// for the conversion webhook, if any.
func (c *Client) replayWebhook(s playground.Scenario) error {
	c.webhook = nil
	c.cluster.SetConversionWebhook(nil)
	if s.Conversion == "" || !c.hasWebhook() {
		return nil
	}
	if c.evaluate == nil {
		return &UnsupportedError{"nobody says what the conversion webhook answers"}
	}
	report, err := c.evaluate(context.Background(), s)
	if err != nil {
		return fmt.Errorf("evaluate the webhook's responses: %w", err)
	}
	if c.webhook, err = NewWebhookReplay(report); err != nil {
		return err
	}
	c.cluster.SetConversionWebhook(c.webhook)
	return nil
}

// NewWebhookReplay returns a webhook that repeats the responses in a report.
func NewWebhookReplay(report playground.Report) (*WebhookReplay, error) {
	w := &WebhookReplay{calls: map[string]playground.ConversionReview{}}
	for _, object := range report.Objects {
		for _, call := range object.Conversions {
			key, _, err := readCall(call.Request)
			if err != nil {
				return nil, err
			}
			w.calls[key] = call
		}
	}
	return w, nil
}

// MissesCalls reports whether the last scenario called its conversion webhook
// with a request that the engine's report does not have.
func (c *Client) MissesCalls() bool { return c.webhook != nil && c.webhook.unknown.Load() }

// takeUnanswered reports whether a call since the last takeUnanswered had no
// response. A nil webhook received no calls.
func (w *WebhookReplay) takeUnanswered() bool { return w != nil && w.unanswered.Swap(false) }

// ServeHTTP responds to a ConversionReview.
func (w *WebhookReplay) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	key, uids, err := readCall(body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	call, ok := w.calls[key]
	if !ok {
		w.unknown.Store(true)
		http.Error(response, "the engine did not make this call: "+key, http.StatusInternalServerError)
		return
	}
	if call.AnsweredBy == playground.AnsweredByNothing {
		w.unanswered.Store(true)
		http.Error(response, "the scenario has no response", http.StatusServiceUnavailable)
		return
	}
	_, recorded, err := readCall(call.Request)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(response, replaceEach(string(call.Response), recorded, uids))
}

// replaceEach replaces each from[i] by to[i].
func replaceEach(body string, from, to []string) string {
	for i := range from {
		if i < len(to) && from[i] != "" {
			body = strings.ReplaceAll(body, from[i], to[i])
		}
	}
	return body
}

// readCall returns a key of the request in a ConversionReview, which leaves out
// the values that differ in each run of a server. It also returns the UIDs of the
// request and of its objects.
func readCall(review []byte) (key string, uids []string, err error) {
	content := map[string]any{}
	if err := playground.DecodeJSON(review, &content); err != nil {
		return "", nil, fmt.Errorf("decode a ConversionReview: %w", err)
	}
	delete(content, "response")
	request, _ := content["request"].(map[string]any)
	uid, _ := request["uid"].(string)
	uids = append(uids, uid)
	delete(request, "uid")
	objects, _ := request["objects"].([]any)
	for _, object := range objects {
		uid, _ := verdict.Metadata(object)["uid"].(string)
		uids = append(uids, uid)
		verdict.DropServerMetadata(object)
	}
	normal, err := json.Marshal(content)
	return string(normal), uids, err
}
