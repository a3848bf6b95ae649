package jsonvalue

import (
	"cmp"
	"encoding/json"
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
	case []any:
		size := len("[]") + max(0, len(value)-1) // with a comma between items
		for _, item := range value {
			size += Size(item)
		}
		return size
	case map[string]any:
		size := len("{}") + max(0, len(value)-1)
		for key, member := range value {
			size += stringSize(key) + len(":") + Size(member)
		}
		return size
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
// descending order. It replaces a field by its members if one of them accounts for
// at least half of it, so that the paths lead to the data and not merely to spec.
func LargestFields(object map[string]any, count int) []FieldSize {
	fields := dominantFields(object, nil)
	slices.SortStableFunc(fields, func(a, b FieldSize) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	return fields[:min(count, len(fields))]
}

func dominantFields(value any, path []any) []FieldSize {
	var fields []FieldSize
	for _, member := range members(value) {
		at, size := AppendStep(path, member.step), Size(member.value)
		if largestMember(member.value)*2 >= size {
			fields = append(fields, dominantFields(member.value, at)...)
		} else {
			fields = append(fields, FieldSize{PathString(at), size})
		}
	}
	return fields
}

func largestMember(value any) (size int) {
	for _, member := range members(value) {
		size = max(size, Size(member.value))
	}
	return size
}

type member struct {
	step, value any
}

// members returns the fields of an object or the items of a list.
func members(value any) (all []member) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			all = append(all, member{key, v})
		}
	case []any:
		for i, v := range value {
			all = append(all, member{i, v})
		}
	}
	return all
}
