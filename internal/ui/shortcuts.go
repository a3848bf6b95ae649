package ui

type shortcut struct {
	does string
	keys string
}

// shortcuts are those that the page's script binds. Mod is Ctrl, or Cmd on a
// Mac.
var shortcuts = []shortcut{
	{"Show these shortcuts", "?"},
	{"CRD, Object", "Alt 1, Alt 2"},
	{"Outcome, Rules & cost, kubectl, Versions", "Alt 3 – Alt 6"},
	{"Next, previous problem", "F8, Shift F8"},
	{"Share", "Mod Shift S"},
	{"Find in the editor", "Mod F"},
	{"Fold, unfold", "Mod Shift [, Mod Shift ]"},
	{"Leave the editor", "Esc, Tab"},
}

func tabIndex(selected bool) string {
	if selected {
		return "0"
	}
	return "-1"
}
