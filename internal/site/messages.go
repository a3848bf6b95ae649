package site

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// messagesPath is the path of upstream's messages of each error page, which the search of the errors
// compares with a pasted message.
const messagesPath = errorsPath + "messages.json"

// messages lists upstream's messages, see TestEveryMessageHasAPage in internal/engine/quickfix: in
// each line the package and the function, the message, and the code of its page.
//
//go:embed messages.txt
var messages string

// messageIndex returns the messages of each code as JSON. They have the verbs of fmt.
func messageIndex() ([]byte, error) {
	byCode := map[string][]string{}
	for line := range strings.Lines(messages) {
		key, code, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		_, message, _ := strings.Cut(key, ": ")
		if !strings.HasPrefix(code, "- ") && !strings.HasSuffix(key, "*") && !slices.Contains(byCode[code], message) {
			byCode[code] = append(byCode[code], message)
		}
	}
	index, err := json.Marshal(byCode)
	if err != nil {
		return nil, fmt.Errorf("encode the messages of the errors: %w", err)
	}
	return index, nil
}
