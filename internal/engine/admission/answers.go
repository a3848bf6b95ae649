package admission

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	webhookerrors "k8s.io/apiserver/pkg/admission/plugin/webhook/errors"
	webhookrequest "k8s.io/apiserver/pkg/admission/plugin/webhook/request"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// webhookAnswer is an AdmissionReview of the admission text.
type webhookAnswer struct {
	webhook string         // the webhook whose answer it is; empty: every webhook
	request map[string]any // what the request has to be; empty: any
	review  map[string]any
	at      playground.Range
}

// readAnswer reads an AdmissionReview with a response.
func (t *admissionText) readAnswer(doc *source.Document) error {
	review := map[string]any{}
	if err := decodeDeclared(doc, &review); err != nil {
		return err
	}
	review = runtime.DeepCopyJSON(review)
	a := &webhookAnswer{review: review, at: rangeOrKind(doc, "kind")}
	a.webhook, _, _ = unstructured.NestedString(review, "metadata", "name")
	a.request, _, _ = unstructured.NestedMap(review, "request")
	delete(review, "metadata")
	delete(review, "request")
	t.answers = append(t.answers, a)
	return encodePatch(review)
}

// encodePatch turns a patch that is written as a list, or as its JSON, into
// what the API has: the base64 of its JSON.
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

// answers says whether a is the answer to a webhook's request.
func (a *webhookAnswer) answers(w *admissionWebhook, request map[string]any) bool {
	if a.webhook != "" && a.webhook != w.name {
		return false
	}
	for _, field := range []string{"name", "namespace", "operation", "uid"} {
		if want, ok := a.request[field]; ok && want != request[field] {
			return false
		}
	}
	return true
}

// RoundTrip implements [http.RoundTripper] for a POST of an AdmissionReview.
func (c *Control) RoundTrip(req *http.Request) (*http.Response, error) {
	w, err := c.webhookAt(req.URL.Hostname())
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	review := map[string]any{}
	if err := utiljson.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("decode AdmissionReview: %w", err)
	}
	data, err := json.Marshal(c.answer(recordOf(req.Context()), w, review))
	if err != nil {
		return nil, fmt.Errorf("encode AdmissionReview: %w", err)
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Status:     http.StatusText(http.StatusOK),
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(data)),
		Request:    req,
	}, nil
}

// answer is what the text has for the webhook to answer, or else that it
// allows the request.
func (c *Control) answer(record *Record, w *admissionWebhook, review map[string]any) map[string]any {
	request, _, _ := unstructured.NestedMap(review, "request")
	uid, _ := request["uid"].(string)
	known := record.webhook(w)
	repeatable := reviewUID(w, request, len(known.calls))
	record.uids[uid] = repeatable
	request["uid"] = repeatable
	review["request"] = request
	call := playground.AdmissionCall{Request: jsonvalue.Encode(review), Response: jsonvalue.Encode(nil), Patch: jsonvalue.Encode(nil), Reinvocation: record.reinvocation}
	answer := map[string]any{"apiVersion": review["apiVersion"], "kind": review["kind"], "response": map[string]any{"allowed": true}}
	pasted := c.findAnswer(record, w, request)
	if pasted != nil {
		answer = runtime.DeepCopyJSON(pasted.review)
		at := pasted.at
		call.ResponseRange = &at
	}
	response, _ := answer["response"].(map[string]any)
	if response != nil && (response["uid"] == nil || response["uid"] == "") {
		response["uid"] = repeatable
	}
	if pasted != nil {
		call.Response = jsonvalue.Encode(answer)
	}
	if response != nil && response["uid"] == repeatable {
		response["uid"] = uid
	}
	known.judge(w, types.UID(uid), answer, request, &call, record)
	known.calls = append(known.calls, call)
	return answer
}

