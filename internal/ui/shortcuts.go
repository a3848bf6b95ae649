package ui

import (
	"fmt"
	"strings"
)

type shortcut struct {
	action string
	keys   string
}

// shortcuts lists the key bindings of the page's script and of the editors. On
// a Mac, the script replaces Ctrl with Cmd.
var shortcuts = []shortcut{
	{"Show these shortcuts", "F1 or ?"},
	{"Go to CRD, Object", "Alt Shift 1, 2"},
	panelShortcut(),
	{"Add document", "Alt Shift D"},
	{"Search the examples", "Alt Shift E"},
	{"Next problem, previous problem", "F8, Shift F8"},
	{"Apply the fix at the caret, and go to the next problem", "Ctrl ."},
	{"Open the CEL console", "Alt Shift C"},
	{"Share", "Alt Shift S"},
	{"Autocomplete", "Ctrl Space"},
	{"Show hover docs", "F2"},
	{"Stored object: go to source or schema", "↑ ↓, Enter in the object"},
	{"Format the document", "Alt Shift F"},
	{"Find in the editor", "Ctrl F"},
	{"Fold, unfold", "Ctrl Shift [, Ctrl Shift ]"},
	{"Undo, redo", "Ctrl Z, Ctrl Y"},
	{"Leave the editor after typing", "Esc, then Tab"},
}

// panelShortcut describes the keys of the result tabs. Their numbers follow the
// numbers of the two documents; 0 is the tenth.
func panelShortcut() shortcut {
	var titles []string
	for _, p := range tabbedPanels() {
		titles = append(titles, p.title)
	}
	return shortcut{
		"Go to " + strings.Join(titles, ", "),
		fmt.Sprintf("Alt Shift %d – 9, 0", alwaysShown+1),
	}
}

func tabIndex(selected bool) string {
	if selected {
		return "0"
	}
	return "-1"
}
