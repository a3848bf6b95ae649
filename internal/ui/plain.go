package ui

import (
	"encoding/json"
	"strings"
)

// plainLine is one key with its value, or one item of a list, if YAML writes both
// as they are, in a line. That is most lines, and the YAML library takes longer
// for one than for all else that is shown of it.
func plainLine(value any) (string, bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			text, ok := plainScalar(inner)
			return key + ": " + text, ok && len(v) == 1 && isPlain(key)
		}
	case []any:
		if len(v) == 1 {
			text, ok := plainScalar(v[0])
			return "- " + text, ok
		}
	}
	return "", false
}

func plainScalar(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "null", true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	case json.Number:
		return v.String(), isPlainNumber(v.String())
	case string:
		return v, isPlain(v)
	}
	return "", false
}

// maxPlain is a length, in bytes, at which YAML neither folds a text nor writes a
// key in two lines.
const maxPlain = 60

// isPlain says that a text is nothing but a text to YAML: it begins with a letter,
// holds no character that means something, and is none of the words of YAML 1.1.
func isPlain(text string) bool {
	if text == "" || len(text) > maxPlain || !isLetter(text[0]) {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !isLetter(c) && !isDigit(c) && !strings.ContainsRune("._-/", rune(c)) {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}

// isPlainNumber says that a number in JSON is an integer of 64 bits, which YAML
// writes alike.
func isPlainNumber(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 18 || text == "-0" {
		return false
	}
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
