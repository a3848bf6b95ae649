package ui

type shortcut struct {
	does string
	keys string
}

// shortcuts are those that the page's script and the editors bind. On a Mac the
// script writes Cmd for Ctrl.
var shortcuts = []shortcut{
	{"Show these shortcuts", "F1, ? outside of texts"},
	{"Go to CRD, Object", "Alt Shift 1, 2"},
	{"Go to Outcome, Rules & cost, kubectl, Versions, Schema", "Alt Shift 3 – 7"},
	{"Choose or add a document", "Alt Shift D"},
	{"Search the examples", "Alt Shift E"},
	{"Next problem, previous problem", "F8, Shift F8"},
	{"Try an expression", "Alt Shift C"},
	{"Share", "Alt Shift S"},
	{"Complete what is being typed", "Ctrl Space"},
	{"Explain what is at the cursor", "F2"},
	{"What made a line of the stored object, its schema", "↑ ↓, Enter in the object"},
	{"Format the document", "Alt Shift F"},
	{"Find in the editor", "Ctrl F"},
	{"Fold, unfold", "Ctrl Shift [, Ctrl Shift ]"},
	{"Undo, redo", "Ctrl Z, Ctrl Y"},
	{"Leave the editor", "Esc, then Tab"},
}

func tabIndex(selected bool) string {
	if selected {
		return "0"
	}
	return "-1"
}
