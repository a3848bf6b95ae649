package admission

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	webhookerrors "k8s.io/apiserver/pkg/admission/plugin/webhook/errors"
	webhookrequest "k8s.io/apiserver/pkg/admission/plugin/webhook/request"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// A webhookRecord holds the calls of a webhook for one request, and their outcome.
type webhookRecord struct {
	outcome playground.Outcome
	why     string
	calls   []playground.AdmissionCall
}

func (r *record) webhook(w *admissionWebhook) *webhookRecord {
	if r.webhooks[w] == nil {
		r.webhooks[w] = &webhookRecord{outcome: playground.OutcomePass}
	}
	return r.webhooks[w]
}

// setOutcome records the outcome of a call, determined by the plugin's own check,
// and its patch.
func (k *webhookRecord) setOutcome(w *admissionWebhook, uid types.UID, response, request map[string]any, call *playground.AdmissionCall, record *record) {
	result, err := verifyResponse(uid, w.mutates(), response)
	switch {
	case err != nil:
		k.outcome, k.why = playground.OutcomeError, "received invalid webhook response: "+record.replaceUIDs(err.Error())
		if w.ignoresFailure {
			k.why += "; the request continues, because failurePolicy is Ignore"
		} else {
			record.fail(w.at, nil)
		}
		return
	case !result.Allowed:
		k.outcome, k.why = playground.OutcomeFail, webhookerrors.ToStatusErr(w.name, result.Result).ErrStatus.Message
		record.fail(w.at, nil)
		record.refused = true
		return
	case call.ResponseRange == nil:
		k.why = "there is no AdmissionReview response for this request, so crdlab assumes that the webhook allows it"
	}
	if len(result.Patch) == 0 {
		return
	}
	call.Patch = encodeJSON(result.Patch)
	before, _ := request["object"].(map[string]any)
	after, err := applyPatch(before, result.Patch)
	if err != nil {
		k.outcome, k.why = playground.OutcomeError, err.Error()
		record.fail(w.at, nil)
		return
	}
	record.mutations = append(record.mutations, Mutation{By: fmt.Sprintf("JSON Patch of the webhook %q", w.name), Before: before, After: after})
}

func verifyResponse(uid types.UID, mutating bool, response map[string]any) (*webhookrequest.AdmissionResponse, error) {
	var review runtime.Object = &admissionv1.AdmissionReview{}
	if response["apiVersion"] == admissionv1beta1.SchemeGroupVersion.String() {
		review = &admissionv1beta1.AdmissionReview{}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(response, review); err != nil {
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

// encodeJSON returns data with sorted keys, or as a JSON string if it is invalid.
func encodeJSON(data []byte) json.RawMessage {
	var value any
	if err := utiljson.Unmarshal(data, &value); err != nil {
		return jsonvalue.Encode(string(data))
	}
	return jsonvalue.Encode(value)
}
