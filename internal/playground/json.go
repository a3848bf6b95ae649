package playground

import (
	"bytes"
	"encoding/json"
)

// EncodeJSON returns a value as a line of JSON, without a line feed. Unlike package json, it
// writes no escapes for HTML.
func EncodeJSON(value any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), err
}

// DecodeJSON decodes JSON without loss of precision: numbers without a type are [json.Number].
func DecodeJSON(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(into)
}
