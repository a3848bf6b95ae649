package verdict_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// TestSignsOfZero requires that a stored object equals the object in a client.
func TestSignsOfZero(t *testing.T) {
	normal := func(number json.Number) verdict.Verdict {
		object := func() any { return map[string]any{"a": []any{number}, "b": map[string]any{"c": number}} }
		v := verdict.Verdict{Objects: []verdict.Object{{
			Response: verdict.Response{Code: 201}, Stored: object(), Returned: object(), Versions: map[string]verdict.Reading{"v1": {Object: object()}},
		}}}
		v, err := v.Normal(playground.Scenario{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if diff := cmp.Diff(normal("0"), normal("-0")); diff != "" {
		t.Errorf("the sign makes a difference (-zero +minus zero):\n%s", diff)
	}
	if cmp.Equal(normal("0"), normal("-0.5")) {
		t.Error("other numbers are equal to zero")
	}
}
