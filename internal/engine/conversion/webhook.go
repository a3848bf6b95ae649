package conversion

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/webhook"
	"github.com/crdlab/crdlab/internal/playground"
)

// respond returns the response to a ConversionReview and records both. The
// recorded UID is reproducible; the API server receives its own random UID.
func (w *Webhook) respond(req *http.Request, review map[string]any) (*http.Response, error) {
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
	if declared, source := w.declared(review, objects, to, reproducible); declared != nil {
		call.AnsweredBy, call.Response = source, jsonvalue.Encode(declared)
		w.record(call)
		return webhook.Respond(req, withUID(declared, reproducible, w.uid))
	}
	if w.request.Live.allow(req.URL) {
		response, content, err := w.request.Live.call(w.transport, req)
		call.AnsweredBy, call.Response = playground.AnsweredByWebhook, jsonvalue.Encode(withUID(content, w.uid, reproducible))
		if err != nil {
			call.Error = err.Error()
		}
		w.record(call)
		return response, err
	}
	call.AnsweredBy, call.Response = playground.AnsweredByNothing, jsonvalue.Encode(nil)
	w.record(call)
	w.noResponse = true
	return nil, ErrNoWebhook
}

// declared returns the user's response to a review, or nil, and its source.
// Responses have precedence over rules.
func (w *Webhook) declared(review map[string]any, objects []any, to string, uid types.UID) (response map[string]any, source playground.AnsweredBy) {
	if response := w.findResponse(to, uid); response != nil {
		return response, playground.AnsweredByResponse
	}
	if len(w.rules) > 0 {
		return w.convertByRules(review, objects, to, uid), playground.AnsweredByRules
	}
	return nil, playground.AnsweredByNothing
}

// withUID returns a copy of a review in which the UID of the response is replaced,
// if it is from.
func withUID(review map[string]any, from, to types.UID) map[string]any {
	review = runtime.DeepCopyJSON(review)
	if uid, _, _ := unstructured.NestedString(review, "response", "uid"); uid == string(from) {
		_ = unstructured.SetNestedField(review, string(to), "response", "uid")
	}
	return review
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
			out, err := rules.apply(object, to)
			if failed, ok := errors.AsType[*ruleError](err); ok {
				w.addFailure(rules, failed, object)
			}
			return out, err
		}
	}
	return nil, fmt.Errorf("no conversion rules from %s to %s", from, to)
}

// addFailure adds a finding about a rule that fails for an object.
func (w *Webhook) addFailure(rules *conversionRules, failed *ruleError, object map[string]any) {
	at, ok := rules.at.At("rules", failed.rule, failed.key)
	if !ok {
		return
	}
	name, _, _ := unstructured.NestedString(object, "metadata", "name")
	f := finding.Error(playground.DocumentConversion, playground.StageStore, at.Value(), fmt.Sprintf("the rule fails for the object %q: %v", name, failed.err))
	if !slices.ContainsFunc(w.findings, func(other playground.Finding) bool { return other.Range == f.Range && other.Message == f.Message }) {
		w.findings = append(w.findings, f)
	}
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
