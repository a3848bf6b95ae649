package renderer

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

// scenarioSources maps JSON to true if the reader must accept it.
var scenarioSources = map[string]bool{
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
	// encoding/json accepts the following, with its own rules.
	`{"crd":"a","crd":"b"}`: false,
	`{"CRD":"a"}`:           false,
	"{\"crd\":\"\xff\"}":    false,
	`{"crd":"\ud83d"}`:      false,
}

func TestScenarioReader(t *testing.T) {
	reader := newScenarioReader()
	for range 2 {
		for text, isRead := range scenarioSources {
			if read := checkRead(t, reader, []byte(text)); read != isRead {
				t.Errorf("%.40q: accepted is %v, want %v", text, read, isRead)
			}
		}
	}
	if len(reader.cache) == 0 || len(reader.cache) > maxCached {
		t.Errorf("%d strings are cached", len(reader.cache))
	}
}

func TestLongStringsAreCached(t *testing.T) {
	reader := newScenarioReader()
	for _, letter := range "abacadaea" {
		text := strings.Repeat(string(letter), minCached)
		var scenario playground.Scenario
		if err := reader.read([]byte(`{"crd":"`+text+`"}`), &scenario); err != nil || scenario.CRD != text {
			t.Fatalf("%c: %.10q, %v", letter, scenario.CRD, err)
		}
	}
	var letters string
	for _, known := range reader.cache {
		letters += known.value[:1]
	}
	if letters != "aedc" {
		t.Errorf("the cache has %q", letters)
	}
}

func FuzzScenario(f *testing.F) {
	for text := range scenarioSources {
		f.Add([]byte(text))
	}
	reader := newScenarioReader()
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, reader, data) })
}

// checkRead reports whether the reader accepts a scenario. An accepted scenario must
// be equal to the result of encoding/json.
func checkRead(t *testing.T, reader *scenarioReader, data []byte) bool {
	t.Helper()
	var got playground.Scenario
	if err := reader.read(data, &got); err != nil {
		if !errors.Is(err, playground.ErrUnreadable) {
			t.Errorf("%.40q: %v", data, err)
		}
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var want playground.Scenario
	if err := decoder.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%.40q: got %+v, encoding/json returns %+v, %v", data, got, want, err)
	}
	return true
}
