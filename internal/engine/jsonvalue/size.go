package jsonvalue

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Size returns the length in bytes of the JSON that package json encodes a value
// to. The value consists of decoded JSON.
func Size(value any) int {
	switch value := value.(type) {
	case nil:
		return len("null")
	case bool:
		return len(strconv.FormatBool(value))
	case string:
		return stringSize(value)
	case int64:
		return len(strconv.FormatInt(value, 10))
	case []any, map[string]any:
		return measured(value, math.MaxInt).bytes
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return len("null")
	}
	return len(encoded)
}

// isPlain contains the ASCII characters that package json does not escape.
var isPlain = func() (plain [256]bool) {
	for char := byte(' '); char < utf8.RuneSelf; char++ {
		plain[char] = !strings.ContainsRune("\"\\<>&", rune(char))
	}
	return plain
}()

// stringSize counts the quotes and the escapes that package json writes by default.
func stringSize(s string) int {
	const escaped = len(`\u0000`)
	size := len(`""`)
	for i := 0; i < len(s); {
		if isPlain[s[i]] {
			size++
			i++
			continue
		}
		char, width := utf8.DecodeRuneInString(s[i:])
		switch {
		case char == '"' || char == '\\' || char == '\n' || char == '\r' || char == '\t' || char == '\b' || char == '\f':
			size += len(`\n`)
		case char < ' ' || char == '<' || char == '>' || char == '&' || char == '\u2028' || char == '\u2029' || char == utf8.RuneError && width == 1:
			size += escaped
		default:
			size += width
		}
		i += width
	}
	return size
}

// FieldSize is the size of a field's JSON in bytes.
type FieldSize struct {
	Path  string
	Bytes int
}

// LargestFields returns the largest fields of an object, at most count, in
// descending order, without fields below least bytes. It replaces a field by its
// members if one of them accounts for at least half of it, so that the paths lead to the
// data and not merely to spec.
func LargestFields(object map[string]any, count, least int) []FieldSize {
	fields := measured(object, least).fields
	slices.SortStableFunc(fields, func(a, b measuredField) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(PathString(a.path()), PathString(b.path())))
	})
	var largest []FieldSize
	for _, field := range fields[:min(count, len(fields))] {
		largest = append(largest, FieldSize{PathString(field.path()), field.bytes})
	}
	return largest
}

// A measurement has the size of a value, and the fields by which it is replaced if its
// largest member dominates it.
type measurement struct {
	bytes, largest int
	fields         []measuredField
}

// A measuredField is a field by its steps, the last one first.
type measuredField struct {
	steps []any
	bytes int
}

func (f measuredField) path() []any {
	path := slices.Clone(f.steps)
	slices.Reverse(path)
	return path
}

// measured measures a value and all below it once. Fields of less than least bytes are left out.
func measured(value any, least int) (m measurement) {
	add := func(step any, member measurement) {
		m.bytes += member.bytes
		m.largest = max(m.largest, member.bytes)
		switch {
		case member.bytes < least:
		case member.largest*2 < member.bytes:
			m.fields = append(m.fields, measuredField{[]any{step}, member.bytes})
		default:
			for _, field := range member.fields {
				m.fields = append(m.fields, measuredField{append(field.steps, step), field.bytes})
			}
		}
	}
	switch value := value.(type) {
	case map[string]any:
		m.bytes = len("{}") + max(0, len(value)-1) // with a comma between members
		for key, member := range value {
			m.bytes += stringSize(key) + len(":")
			add(key, measured(member, least))
		}
	case []any:
		m.bytes = len("[]") + max(0, len(value)-1)
		for i, item := range value {
			add(i, measured(item, least))
		}
	default:
		m.bytes = Size(value)
	}
	return m
}
