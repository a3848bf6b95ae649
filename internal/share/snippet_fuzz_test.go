package share

import (
	"reflect"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// FuzzDecode decodes arbitrary stored values. The scenario of an accepted value must have
// one id and one stored form.
func FuzzDecode(f *testing.F) {
	for _, value := range []string{
		`{"crd":""}`, `{"crd":"kind: <é>&\u2028\n"}`, `{"crd":"a","object":"b","fieldValidation":"Warn"}`, `{"crd":"a","fieldValidation":"Strict"}`,
		`{"crd":"a","later":{"version":2}}`, `{"crd":`, `null`, `{"CRD":"a","crd":"\ud800"}`, "{\"crd\":\"\xff\"}",
		`{"crd":"a","replicas":3,"force":true,"now":"2026-01-01T00:00:00Z","operation":"Update","kubernetes":"1.31"}`,
	} {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		scenario, err := Decode(value)
		if err != nil {
			return
		}
		id, stored, err := Encode(scenario)
		if err != nil || !IsID(id) || !Matches(id, stored) {
			t.Fatalf("%q has the id %q, %v", value, id, err)
		}
		if scenario.FieldValidation == playground.FieldValidationStrict {
			scenario.FieldValidation = ""
		}
		again, err := Decode(stored)
		if err != nil || !reflect.DeepEqual(again, scenario) {
			t.Errorf("%q is decoded as %+v, and stored as %+v, %v", value, scenario, again, err)
		}
		if second, _, err := Encode(again); err != nil || second != id {
			t.Errorf("%q has the ids %q and %q, %v", value, id, second, err)
		}
	})
}