// findAnswer is the pasted answer to a request, or nil.
func (c *Control) findAnswer(record *Record, w *admissionWebhook, request map[string]any) *webhookAnswer {
	var last *webhookAnswer
	for _, a := range c.answers {
		if !a.answers(w, request) {
			continue
		}
		last = a
		if !record.used[a] {
			break
		}
	}
	if last != nil {
		record.used[last] = true
	}
	return last
}

// reviewUID identifies a request in a way that can be repeated, so that an
// answer that was pasted for it fits again. The API server's is random.
func reviewUID(w *admissionWebhook, request map[string]any, call int) string {
	id := []string{w.kind, w.configuration, w.name, strconv.Itoa(call)}
	for _, field := range []string{"operation", "namespace", "name"} {
		value, _ := request[field].(string)
		id = append(id, value)
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(strings.Join(id, "/"))).String()
}

// webhookRecord is what is known of a webhook's part in a request.
type webhookRecord struct {
	outcome playground.Outcome
	why     string
	calls   []playground.AdmissionCall
}

func (r *Record) webhook(w *admissionWebhook) *webhookRecord {
	if r.webhooks[w] == nil {
		r.webhooks[w] = &webhookRecord{outcome: playground.OutcomePass}
	}
	return r.webhooks[w]
}

// judge notes what the plugin makes of an answer, with the plugin's own check.
func (k *webhookRecord) judge(w *admissionWebhook, uid types.UID, answer, request map[string]any, call *playground.AdmissionCall, record *Record) {
	result, err := verifyAnswer(uid, w.mutates(), answer)
	switch {
	case err != nil:
		k.outcome, k.why = playground.OutcomeError, "received invalid webhook response: "+record.repeatable(err.Error())
		if w.ignoresFailure {
			k.why += "; failurePolicy Ignore lets the request go on"
		} else {
			record.failedAt = &w.at
		}
		return
	case !result.Allowed:
		k.outcome, k.why = playground.OutcomeFail, webhookerrors.ToStatusErr(w.name, result.Result).ErrStatus.Message
		record.failedAt = &w.at
		return
	case call.ResponseRange == nil:
		k.why = "no AdmissionReview answers this request, so it goes on as if the webhook had allowed it"
	}
	if len(result.Patch) == 0 {
		return
	}
	call.Patch = encodeText(result.Patch)
	before, _ := request["object"].(map[string]any)
	after, err := applyPatch(before, result.Patch)
	if err != nil {
		k.outcome, k.why = playground.OutcomeError, err.Error()
		record.failedAt = &w.at
		return
	}
	record.mutations = append(record.mutations, engine.Mutation{By: fmt.Sprintf("JSON Patch of the webhook %q", w.name), Before: before, After: after})
}

func verifyAnswer(uid types.UID, mutating bool, answer map[string]any) (*webhookrequest.AdmissionResponse, error) {
	var review runtime.Object = &admissionv1.AdmissionReview{}
	if answer["apiVersion"] == admissionv1beta1.SchemeGroupVersion.String() {
		review = &admissionv1beta1.AdmissionReview{}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answer, review); err != nil {
		return nil, err
	}
	return webhookrequest.VerifyAdmissionResponse(uid, mutating, review)
}

func applyPatch(object map[string]any, patch []byte) (map[string]any, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, fmt.Errorf("received undecodable patch in webhook response: %w", err)
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if data, err = operations.Apply(data); err != nil {
		return nil, err
	}
	patched := map[string]any{}
	return patched, utiljson.Unmarshal(data, &patched)
}

// encodeText is JSON text with sorted keys, or a JSON string if it is none.
func encodeText(text []byte) json.RawMessage {
	var value any
	if err := utiljson.Unmarshal(text, &value); err != nil {
		return jsonvalue.Encode(string(text))
	}
	return jsonvalue.Encode(value)
}

// repeatable takes the random UIDs of requests out of a message.
func (r *Record) repeatable(message string) string {
	for uid, repeatable := range r.uids {
		message = strings.ReplaceAll(message, uid, repeatable)
	}
	return message
}
