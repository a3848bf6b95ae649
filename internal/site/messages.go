package site

import (
	_ "embed"
	"strings"
	"sync"
)

// messages lists upstream's messages, see TestEveryMessageHasAPage in internal/engine/quickfix: in
// each line the package and the function, the message, and the code of its page.
//
//go:embed messages.txt
var messages string

// upstreamMessages returns the messages of each error page, one in a line, with the verbs of fmt. The
// search compares a pasted message with them.
var upstreamMessages = sync.OnceValue(func() map[string]string {
	texts, seen := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(messages) {
		key, code, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		_, message, _ := strings.Cut(key, ": ")
		if strings.HasPrefix(code, "- ") || strings.HasSuffix(key, "*") || seen[code+message] {
			continue
		}
		seen[code+message] = true
		texts[code] += message + "\n"
	}
	return texts
})
