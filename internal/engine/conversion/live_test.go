//go:build !js

package conversion_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/playground"
)

// liveScenario converts an object by the webhook at url.
func liveScenario(url, caBundle string) playground.Scenario {
	return playground.Scenario{
		CRD: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: "` + url + `", caBundle: "` + caBundle + `"}
`,
		Object: "apiVersion: example.com/v2\nkind: Thing\nmetadata: {name: a}\nsize: 1\n",
	}
}

// convertingWebhook converts objects by changing only their apiVersion.
func convertingWebhook(w http.ResponseWriter, r *http.Request) {
	review := map[string]any{}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request := review["request"].(map[string]any)
	for _, o := range request["objects"].([]any) {
		o.(map[string]any)["apiVersion"] = request["desiredAPIVersion"]
	}
	review["response"] = map[string]any{
		"uid":              request["uid"],
		"result":           map[string]any{"status": "Success"},
		"convertedObjects": request["objects"],
	}
	delete(review, "request")
	_ = json.NewEncoder(w).Encode(review)
}

func TestLiveConversionWebhook(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://example.com/", http.StatusTemporaryRedirect)
	}
	tests := []struct {
		name     string
		answer   http.HandlerFunc
		allowed  bool
		networks []netip.Prefix
		trusted  bool
		accepted bool
		call     playground.ConversionReview // AnsweredBy, and a substring of Error
	}{
		{"called", convertingWebhook, true, loopback, true, true, playground.ConversionReview{AnsweredBy: playground.AnsweredByWebhook}},
		{"not allowed", convertingWebhook, false, loopback, true, true, playground.ConversionReview{AnsweredBy: playground.AnsweredByNothing}},
		{"another network", convertingWebhook, true, nil, true, false, playground.ConversionReview{AnsweredBy: playground.AnsweredByWebhook, Error: "not in an allowed network"}},
		{"another certificate", convertingWebhook, true, loopback, false, false, playground.ConversionReview{AnsweredBy: playground.AnsweredByWebhook, Error: "certificate"}},
		{"redirect", redirect, true, loopback, true, false, playground.ConversionReview{AnsweredBy: playground.AnsweredByWebhook, Error: "redirects"}},
		{"broken answer", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("no JSON")) }, true, loopback, true, false,
			playground.ConversionReview{AnsweredBy: playground.AnsweredByWebhook, Error: "decode the webhook's answer"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewTLSServer(test.answer)
			defer server.Close()
			url := server.URL + "/convert"
			webhooks := conversion.Webhooks{Networks: test.networks}
			if test.allowed {
				webhooks.URLs = []string{url}
			}
			caBundle := ""
			if test.trusted {
				certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
				caBundle = base64.StdEncoding.EncodeToString(certificate)
			}
			report, err := whole.NewWithWebhooks(webhooks).Evaluate(context.Background(), liveScenario(url, caBundle))
			if err != nil {
				t.Fatal(err)
			}
			object := report.Objects[0]
			if object.Accepted != test.accepted || len(object.Conversions) == 0 {
				t.Fatalf("accepted: %v, calls: %d; %s", object.Accepted, len(object.Conversions), object.Output)
			}
			call := object.Conversions[0]
			if call.AnsweredBy != test.call.AnsweredBy || !strings.Contains(call.Error, test.call.Error) || (call.Error == "") != (test.call.Error == "") {
				t.Errorf("got a call answered by %q with error %q", call.AnsweredBy, call.Error)
			}
		})
	}
}
