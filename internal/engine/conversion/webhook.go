package conversion

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// Webhook is an [engine.ConversionWebhook]. It stands for the webhook of a CRD. It is the transport of
// the API server's client and answers in this process.
type Webhook struct {
	request   engine.ConversionRequest
	converter runtime.ObjectConvertor
	rules     []*conversionRules
	responses []map[string]any // ConversionReview objects as typed
	findings  []playground.Finding

	// live are the webhooks that may be called, over transport, if nothing
	// stands for the CRD's.
	live      Webhooks
	transport http.RoundTripper

	stage   string                        // of the object's request
	reviews []playground.ConversionReview // the calls so far
	// uid is that of the request under way, as the API server chose it, and
	// unanswered says that nothing stands for the webhook's answer to it.
	uid        types.UID
	unanswered bool
}

// RoundTrip implements [http.RoundTripper] for a POST of a ConversionReview.
func (w *Webhook) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	review := map[string]any{}
	if err := utiljson.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("decode ConversionReview: %w", err)
	}
	answer, err := w.answer(req, body, review)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode ConversionReview: %w", err)
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Status:     http.StatusText(http.StatusOK),
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(data)),
		Request:    req,
	}, nil
}

// answer finds what the user gave as the answer to review, and records both.
func (w *Webhook) answer(req *http.Request, body []byte, review map[string]any) (map[string]any, error) {
	request, _, _ := unstructured.NestedMap(review, "request")
	objects, _, _ := unstructured.NestedSlice(request, "objects")
	to, _, _ := unstructured.NestedString(request, "desiredAPIVersion")
	uid, _, _ := unstructured.NestedString(request, "uid")
	if len(objects) == 0 {
		return nil, errors.New("a ConversionReview without objects")
	}
	w.uid = types.UID(uid)
	first := &unstructured.Unstructured{Object: objects[0].(map[string]any)}
	repeatableUID := conversionUID(first, to)
	_ = unstructured.SetNestedField(review, string(repeatableUID), "request", "uid")
	delete(review, "response")

	call := playground.ConversionReview{From: first.GetAPIVersion(), To: to, Request: jsonvalue.Encode(review), AnsweredBy: playground.AnsweredByResponse}
	answer := w.find(to, repeatableUID)
	if answer == nil && len(w.rules) > 0 {
		call.AnsweredBy = playground.AnsweredByRules
		answer = w.convertByRules(review, objects, to, repeatableUID)
	}
	if answer == nil && w.live.allow(req.URL.String()) {
		call.AnsweredBy = playground.AnsweredByWebhook
		var err error
		if answer, err = w.ask(req, body, repeatableUID); err != nil {
			call.Error = err.Error()
			call.Response = jsonvalue.Encode(nil)
			w.record(call)
			return nil, err
		}
	}
	if answer == nil {
		call.AnsweredBy = playground.AnsweredByNothing
		w.unanswered = true
	}
	call.Response = jsonvalue.Encode(answer)
	w.record(call)
	if w.unanswered {
		return nil, engine.ErrNoWebhook
	}
	answer = runtime.DeepCopyJSON(answer)
	if got, _, _ := unstructured.NestedString(answer, "response", "uid"); got == string(repeatableUID) {
		_ = unstructured.SetNestedField(answer, uid, "response", "uid")
	}
	return answer, nil
}

// ask calls the webhook itself. Its answer is noted with the UID that can be
// repeated.
func (w *Webhook) ask(req *http.Request, body []byte, repeatable types.UID) (map[string]any, error) {
	out := req.Clone(req.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	response, err := w.live.call(w.transport, out)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, int64(finding.ObjectText.MaxBytes)))
	if err != nil {
		return nil, fmt.Errorf("read the webhook's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the webhook answered %s", response.Status)
	}
	answer := map[string]any{}
	if err := utiljson.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("decode the webhook's answer: %w", err)
	}
	if uid, _, _ := unstructured.NestedString(answer, "response", "uid"); uid == string(w.uid) {
		_ = unstructured.SetNestedField(answer, string(repeatable), "response", "uid")
	}
	return answer, nil
}

// conversionUID identifies a request in a way that can be repeated, so that an
// answer that was pasted for it fits again. The API server's is random.
func conversionUID(object *unstructured.Unstructured, to string) types.UID {
	id := strings.Join([]string{object.GetAPIVersion(), object.GetKind(), object.GetNamespace(), object.GetName(), to}, "/")
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(id)).String())
}

// find is the pasted answer to a request: that with its UID, or else one with
// objects of the desired version, or else one that names neither.
func (w *Webhook) find(to string, uid types.UID) map[string]any {
	fits := []func(response map[string]any) bool{
		func(response map[string]any) bool { return response["uid"] == string(uid) },
		func(response map[string]any) bool { return convertsTo(response, to) },
		func(response map[string]any) bool {
			got, _ := response["uid"].(string)
			objects, _ := response["convertedObjects"].([]any)
			return got == "" && len(objects) == 0
		},
	}
	for _, fit := range fits {
		for _, review := range w.responses {
			response, _, _ := unstructured.NestedMap(review, "response")
			if fit(response) {
				return review
			}
		}
	}
	return nil
}

func convertsTo(response map[string]any, apiVersion string) bool {
	objects, _ := response["convertedObjects"].([]any)
	for _, o := range objects {
		if object, ok := o.(map[string]any); ok && object["apiVersion"] == apiVersion {
			return true
		}
	}
	return false
}

// convertByRules answers like a well-behaved webhook: all objects or none.
func (w *Webhook) convertByRules(review map[string]any, objects []any, to string, uid types.UID) map[string]any {
	response := map[string]any{"uid": string(uid), "result": map[string]any{"status": metav1.StatusSuccess}}
	converted := make([]any, 0, len(objects))
	for _, o := range objects {
		out, err := w.applyRules(o.(map[string]any), to)
		if err != nil {
			response["result"] = map[string]any{"status": metav1.StatusFailure, "message": err.Error()}
			converted = []any{}
			break
		}
		converted = append(converted, out)
	}
	response["convertedObjects"] = converted
	return map[string]any{"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}
}

func (w *Webhook) applyRules(object map[string]any, to string) (map[string]any, error) {
	from, _ := object["apiVersion"].(string)
	for _, rules := range w.rules {
		if rules.converts(w.request.CRD.Spec.Group, from, to) {
			return rules.apply(object, to)
		}
	}
	return nil, fmt.Errorf("no conversion rules from %s to %s", from, to)
}

// record notes a call, once: a report may convert an object twice.
func (w *Webhook) record(review playground.ConversionReview) {
	review.Stage = w.stage
	for _, earlier := range w.reviews {
		if earlier.From == review.From && earlier.To == review.To && bytes.Equal(earlier.Request, review.Request) {
			return
		}
	}
	w.reviews = append(w.reviews, review)
}

// complain words an error about the last answer without the random UID, and
// notes it with the call.
func (w *Webhook) complain(err error) string {
	message := err.Error()
	if len(w.reviews) == 0 {
		return message
	}
	last := &w.reviews[len(w.reviews)-1]
	request := map[string]any{}
	if utiljson.Unmarshal(last.Request, &request) == nil && w.uid != "" {
		uid, _, _ := unstructured.NestedString(request, "request", "uid")
		message = strings.ReplaceAll(message, string(w.uid), uid)
	}
	last.Error = message
	return message
}
