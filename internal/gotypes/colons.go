package gotypes

import (
	"fmt"
	"go/ast"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// colonAdvice explains a marker with a colon before a value, where controller-gen expects an equals
// sign. It reports false for other markers.
func (p *places) colonAdvice(o origin, comment *ast.Comment) (advice, bool) {
	text := markerText(comment)
	for end := len(text); end > 0; end = strings.LastIndexByte(text[:end], ':') {
		definition := p.registry.Lookup(text[:end], target(o.node))
		if definition == nil || definition.Empty() || text[1:end] != definition.Name {
			continue
		}
		colon, example := assignment(definition, text, end)
		if colon < 0 {
			return advice{}, false
		}
		explained := advice{hint: fmt.Sprintf("Write %s. A value follows an equals sign, not a colon.", example)}
		if _, err := definition.Parse(text[:colon] + "=" + text[colon+1:]); err == nil {
			at := strings.IndexByte(comment.Text, '+') + colon
			explained.fix = newFix(p.tokenRange(o, comment, at, at+1), "=", "Replace the colon with =", true)
		}
		return explained, true
	}
	return advice{}, false
}

// assignment returns the offset of the colon before the first value in a marker whose name ends at an
// offset, and an example of what to write. The offset is negative if the marker has no such colon.
func assignment(definition *markers.Definition, text string, end int) (colon int, example string) {
	name := definition.Name[strings.LastIndexByte(definition.Name, ':')+1:]
	if end >= len(text) {
		return -1, ""
	}
	if definition.AnonymousField() {
		return end, name + "=" + strings.TrimSpace(text[end+1:])
	}
	argument, value, ok := strings.Cut(text[end+1:], ":")
	field, isKnown := definition.Fields[argument]
	if !ok || !isKnown {
		return -1, ""
	}
	switch {
	case plainWord.MatchString(value):
	case field.Type == markers.StringType:
		value = `"…"`
	default:
		value = "…"
	}
	return end + 1 + len(argument), fmt.Sprintf("%s:%s=%s", name, argument, value)
}
