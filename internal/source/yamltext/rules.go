package yamltext

import "strings"

// ByteOrderMark may begin a file. It has no column.
const ByteOrderMark = "\ufeff"

// Separator begins a document.
const Separator = "---"

// LineEnd returns the offset of the first line break at or after i, or the
// length of the source. Only \n and \r break lines, as in an editor.
func LineEnd(text string, i int) int {
	if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(text)
}

// BreakWidth returns the length in bytes of the YAML 1.1 line break at i, or 0
// if there is no break at i.
func BreakWidth(text string, i int) int {
	if i >= len(text) {
		return 0
	}
	switch text[i] {
	case '\n':
		return 1
	case '\r':
		if strings.HasPrefix(text[i+1:], "\n") {
			return 2
		}
		return 1
	case 0xC2:
		if strings.HasPrefix(text[i:], "\u0085") {
			return 2
		}
	case 0xE2:
		if strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029") {
			return 3
		}
	}
	return 0
}

// BreakBefore reports whether a YAML 1.1 line break ends at i.
func BreakBefore(text string, i int) bool {
	for _, width := range []int{1, 2, 3} {
		if i >= width && BreakWidth(text, i-width) == width {
			return true
		}
	}
	return false
}

// IsBlank reports whether c is a space or a tab.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' }

// IsBlankOrEnd reports whether i is at a blank, a YAML line break or the end of
// the source.
func IsBlankOrEnd(text string, i int) bool {
	return i >= len(text) || IsBlank(text[i]) || BreakWidth(text, i) > 0
}

// BreakAt returns the offset of the first YAML line break at or after i, or the
// length of the source.
func BreakAt(text string, i int) int {
	for i < len(text) && BreakWidth(text, i) == 0 {
		i++
	}
	return i
}

// IsDocumentMarker reports whether --- or ... is at i, followed by a blank, a
// line break or the end of the source.
func IsDocumentMarker(text string, i int) bool {
	return (strings.HasPrefix(text[i:], Separator) || strings.HasPrefix(text[i:], "...")) &&
		IsBlankOrEnd(text, i+len(Separator))
}

// PropertyEnd returns the end of the anchor, alias or tag at i.
func PropertyEnd(text string, i int) int {
	tag := text[i] == '!'
	verbatim := strings.HasPrefix(text[i:], "!<")
	i++
	for !IsBlankOrEnd(text, i) {
		c := text[i]
		if verbatim && c == '>' {
			return i + 1
		}
		if !isWord(c) && (!tag || !verbatim && strings.IndexByte("{}\"`|<>\\^#", c) >= 0) {
			return i
		}
		i++
	}
	return i
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
