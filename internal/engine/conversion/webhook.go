package conversion

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/webhook"
	"github.com/crdlab/crdlab/internal/playground"
)

// respond returns the response to a ConversionReview and records both. The
// recorded UID is reproducible; the API server receives its own random UID.
func (w *Webhook) respond(req *http.Request, review map[string]any) (map[string]any, error) {
	request, _, _ := unstructured.NestedMap(review, "request")
	objects, _, _ := unstructured.NestedSlice(request, "objects")
	to, _, _ := unstructured.NestedString(request, "desiredAPIVersion")
	uid, _, _ := unstructured.NestedString(request, "uid")
	if len(objects) == 0 {
		return nil, errors.New("a ConversionReview without objects")
	}
	w.uid = types.UID(uid)
	first := &unstructured.Unstructured{Object: objects[0].(map[string]any)}
	reproducible := webhook.UID(first.GetAPIVersion(), first.GetKind(), first.GetNamespace(), first.GetName(), to)
	_ = unstructured.SetNestedField(review, string(reproducible), "request", "uid")
	delete(review, "response")

	call := playground.ConversionReview{From: first.GetAPIVersion(), To: to, Request: jsonvalue.Encode(review)}
	response, source, err := w.convert(req, review, objects, to, reproducible)
	if err != nil {
		call.Error = err.Error()
	}
	call.AnsweredBy = source
	call.Response = jsonvalue.Encode(response)
	w.record(call)
	if err != nil {
		return nil, err
	}
	if w.noResponse = source == playground.AnsweredByNothing; w.noResponse {
		return nil, feature.ErrNoWebhook
	}
	response = runtime.DeepCopyJSON(response)
	if got, _, _ := unstructured.NestedString(response, "response", "uid"); got == string(reproducible) {
		_ = unstructured.SetNestedField(response, uid, "response", "uid")
	}
	return response, nil
}

// convert returns the response to a review and its source, such as
// [playground.AnsweredByRules]. The user's responses have precedence over rules,
// and rules over a live webhook.
func (w *Webhook) convert(req *http.Request, review map[string]any, objects []any, to string, uid types.UID) (response map[string]any, source string, err error) {
	if response := w.findResponse(to, uid); response != nil {
		return response, playground.AnsweredByResponse, nil
	}
	if len(w.rules) > 0 {
		return w.convertByRules(review, objects, to, uid), playground.AnsweredByRules, nil
	}
	if w.live.allow(req.URL.String()) {
		if response, err := w.callLive(req, uid); err != nil || response != nil {
			return response, playground.AnsweredByWebhook, err
		}
	}
	return nil, playground.AnsweredByNothing, nil
}

// callLive calls the permitted webhook of the CRD. Its result has the
// reproducible UID.
func (w *Webhook) callLive(req *http.Request, reproducible types.UID) (map[string]any, error) {
	response, err := w.live.call(w.transport, req)
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
	review := map[string]any{}
	if err := utiljson.Unmarshal(data, &review); err != nil {
		return nil, fmt.Errorf("decode the webhook's answer: %w", err)
	}
	if uid, _, _ := unstructured.NestedString(review, "response", "uid"); uid == string(w.uid) {
		_ = unstructured.SetNestedField(review, string(reproducible), "response", "uid")
	}
	return review, nil
}

// findResponse returns the user's response to a call, or nil. A response with
// the UID of the call is preferred, then one with objects of the desired version,
// then one without a UID and objects.
func (w *Webhook) findResponse(to string, uid types.UID) map[string]any {
	matches := []func(response map[string]any) bool{
		func(response map[string]any) bool { return response["uid"] == string(uid) },
		func(response map[string]any) bool { return convertsTo(response, to) },
		func(response map[string]any) bool {
			got, _ := response["uid"].(string)
			objects, _ := response["convertedObjects"].([]any)
			return got == "" && len(objects) == 0
		},
	}
	for _, match := range matches {
		for _, review := range w.responses {
			response, _, _ := unstructured.NestedMap(review, "response")
			if match(response) {
				return review
			}
		}
	}
	return nil
}

// convertsTo reports whether a response contains an object of apiVersion.
func convertsTo(response map[string]any, apiVersion string) bool {
	objects, _ := response["convertedObjects"].([]any)
	for _, o := range objects {
		if object, ok := o.(map[string]any); ok && object["apiVersion"] == apiVersion {
			return true
		}
	}
	return false
}

// convertByRules returns the response of a correct webhook: it converts all
// objects, or fails without any.
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

// record adds a call to the report. An evaluation may convert an object twice;
// only the first of equal calls is recorded.
func (w *Webhook) record(review playground.ConversionReview) {
	review.Stage = w.stage
	for _, earlier := range w.reviews {
		if earlier.From == review.From && earlier.To == review.To && bytes.Equal(earlier.Request, review.Request) {
			return
		}
	}
	w.reviews = append(w.reviews, review)
}

// recordError adds an error of the converter to the last call. It returns the
// message, with the reproducible UID instead of the random one.
func (w *Webhook) recordError(err error) string {
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
