package project

import "strings"

// Arguments returns the options after "crd:" and the paths in a call of controller-gen. isCRD reports that the call
// generates CRDs.
func Arguments(line string) (options string, paths []string, isCRD bool) {
	for argument := range strings.FieldsSeq(strings.ReplaceAll(strings.ReplaceAll(line, `"`, ""), `'`, "")) {
		if after, ok := strings.CutPrefix(argument, "crd:"); ok {
			options, isCRD = after, true
		}
		isCRD = isCRD || argument == "crd"
		if after, ok := strings.CutPrefix(argument, "paths="); ok {
			paths = strings.FieldsFunc(strings.Trim(after, "{}"), func(r rune) bool { return r == ';' || r == ',' })
		}
	}
	return options, paths, isCRD
}
