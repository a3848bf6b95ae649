package gotypes

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// quotedEnum reports an enum whose quotes make one value of several.
func (p *places) quotedEnum(o origin, comment *ast.Comment) []manifest.Finding {
	values, ok := p.value(o.node, comment).(crdmarkers.Enum)
	_, written, _ := strings.Cut(comment.Text, "=")
	trimmed := strings.TrimSpace(written)
	if !ok || len(values) != 1 || !strings.HasPrefix(trimmed, `"`) && !strings.HasPrefix(trimmed, "`") {
		return nil
	}
	value, _ := values[0].(string)
	parts := strings.Split(value, ";")
	if len(parts) == 1 {
		return nil
	}
	for i, part := range parts {
		parts[i] = argument(strings.TrimSpace(part))
	}
	unquoted := strings.Join(parts, ";")
	start := strings.IndexByte(comment.Text, '=') + 1
	return []manifest.Finding{{
		Place: p.marker(o, comment), Severity: playground.SeverityWarning,
		Message: fmt.Sprintf("The enum has the single value %q, because quotes surround all of its values.", value),
		Hint:    "Write the values without the quotes: " + unquoted + ".",
		Fixes:   newFix(p.tokenRange(o, comment, start, len(strings.TrimRight(comment.Text, " \t\r"))), unquoted, "Remove the quotes", true),
	}}
}

// spacedValue reports a marker in which controller-gen reads a value as empty, because a space follows it.
func (p *places) spacedValue(o origin, comment *ast.Comment) []manifest.Finding {
	text := markerText(comment)
	definition := p.registry.Lookup(text, target(o.node))
	written, lost := withoutSpaces(text)
	if definition == nil || written == text {
		return nil
	}
	value, err := definition.Parse(text)
	other, otherErr := definition.Parse(written)
	if err != nil || otherErr != nil || reflect.DeepEqual(value, other) {
		return nil
	}
	start := strings.Index(comment.Text, text)
	return []manifest.Finding{{
		Place: p.marker(o, comment), Severity: playground.SeverityWarning,
		Message: fmt.Sprintf("controller-gen reads an empty value instead of %q, because a space follows it.", lost),
		Hint:    "Write the values without spaces: " + written + ".",
		Fixes:   newFix(p.tokenRange(o, comment, start, start+len(text)), written, "Remove the spaces", true),
	}}
}

// withoutSpaces removes the spaces before separators outside of quotes. lost is the first value with such a space.
func withoutSpaces(text string) (written, lost string) {
	var kept []byte
	quote := byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote && (c == '`' || text[i-1] != '\\') {
				quote = 0
			}
		case c == '"' || c == '`' || c == '\'':
			quote = c
		case c == ';' || c == ',' || c == '}':
			bare := bytes.TrimRight(kept, " \t")
			if lost == "" && len(bare) < len(kept) {
				lost = string(bare[bytes.LastIndexAny(bare, "=;,:{ ")+1:])
			}
			kept = bare
		}
		kept = append(kept, c)
	}
	return string(kept), lost
}

// plainComments reports comments that look like markers but are none: without the plus, and between
// /* and */.
func (p *places) plainComments() []manifest.Finding {
	var all []manifest.Finding
	for _, pkg := range p.roots {
		for _, file := range pkg.Syntax {
			for _, group := range file.Comments {
				for _, comment := range group.List {
					all = append(all, p.plainComment(origin{pkg: pkg}, comment)...)
				}
			}
		}
	}
	return all
}

func (p *places) plainComment(o origin, comment *ast.Comment) []manifest.Finding {
	text, isLine := strings.CutPrefix(comment.Text, "//")
	text = strings.Trim(strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/"), " \t\r\n*")
	name := strings.TrimPrefix(text, "+")
	if !strings.HasPrefix(name, "kubebuilder:") || isLine && name != text || strings.Contains(name, "\n") || p.placesOf("+"+name) == "" {
		return nil
	}
	start := strings.Index(comment.Text, text)
	problem := manifest.Finding{
		Place: p.tokenRange(o, comment, start, start+len(text)), Severity: playground.SeverityWarning,
		Message: "controller-gen ignores a marker in a comment with /*.", Hint: "Write the marker in a line that begins with //.",
	}
	if isLine {
		problem.Message, problem.Hint = "The comment has no effect, because a marker begins with +.", fmt.Sprintf("Write +%s.", text)
		problem.Fixes = newFix(p.tokenRange(o, comment, start, start), "+", "Add +", true)
	}
	return []manifest.Finding{problem}
}

// explainCgo reports the files that import "C", which controller-tools does not read. Errors about
// their types follow from them.
func (p *places) explainCgo(problems []manifest.Finding) []manifest.Finding {
	for _, pkg := range p.roots {
		for _, name := range pkg.IgnoredFiles {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, p.files.file(name).Text, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			i := slices.IndexFunc(file.Imports, func(spec *ast.ImportSpec) bool { return importedPath(spec) == "C" })
			if i < 0 {
				continue
			}
			problem := manifest.Finding{
				Place: p.files.tokens(set, file.Imports[i].Pos(), file.Imports[i].End()), Severity: playground.SeverityWarning,
				Message: `A file that imports "C" is not part of a build without cgo, so its types are unknown.`,
				Hint:    "Move the types of the API to a file, or better a package, that does not use cgo.",
			}
			known := len(problems)
			problems = slices.DeleteFunc(problems, func(other manifest.Finding) bool {
				missing, ok := strings.CutPrefix(other.Message, "unknown type ")
				return ok && declares(file, missing)
			})
			if len(problems) < known {
				problem.Severity = playground.SeverityError
			}
			problems = append(problems, problem)
		}
	}
	return problems
}

// declares reports whether a file declares a type.
func declares(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Decls, func(declaration ast.Decl) bool {
		generic, ok := declaration.(*ast.GenDecl)
		return ok && slices.ContainsFunc(generic.Specs, func(spec ast.Spec) bool {
			declared, ok := spec.(*ast.TypeSpec)
			return ok && declared.Name.Name == name
		})
	})
}

// errorTypes returns errors for the uses of the type error, at which controller-tools panics.
func (p *places) errorTypes() []manifest.Finding {
	if p == nil {
		return nil
	}
	var all []manifest.Finding
	for ident, info := range p.parser.Types {
		if _, isNeeded := p.parser.Schemata[ident]; !isNeeded || !p.isRoot(ident.Package) {
			continue
		}
		search := func(node ast.Node) {
			ast.Inspect(node, func(node ast.Node) bool {
				if name, ok := node.(*ast.Ident); ok && ident.Package.TypesInfo.ObjectOf(name) == types.Universe.Lookup("error") {
					all = append(all, manifest.Finding{
						Place: p.files.tokens(ident.Package.Fset, name.Pos(), name.End()), Severity: playground.SeverityError,
						Message: "cannot generate schema for error; interface type is not supported in CRD schemas",
						Hint:    `Use a string for the message. Add the JSON tag "-" if the field is not part of the object.`,
					})
				}
				return true
			})
		}
		if len(info.Fields) == 0 {
			search(info.RawSpec.Type)
		}
		for _, field := range info.Fields {
			if field.Tag.Get("json") != "-" {
				search(field.RawField.Type)
			}
		}
	}
	sortProblems(all)
	return all
}
