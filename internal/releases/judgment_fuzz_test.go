package releases_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/releases"
	"github.com/crdlab/crdlab/internal/verdict"
)

// FuzzJudgment evaluates the cases with arbitrary replies of an older release's program.
// Each judgment results in a report, also if it does not fit the scenario; any other reply
// is an error.
func FuzzJudgment(f *testing.F) {
	all, err := cases.Read("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for i := range all {
		for _, reply := range []string{
			`{"library":"1.31.14","unjudged":"it took more than 20 s"}`,
			`{"library":"1.31.14","verdict":{"crd":{"code":422,"reason":"Invalid","message":"a","causes":[{"reason":"FieldValueInvalid","field":"spec","message":"b"}]}}}`,
			`{"verdict":{"crd":{"code":201,"conditions":[{"type":"Established","status":"True"}],"storedVersions":["v1"],"names":null},"objects":[]}}`,
			`{"verdict":{"crd":{"code":201},"objects":[{"code":201,"stored":{"spec":{"replicas":10000000000000000000000}},"returned":[],"versions":{"v1":{"code":200,"object":{}}},"scale":{"v1":{"code":404}}},{"deleted":true}],"tables":[{}]}}`,
			`{"verdict":null}`, `null`, `{`,
		} {
			f.Add(uint8(i), []byte(reply))
		}
	}
	engine := engine.New()
	f.Fuzz(func(t *testing.T, number uint8, reply []byte) {
		judge := func(context.Context, string, []byte) ([]byte, error) { return reply, nil }
		report, err := releases.NewEvaluator(engine, []string{"1.31"}, judge).Evaluate(t.Context(), all[int(number)%len(all)].Scenario)
		var judgment verdict.Judgment
		isJudgment := json.NewDecoder(bytes.NewReader(reply)).Decode(&judgment) == nil
		if (err == nil) != isJudgment {
			t.Fatalf("%q: %v", reply, err)
		}
		if _, err := json.Marshal(report); err != nil {
			t.Errorf("%q: %v", reply, err)
		}
	})
}
