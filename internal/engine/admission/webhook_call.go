package admission

import (
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/webhook"
	"github.com/crdlab/crdlab/internal/playground"
)

// respond returns the response of a webhook to an AdmissionReview and records
// both. The default response allows the request. The recorded UID is
// reproducible; the plugin receives its own random UID.
func (p *Plugins) respond(req *http.Request, review map[string]any) (*http.Response, error) {
	w, err := p.webhookAt(req.URL.Hostname())
	if err != nil {
		return nil, err
	}
	record := recordOf(req.Context())
	known := record.webhook(w)
	request, _, _ := unstructured.NestedMap(review, "request")
	uid, _ := request["uid"].(string)
	reproducible := reviewUID(w, request, len(known.calls))
	record.uids[uid] = reproducible
	request["uid"] = reproducible
	review["request"] = request
	call := playground.AdmissionCall{Request: jsonvalue.Encode(review), Response: jsonvalue.Encode(nil), Patch: jsonvalue.Encode(nil), Reinvocation: record.reinvocation}

	out := map[string]any{"apiVersion": review["apiVersion"], "kind": review["kind"], "response": map[string]any{"allowed": true}}
	declared := p.findResponse(record, w, request)
	if declared != nil {
		out = runtime.DeepCopyJSON(declared.Review)
		at := declared.Range
		call.ResponseRange = &at
	}
	response, _ := out["response"].(map[string]any)
	if response != nil && (response["uid"] == nil || response["uid"] == "") {
		response["uid"] = reproducible
	}
	if declared != nil {
		call.Response = jsonvalue.Encode(out)
	}
	if response != nil && response["uid"] == reproducible {
		response["uid"] = uid
	}
	known.setOutcome(w, types.UID(uid), out, request, &call, record)
	known.calls = append(known.calls, call)
	return webhook.Respond(req, out)
}

// findResponse returns the manifest's response to a request, or nil. Several
// matching responses serve successive calls; the last one repeats.
func (p *Plugins) findResponse(record *record, w *admissionWebhook, request map[string]any) *manifest.WebhookResponse {
	var last *manifest.WebhookResponse
	for _, r := range p.responses {
		if !r.Matches(w.name, request) {
			continue
		}
		last = r
		if !record.used[r] {
			break
		}
	}
	if last != nil {
		record.used[last] = true
	}
	return last
}

// reviewUID returns a reproducible UID for a call of a webhook.
func reviewUID(w *admissionWebhook, request map[string]any, call int) string {
	id := []string{w.kind, w.configuration, w.name, strconv.Itoa(call)}
	for _, field := range []string{"operation", "namespace", "name"} {
		value, _ := request[field].(string)
		id = append(id, value)
	}
	return string(webhook.UID(id...))
}
