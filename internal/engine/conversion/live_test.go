//go:build !js

package conversion_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/netip"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/enginetest/livewebhook"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

var update = flag.Bool("update", false, "write the outcomes of the cases")

// TestLiveConversionWebhook calls real webhooks. "make conformance" compares the same
// cases with a real API server.
func TestLiveConversionWebhook(t *testing.T) {
	cases, err := livewebhook.Read("testdata/live")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			webhook, err := c.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer webhook.Stop()
			got := outcome(t, c, webhook)
			if *update {
				if err := c.Write(got); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, c.Want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.Want)
			}
		})
	}
}

// outcome returns the response to the request for the object, and the call of the
// webhook, without the parts that differ in each run.
func outcome(t *testing.T, c livewebhook.Case, webhook *livewebhook.Webhook) []byte {
	t.Helper()
	var permitted conversion.Webhooks
	if !c.Forbidden {
		permitted.URLs = []string{webhook.URL}
	}
	if !c.Private {
		permitted.Networks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	report, err := engine.NewWithWebhooks(permitted).Evaluate(context.Background(), webhook.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	object := report.Objects[0]
	if len(object.Conversions) == 0 {
		t.Fatalf("no call: %s", object.Output)
	}
	type call struct {
		Stage      playground.StageName
		AnsweredBy playground.AnsweredBy
		Response   json.RawMessage
		Error      string
	}
	first := object.Conversions[0]
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(map[string]any{
		"response": verdict.Of(report).Objects[0].Response,
		"call":     call{first.Stage, first.AnsweredBy, first.Response, first.Error},
	}); err != nil {
		t.Fatal(err)
	}
	return webhook.Normal(out.Bytes())
}
