package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/playground"
)

// WebhookPlayer answers the calls of a conversion webhook with what the engine
// was answered to the same calls. Calls that the engine did not make fail.
type WebhookPlayer struct {
	calls map[string]playground.ConversionReview // by the request in normal form
	// unanswered says that nothing stood for the answer to a call.
	unanswered atomic.Bool
}

// playWebhook lets the cluster reach what stands for the webhook of the
// scenario's CRD, if anything does.
func (t *Trial) playWebhook(s playground.Scenario) error {
	t.webhook = nil
	t.cluster.AnswerWebhooks(nil)
	if s.Conversion == "" || !t.hasWebhook() {
		return nil
	}
	if t.evaluate == nil {
		return &UnaskedError{"nobody says what the conversion webhook answers"}
	}
	report, err := t.evaluate(context.Background(), s)
	if err != nil {
		return fmt.Errorf("evaluate what the webhook answers: %w", err)
	}
	if t.webhook, err = PlayWebhook(report); err != nil {
		return err
	}
	t.cluster.AnswerWebhooks(t.webhook)
	return nil
}

// PlayWebhook returns what answers the calls of which a report tells.
func PlayWebhook(report playground.Report) (*WebhookPlayer, error) {
	w := &WebhookPlayer{calls: map[string]playground.ConversionReview{}}
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

// lacksAnswer says whether a call since the last time was one that nothing
// stood for.
func (w *WebhookPlayer) lacksAnswer() bool { return w != nil && w.unanswered.Swap(false) }

// ServeHTTP implements [http.Handler] for ConversionReviews.
func (w *WebhookPlayer) ServeHTTP(response http.ResponseWriter, request *http.Request) {
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
		http.Error(response, "the engine did not ask: "+key, http.StatusInternalServerError)
		return
	}
	if call.AnsweredBy == playground.AnsweredByNothing {
		w.unanswered.Store(true)
		http.Error(response, "nothing stands for the webhook", http.StatusServiceUnavailable)
		return
	}
	_, own, err := readCall(call.Request)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(response, replaceEach(string(call.Response), own, uids))
}

// replaceEach puts to[i] in the place of from[i].
func replaceEach(text string, from, to []string) string {
	for i := range from {
		if i < len(to) && from[i] != "" {
			text = strings.ReplaceAll(text, from[i], to[i])
		}
	}
	return text
}

// readCall is a ConversionReview's request without what differs in each run of
// a server, and the UIDs in it: that of the request and those of its objects.
func readCall(review []byte) (key string, uids []string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(review))
	decoder.UseNumber()
	content := map[string]any{}
	if err := decoder.Decode(&content); err != nil {
		return "", nil, fmt.Errorf("decode a ConversionReview: %w", err)
	}
	delete(content, "response")
	request, _ := content["request"].(map[string]any)
	uid, _ := request["uid"].(string)
	uids = append(uids, uid)
	delete(request, "uid")
	objects, _ := request["objects"].([]any)
	for _, object := range objects {
		object, _ := object.(map[string]any)
		uid, _, _ := unstructured.NestedString(object, "metadata", "uid")
		uids = append(uids, uid)
		for _, volatile := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
			unstructured.RemoveNestedField(object, "metadata", volatile)
		}
	}
	normal, err := json.Marshal(content)
	return string(normal), uids, err
}
