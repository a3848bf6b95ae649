package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Encode writes a report as cases have it: its timing left out, its fields in
// order but for those that are empty, so that a new field concerns only the
// cases that use it, and ranges as "line:character-line:character". The JSON
// of users, such as a stored object, is complete.
//
// Where the schemas of objects stand is left out, too: it would be the longest
// part, and has cases of its own.
func Encode(report playground.Report) ([]byte, error) {
	report.Timing = playground.Timing{}
	report.Objects = slices.Clone(report.Objects)
	for i := range report.Objects {
		report.Objects[i].Schema = nil
	}
	return EncodeAnswer(report)
}

// EncodeWant writes a report as the wanted report of a case: like [Encode], but
// with the deviations of each object's stages from a normal pass in place of all
// stages. Order lists the names of the stages of the scenario's requests.
func EncodeWant(report playground.Report, order []string) ([]byte, error) {
	report.Objects = slices.Clone(report.Objects)
	for i, object := range report.Objects {
		deviations, err := stageDeviations(object, order)
		if err != nil {
			return nil, err
		}
		report.Objects[i].Stages = deviations
	}
	return Encode(report)
}

// EncodeAnswer writes any answer of the engine as [Encode] writes a report.
func EncodeAnswer(answer any) ([]byte, error) {
	var b bytes.Buffer
	if err := encode(&b, reflect.ValueOf(answer)); err != nil {
		return nil, err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, b.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

func encode(b *bytes.Buffer, v reflect.Value) error {
	if at, ok := v.Interface().(playground.Range); ok {
		return plain(b, fmt.Sprintf("%d:%d-%d:%d", at.Start.Line, at.Start.Character, at.End.Line, at.End.Character))
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return encode(b, v.Elem())
	case v.Kind() == reflect.Struct:
		return encodeStruct(b, v)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		return encodeSlice(b, v)
	}
	return plain(b, v.Interface())
}

func encodeStruct(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('{')
	first := true
	for i := range v.NumField() {
		if isEmpty(v.Field(i)) {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		fmt.Fprintf(b, "%q:", name)
		if err := encode(b, v.Field(i)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func encodeSlice(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(b, v.Index(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

// isEmpty says whether a field is left out. A struct is not: it may be there
// for its own sake.
func isEmpty(v reflect.Value) bool {
	if raw, ok := v.Interface().(json.RawMessage); ok {
		return len(raw) == 0 || string(raw) == "null"
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() == 0
	}
	if v.Kind() == reflect.Struct {
		return v.IsZero() && v.Type() != reflect.TypeFor[playground.Range]()
	}
	return v.IsZero()
}

func plain(b *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
