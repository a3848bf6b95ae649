package cases

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// The number of columns that a JSON value on one line may fill. An object of plain values, such
// as a change or a condition, may fill more, so that a difference in it shows as one line.
const (
	maxWidth      = 120
	maxPlainWidth = 200
)

// layOut formats a JSON value that starts at a column of a line with an indentation. A value that
// fits stands on one line; otherwise each of its members starts a line.
func layOut(value json.RawMessage, indent string, column int) ([]byte, error) {
	members, opening, closing, err := membersOf(value)
	if err != nil || len(members) == 0 {
		return bytes.TrimSpace(value), err
	}
	line := append([]byte{}, opening)
	width := maxWidth
	if opening == '{' {
		width = maxPlainWidth
	}
	for i, m := range members {
		if i > 0 {
			line = append(line, ", "...)
		}
		if m.value[0] == '{' || m.value[0] == '[' {
			width = maxWidth
		}
		inner, err := layOut(m.value, "", -1<<31)
		if err != nil {
			return nil, err
		}
		line = append(append(line, m.key...), inner...)
	}
	line = append(line, closing)
	if column+utf8.RuneCount(line) <= width {
		return line, nil
	}
	inside := indent + "  "
	lines := append([]byte{}, opening)
	for i, m := range members {
		if i > 0 {
			lines = append(lines, ',')
		}
		inner, err := layOut(m.value, inside, len(inside)+utf8.RuneCount(m.key))
		if err != nil {
			return nil, err
		}
		lines = append(append(append(lines, "\n"+inside...), m.key...), inner...)
	}
	return append(append(lines, "\n"+indent...), closing), nil
}

// A member is an item of an array, or a field of an object with its key, such as `"a": `.
type member struct {
	key   []byte
	value json.RawMessage
}

// membersOf returns the members of an array or object and its brackets, and none for other values.
func membersOf(value json.RawMessage) (members []member, opening, closing byte, err error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	token, err := decoder.Token()
	delim, isCompound := token.(json.Delim)
	if err != nil || !isCompound {
		return nil, 0, 0, err
	}
	for decoder.More() {
		var m member
		if delim == '{' {
			before := decoder.InputOffset()
			if _, err := decoder.Token(); err != nil {
				return nil, 0, 0, err
			}
			key := bytes.TrimLeft(value[before:decoder.InputOffset()], ", \t\n")
			m.key = append(slices.Clone(key), ": "...)
		}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, 0, 0, err
		}
		members = append(members, m)
	}
	// '[' and '{' are two characters before ']' and '}'.
	return members, byte(delim), byte(delim) + 2, nil
}
