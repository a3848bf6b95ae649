package jsonvalue

import (
	"cmp"
	"encoding/json"
	"maps"
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
		return Measure(value, math.MaxInt).bytes
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

// Sizes has the size of a JSON value in bytes, and the sizes of its large members. Nothing changes it.
type Sizes struct {
	bytes int
	// members has the members of at least a smallest size, by name or index.
	members map[any]*Sizes
}

// Measure returns the sizes of a value, which consists of decoded JSON, and of its members of at least smallest bytes.
func Measure(value any, smallest int) *Sizes {
	s := &Sizes{}
	add := func(step, member any) {
		below := Measure(member, smallest)
		if s.bytes += below.bytes; below.bytes >= smallest {
			if s.members == nil {
				s.members = map[any]*Sizes{}
			}
			s.members[step] = below
		}
	}
	switch value := value.(type) {
	case map[string]any:
		s.bytes = len("{}") + max(0, len(value)-1) // with a comma between members
		for key, member := range value {
			s.bytes += stringSize(key) + len(":")
			add(key, member)
		}
	case []any:
		s.bytes = len("[]") + max(0, len(value)-1)
		for i, item := range value {
			add(i, item)
		}
	default:
		s.bytes = Size(value)
	}
	return s
}

// Changed returns the sizes after the value at a path has changed. It does not add or remove members.
func (s *Sizes) Changed(before, after any, path []any) *Sizes {
	if old, isObject := before.(map[string]any); isObject {
		if object, isObject := after.(map[string]any); isObject {
			return s.changedMembers(old, object, path)
		}
	}
	return s.grown(Size(after)-Size(before), path)
}

func (s *Sizes) changedMembers(before, after map[string]any, path []any) *Sizes {
	own := Size(after) - Size(before)
	for key, value := range after {
		if old, has := before[key]; has {
			own -= Size(value) - Size(old)
			s = s.Changed(old, value, append(slices.Clip(path), key))
		}
	}
	return s.grown(own, path)
}

// grown returns the sizes after the value at a path has grown by some bytes.
func (s *Sizes) grown(bytes int, path []any) *Sizes {
	if bytes == 0 {
		return s
	}
	grown := &Sizes{s.bytes + bytes, s.members}
	if len(path) > 0 && s.members[path[0]] != nil {
		grown.members = maps.Clone(s.members)
		grown.members[path[0]] = s.members[path[0]].grown(bytes, path[1:])
	}
	return grown
}

// Largest returns the largest fields of an object, at most count, in descending order, without fields below least bytes,
// which is at least twice the smallest size of members. It replaces a field by its members if one of them accounts for at
// least half of it, so that the paths lead to the data and not merely to spec.
func (s *Sizes) Largest(count, least int) []FieldSize {
	var all []FieldSize
	s.collect(least, nil, &all)
	slices.SortFunc(all, func(a, b FieldSize) int { return cmp.Or(b.Bytes-a.Bytes, strings.Compare(a.Path, b.Path)) })
	return all[:min(count, len(all))]
}

func (s *Sizes) collect(least int, path []any, all *[]FieldSize) {
	for step, member := range s.members {
		at := append(slices.Clip(path), step)
		largest := 0
		for _, below := range member.members {
			largest = max(largest, below.bytes)
		}
		switch {
		case member.bytes < least:
		case largest*2 < member.bytes:
			*all = append(*all, FieldSize{PathString(at), member.bytes})
		default:
			member.collect(least, at, all)
		}
	}
}
