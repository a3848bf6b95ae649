package ui

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"

	"github.com/crdlab/crdlab/internal/playground"
)

// decodeJSON decodes JSON without loss of precision.
func decodeJSON(text json.RawMessage) (value any, err error) {
	err = playground.DecodeJSON(text, &value)
	return value, err
}

// withoutOwners removes managedFields from a decoded object, as kubectl does.
func withoutOwners(object any) any {
	metadata, _ := descend(object, "metadata").(map[string]any)
	delete(metadata, "managedFields")
	return object
}

// orderedYAML converts decoded JSON for the encoder. Mappings have the key order
// of kubectl, and numbers have the types of a YAML decoder: int64, uint64 or
// float64.
func orderedYAML(value any) any {
	switch v := value.(type) {
	case map[string]any:
		mapping := make(yaml.MapSlice, 0, len(v))
		for _, key := range slices.SortedFunc(maps.Keys(v), compareKeys) {
			mapping = append(mapping, yaml.MapItem{Key: key, Value: orderedYAML(v[key])})
		}
		return mapping
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = orderedYAML(item)
		}
		return list
	case json.Number:
		return resolveNumber(string(v))
	}
	return value
}

func resolveNumber(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}

// yamlLines encodes the result of orderedYAML. The lines have the indentation of
// a value at a depth, which also determines the folding of long strings.
func yamlLines(depth int, value any) []string {
	outer := depth
	if _, isList := value.([]any); isList {
		outer++ // a list is not indented within a mapping
	}
	for range outer {
		value = yaml.MapSlice{{Key: "x", Value: value}}
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		return []string{strings.Repeat("  ", depth) + "# not printable: " + err.Error()}
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[outer:]
}

func compareKeys(a, b string) int {
	switch {
	case a == b:
		return 0
	case keyLess(a, b):
		return -1
	}
	return 1
}

// keyLess reports whether key a precedes key b in kubectl's YAML: digits precede
// letters, and runs of digits are compared as numbers, so that "a2" precedes
// "a10". It follows keyList.Less of go.yaml.in/yaml/v2.
func keyLess(a, b string) bool {
	i := commonPrefix(a, b)
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if unicode.IsLetter(x) || unicode.IsLetter(y) {
		return unicode.IsLetter(y) && (!unicode.IsLetter(x) || x < y)
	}
	start := len(strings.TrimRightFunc(a[:i], unicode.IsDigit))
	m, mDigits := leadingNumber(a[start:])
	n, nDigits := leadingNumber(b[start:])
	switch {
	case m != n:
		return m < n
	case mDigits != nDigits:
		return mDigits < nDigits
	}
	return x < y
}

// commonPrefix returns the length of the longest common prefix of whole characters.
func commonPrefix(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	return i
}

func leadingNumber(text string) (value int64, digits int) {
	for _, r := range text {
		if !unicode.IsDigit(r) {
			break
		}
		value = value*10 + int64(r-'0')
		digits++
	}
	return value, digits
}
