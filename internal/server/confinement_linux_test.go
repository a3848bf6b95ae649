package server

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// startChildren returns a pool of the server's own children, and a function that returns
// the last one.
func startChildren(t *testing.T) (pool *procpool.Pool, last func() *exec.Cmd) {
	t.Helper()
	var command *exec.Cmd
	pool = procpool.New(func() *exec.Cmd {
		command = newChild(nil)
		return command
	}, 1)
	t.Cleanup(pool.Close)
	return pool, func() *exec.Cmd { return command }
}

func evaluateIn(t *testing.T, pool *procpool.Pool, scenario playground.Scenario) (report playground.Report) {
	t.Helper()
	body, err := json.Marshal(scenario)
	if err != nil {
		t.Fatal(err)
	}
	if body, err = pool.Render(t.Context(), playground.Request{Task: playground.TaskReport, Body: body}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestChildHasNoSecrets reads the environment and the rights of a child from the kernel.
func TestChildHasNoSecrets(t *testing.T) {
	t.Setenv(operatorTokenVariable, "secret")
	t.Setenv(storeVariable, "postgres://user:secret@host/database")
	t.Setenv(webhooksVariable, "https://example.com/convert")
	pool, last := startChildren(t)
	evaluateIn(t, pool, playground.Scenario{})
	process := fmt.Sprintf("/proc/%d/", last().Process.Pid)
	if environment, err := os.ReadFile(process + "environ"); err == nil && string(environment) != webhooksVariable+"=https://example.com/convert\x00" {
		t.Errorf("the environment is %q", environment)
	} else if err != nil && !os.IsPermission(err) { // only the superuser can read it
		t.Error(err)
	}
	if want := []string{webhooksVariable + "=https://example.com/convert"}; !reflect.DeepEqual(last().Env, want) {
		t.Errorf("the environment is %q", last().Env)
	}
	status, err := os.ReadFile(process + "status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nNoNewPrivs:\t1\n", "\nSeccomp:\t2\n"} {
		if !strings.Contains(string(status), want) {
			t.Errorf("the status lacks %q", want)
		}
	}
}

// TestTimeZonesInChild uses a time zone, although a child cannot open its file.
func TestTimeZonesInChild(t *testing.T) {
	pool, _ := startChildren(t)
	report := evaluateIn(t, pool, playground.Scenario{
		CRD:    thing("t: {type: string, format: date-time}", "!has(self.t) || self.t.getHours('Europe/Berlin') == 2"),
		Object: ofThing("t: 2026-07-01T00:00:00Z"),
	})
	if !report.CRD.Accepted || !report.Objects[0].Accepted {
		t.Errorf("got %+v", report.CRD.Status)
	}
}

// TestWebhookInChild calls a conversion webhook from a child, which may use the network
// only if webhooks are permitted.
func TestWebhookInChild(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var review struct {
			Request struct {
				UID     string
				Objects []map[string]any
			}
		}
		if err := json.Unmarshal(body, &review); err != nil {
			t.Error(err)
		}
		for _, object := range review.Request.Objects {
			object["apiVersion"] = "example.com/v1"
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
			"response": map[string]any{"uid": review.Request.UID, "result": map[string]any{"status": "Success"}, "convertedObjects": review.Request.Objects},
		})
	}))
	defer server.Close()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	webhook := fmt.Sprintf("  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: '%s', caBundle: %s}}}\n",
		server.URL+"/convert", base64.StdEncoding.EncodeToString(certificate))
	crd := strings.Replace(thing("s: {type: string}", "true"), "  scope: Namespaced\n", "  scope: Namespaced\n"+webhook, 1)
	crd += "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n"
	object := strings.Replace(ofThing("s: a"), "/v1", "/v2", 1)

	t.Setenv(webhooksVariable, server.URL+"/convert")
	t.Setenv(webhookNetworksVariable, "127.0.0.0/8")
	pool, _ := startChildren(t)
	report := evaluateIn(t, pool, playground.Scenario{CRD: crd, Object: object})
	if len(report.Objects) != 1 || len(report.Objects[0].Conversions) == 0 || report.Objects[0].Conversions[0].AnsweredBy != playground.AnsweredByWebhook || report.Objects[0].Conversions[0].Error != "" {
		t.Errorf("got %+v", report.Objects)
	}
}
