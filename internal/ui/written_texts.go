package ui

import (
	"slices"
	"sync"
)

// written has the lines of texts that were written lately: a keystroke changes few
// of an object's, and to write one takes longer than all else that is done with it.
var written = writtenTexts{byText: map[heldText][]string{}}

// writtenTexts forgets all texts when there are many. It is safe for concurrent use.
type writtenTexts struct {
	sync.Mutex
	byText map[heldText][]string
}

// mostWrittenTexts is more than an object has that people edit; of one with more
// each would be written at each keystroke.
const mostWrittenTexts = 10_000

func (w *writtenTexts) lines(of heldText, write func() []string) []string {
	w.Lock()
	defer w.Unlock()
	lines, ok := w.byText[of]
	if !ok {
		if len(w.byText) >= mostWrittenTexts {
			clear(w.byText)
		}
		lines = write()
		w.byText[of] = lines
	}
	return slices.Clone(lines)
}

// heldText is a short text, at a depth, with what it is held by.
type heldText struct {
	depth  int
	holder string // the key of a mapping, or "" if it is an item of a list
	isItem bool
	text   string
}

// textOf is the text in value, which is a mapping or a list of one.
func textOf(depth int, value any) (heldText, bool) {
	held := heldText{depth: depth}
	var inner any
	switch v := value.(type) {
	case map[string]any:
		for held.holder, inner = range v {
		}
		if len(v) != 1 {
			return held, false
		}
	case []any:
		if len(v) != 1 {
			return held, false
		}
		held.isItem, inner = true, v[0]
	}
	text, ok := inner.(string)
	held.text = text
	return held, ok && len(held.holder)+len(text) < 1000
}
