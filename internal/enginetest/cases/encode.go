package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Encode encodes a report as indented JSON for comparison. It omits empty fields,
// so that a new field changes only the cases that use it, and writes a range as
// "line:character-line:character". JSON values of the user, such as a stored
// object, are complete.
//
// It also omits the timing, the steps of a path without special characters, which
// its text shows as well, and the positions of schemas, which would be the longest
// part and have cases of their own.
func Encode(report playground.Report) ([]byte, error) {
	report.Timing = playground.Timing{}
	report.Objects = slices.Clone(report.Objects)
	for i := range report.Objects {
		report.Objects[i].Schema = nil
	}
	return EncodeValue(report)
}

// EncodeWant encodes a report as the want.json of a case. It differs from [Encode]
// in the stages of objects, which are reduced to the deviations from a normal
// pass. The rows describe the stages of the scenario's requests. EncodeWant fails
// if an object has other stages, or skips one for a reason that its row does not
// permit.
func EncodeWant(report playground.Report, rows []playground.ObjectStage) ([]byte, error) {
	order := make([]string, len(rows))
	for i, row := range rows {
		order[i] = row.Name
	}
	report.Objects = slices.Clone(report.Objects)
	for i, object := range report.Objects {
		deviations, err := stageDeviations(object, order)
		if err != nil {
			return nil, err
		}
		if err := checkSkips(object, rows); err != nil {
			return nil, err
		}
		report.Objects[i].Stages = deviations
	}
	return Encode(report)
}

// EncodeValue encodes any response of the engine like [Encode].
func EncodeValue(value any) ([]byte, error) {
	var b bytes.Buffer
	if err := encode(&b, reflect.ValueOf(value)); err != nil {
		return nil, err
	}
	laidOut, err := layOut(b.Bytes(), "", 0)
	return append(laidOut, '\n'), err
}

// encode appends the encoding of a value.
func encode(b *bytes.Buffer, v reflect.Value) error {
	if at, ok := reflect.TypeAssert[playground.Range](v); ok {
		return encodeJSON(b, fmt.Sprintf("%d:%d-%d:%d", at.Start.Line, at.Start.Character, at.End.Line, at.End.Character))
	}
	if raw, ok := reflect.TypeAssert[json.RawMessage](v); ok && bytes.Contains(raw, []byte(`"managedFields"`)) {
		return encodeOwners(b, raw)
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return encode(b, v.Elem())
	case v.Kind() == reflect.Struct:
		return encodeStruct(b, v)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		return encodeSlice(b, v)
	}
	return encodeJSON(b, v.Interface())
}

// encodeOwners encodes JSON with each of an object's managedFields as a line.
func encodeOwners(b *bytes.Buffer, raw json.RawMessage) error {
	var value any
	if err := playground.DecodeJSON(raw, &value); err != nil {
		return fmt.Errorf("managed fields: %w", err)
	}
	return encodeJSON(b, ownersAsLines(value))
}

// ownersAsLines replaces the entries of each list managedFields by lines.
func ownersAsLines(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			value[name] = ownersAsLines(field)
		}
		if entries, ok := value["managedFields"].([]any); ok {
			for i := range entries {
				entries[i] = ownerLine(entries[i])
			}
		}
	case []any:
		for i := range value {
			value[i] = ownersAsLines(value[i])
		}
	}
	return value
}

// ownerLine returns an entry of managedFields as "name=value …", with the fields at the end.
func ownerLine(entry any) any {
	values, ok := entry.(map[string]any)
	if !ok {
		return entry
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != "fieldsV1" && name != "fieldsType" {
			words = append(words, fmt.Sprintf("%s=%v", name, values[name]))
		}
	}
	fields, _ := json.Marshal(values["fieldsV1"]) // decoded JSON
	return strings.Join(append(words, strings.ReplaceAll(string(fields), `":{}`, `"`)), " ")
}

func encodeStruct(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('{')
	first := true
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name == "-" || isEmpty(v.Field(i)) || isPlainPath(v.Field(i)) && strings.HasSuffix(strings.ToLower(name), "steps") {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
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

// isEmpty reports whether a field is omitted. Of structs, it omits zero values
// except for ranges, in which zero is a position.
func isEmpty(v reflect.Value) bool {
	if raw, ok := reflect.TypeAssert[json.RawMessage](v); ok {
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

// isPlainPath reports whether a value is a list of steps that all are plain words.
func isPlainPath(v reflect.Value) bool {
	steps, ok := reflect.TypeAssert[[]string](v)
	return ok && !strings.ContainsAny(strings.Join(steps, ""), ".[]/ ")
}

// encodeJSON encodes a value like the HTTP API.
func encodeJSON(b *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
