package procpool

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

var long = strings.Repeat(`a \"line\" \u00e9 \ud83d\ude00\n`, 500)

// scenarioTexts are scenarios as JSON, and whether they are read.
var scenarioTexts = map[string]bool{
	`{}`:    true,
	`null`:  true,
	` { } `: true,
	`{"crd":"a","object":"b\n","replicas":3,"force":true,"schemas":false,"now":""}`: true,
	`{"crd":null,"replicas":null,"force":null}`:                                     true,
	`{"crd":"` + long + `","object":"` + long + `"}`:                                true,
	`{"object":"` + long + `"}`:                                                     true,
	`{"crd":"` + long + `b"}`:                                                       true,
	`{"crd":"\ud83d\ude00 \u0000 \/ \b"}`:                                           true,
	`{"replicas":2147483647}`:                                                       true,

	``:                           false,
	`{"crd":"a"`:                 false,
	`{"crd":"a"} {}`:             false,
	`{"crd":1}`:                  false,
	`{"crd":["a"]}`:              false,
	`{"replicas":"1"}`:           false,
	`{"replicas":1.5}`:           false,
	`{"replicas":2147483648}`:    false,
	`{"crds":"a"}`:               false,
	`[]`:                         false,
	`"crd"`:                      false,
	`{"crd":"a\nb` + "\n" + `"}`: false,
	// These encoding/json reads in its way.
	`{"crd":"a","crd":"b"}`: false,
	`{"CRD":"a"}`:           false,
	"{\"crd\":\"\xff\"}":    false,
	`{"crd":"\ud83d"}`:      false,
}

func TestScenariosAreReadAsBefore(t *testing.T) {
	kept := newScenarios()
	for range 2 {
		for text, isRead := range scenarioTexts {
			if read := readAsBefore(t, kept, []byte(text)); read != isRead {
				t.Errorf("%.40q: read is %v, want %v", text, read, isRead)
			}
		}
	}
	if len(kept.texts) == 0 || len(kept.texts) > longTexts {
		t.Errorf("%d long texts are kept", len(kept.texts))
	}
}

func TestTheLastLongTextsAreKept(t *testing.T) {
	kept := newScenarios()
	for _, letter := range "abacadaea" {
		text := strings.Repeat(string(letter), longText)
		if scenario, err := kept.read([]byte(`{"crd":"` + text + `"}`)); err != nil || scenario.CRD != text {
			t.Fatalf("%c: %.10q, %v", letter, scenario.CRD, err)
		}
	}
	var letters string
	for _, known := range kept.texts {
		letters += known.text[:1]
	}
	if letters != "aedc" {
		t.Errorf("kept are %q", letters)
	}
}

func FuzzScenario(f *testing.F) {
	for text := range scenarioTexts {
		f.Add([]byte(text))
	}
	kept := newScenarios()
	f.Fuzz(func(t *testing.T, data []byte) { readAsBefore(t, kept, data) })
}

// readAsBefore tells whether the scenario is read; if it is, encoding/json has to
// read the same.
func readAsBefore(t *testing.T, kept *scenarios, data []byte) bool {
	t.Helper()
	got, err := kept.read(data)
	if err != nil {
		if !errors.Is(err, playground.ErrUnreadable) {
			t.Errorf("%.40q: %v", data, err)
		}
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var want playground.Scenario
	if err := decoder.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%.40q is read as %+v, and by encoding/json as %+v, %v", data, got, want, err)
	}
	return true
}

func TestReportsAreWrittenAsBefore(t *testing.T) {
	written := newReports()
	for _, text := range []string{"a", "a", "b", "a <&> \u2028"} {
		report := reportOf(playground.Scenario{CRD: text})
		report.CRD.Rules = []playground.Rule{{Message: text}}
		for range 2 {
			report.Objects[0].Output += "x"
			got, err := written.write(report)
			want, wantErr := encode(report)
			if err != nil || wantErr != nil || string(got) != string(want) {
				t.Errorf("%v, %v\ngot  %s\nwant %s", err, wantErr, got, want)
			}
		}
	}
}
