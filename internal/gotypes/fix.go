package gotypes

import (
	"context"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// newFix returns a fix that replaces a place, which is in one line, by a string without line breaks, or inserts
// whole lines. It is not tested.
func newFix(at manifest.Place, text, title string, safe bool) []manifest.Fix {
	return []manifest.Fix{{Title: title, Safe: safe, Edits: []manifest.Edit{{Place: at, NewText: text}}}}
}

// renameFix replaces the name of a marker.
func (p *places) renameFix(o origin, comment *ast.Comment, name, similar string) []manifest.Fix {
	start := strings.IndexByte(comment.Text, '+') + 1
	return newFix(p.tokenRange(o, comment, start, start+len(name)), similar, "Rename to +"+similar, true)
}

// tagFix adds a JSON tag to a field: its name in lower camel case. It is nil for a field with
// several names or none.
func (p *places) tagFix(pkg *loader.Package, field *ast.Field) []manifest.Fix {
	if len(field.Names) != 1 {
		return nil
	}
	return p.addTag(pkg, field, `json:"`+lowerCamel(field.Names[0].Name)+`,omitempty"`)
}

// addTag adds a JSON tag to a field.
func (p *places) addTag(pkg *loader.Package, field *ast.Field, tag string) []manifest.Fix {
	if field.Tag == nil {
		return newFix(p.files.tokens(pkg.Fset, field.Type.End(), field.Type.End()), " `"+tag+"`", "Add "+tag, true)
	}
	return p.inTag(pkg, field, 1, tag+" ", "Add "+tag, true)
}

// omitFix adds omitempty to the JSON tag of a field. It is not safe: clients cannot send the zero
// value any more.
func (p *places) omitFix(pkg *loader.Package, field *ast.Field) []manifest.Fix {
	before, value, _ := strings.Cut(field.Tag.Value, `json:"`)
	return p.inTag(pkg, field, len(before)+len(`json:"`)+strings.IndexByte(value, '"'), ",omitempty", "Add omitempty", false)
}

// inTag returns a fix that inserts a string at an offset in the tag of a field; nil for a tag with escapes.
func (p *places) inTag(pkg *loader.Package, field *ast.Field, offset int, text, title string, safe bool) []manifest.Fix {
	if !strings.HasPrefix(field.Tag.Value, "`") {
		return nil
	}
	at := field.Tag.Pos() + token.Pos(offset)
	return newFix(p.files.tokens(pkg.Fset, at, at), text, title, safe)
}

// lowerCamel returns the name of a field in JSON by the conventions of Kubernetes: "url" for
// "URL", and "urlPath" for "URLPath".
func lowerCamel(name string) string {
	letters := []rune(name)
	upper := slices.IndexFunc(letters, func(r rune) bool { return !unicode.IsUpper(r) })
	switch {
	case upper < 0:
		upper = len(letters)
	case upper > 1:
		upper-- // the last one begins the next word
	}
	return strings.ToLower(string(letters[:upper])) + string(letters[upper:])
}

// maxTrials limits the generations that test fixes.
const maxTrials = 8

// addFixes adds fixes to the problems of the answer, by their index there. A fix is tested: its
// problem is gone afterwards, and there is no other error. If all fixes together pass, they need
// no tests of their own.
func (p *pasted) addFixes(ctx context.Context, s playground.GenerateRequest, fixes map[int]manifest.Fix) {
	tested := map[int]playground.TextEdit{}
	for i, fix := range fixes {
		e := fix.Edits[0] // as of newFix
		if at, ok := p.rangeOf(e.Place); ok {
			tested[i] = playground.TextEdit{Document: playground.DocumentGo, Range: at, NewText: e.NewText}
		}
	}
	if len(tested) == 0 {
		return
	}
	if !p.resolves(ctx, s, tested) {
		for n, i := range slices.Sorted(maps.Keys(tested)) {
			if n >= maxTrials || !p.resolves(ctx, s, map[int]playground.TextEdit{i: tested[i]}) {
				delete(tested, i)
			}
		}
	}
	for i, e := range tested {
		p.answer.Problems[i].Fixes = []playground.Fix{{Title: fixes[i].Title, Edits: []playground.TextEdit{e}}}
	}
}

// resolves reports whether problems are gone after an edit for each, and no other error appears.
func (p *pasted) resolves(ctx context.Context, s playground.GenerateRequest, edits map[int]playground.TextEdit) bool {
	var all []edit.Edit
	for _, e := range edits {
		all = append(all, edit.Edit{Range: e.Range, NewText: e.NewText})
	}
	s.Text = edit.Apply(s.Text, all...)
	after := &pasted{isTrial: true}
	after.generate(ctx, s)
	same := func(before, after playground.GoProblem) bool {
		line := before.Range.Start.Line
		for _, e := range edits { // An edit may insert lines.
			if e.Range.Start.Line <= before.Range.Start.Line {
				line += strings.Count(e.NewText, "\n")
			}
		}
		return before.Message == after.Message && line == after.Range.Start.Line
	}
	return !slices.ContainsFunc(after.answer.Problems, func(found playground.GoProblem) bool {
		before := slices.IndexFunc(p.answer.Problems, func(known playground.GoProblem) bool { return same(known, found) })
		_, isEdited := edits[before]
		return isEdited || before < 0 && found.Severity == playground.SeverityError
	})
}

// translateFixes adds the translations of fixes of the generated CRDs to the answer.
func (p *pasted) translateFixes(ctx context.Context, g *generated, fixes []playground.Fix) {
	for n, fix := range fixes {
		answer := playground.Fix{Title: fix.Title, Edits: []playground.TextEdit{}}
		if n < maxTrials {
			answer.Edits = p.translated(ctx, g, fix)
		}
		p.answer.CRDFixes = append(p.answer.CRDFixes, answer)
	}
}

// translated returns the edits of the source for a fix of the generated CRDs, or nil.
func (p *pasted) translated(ctx context.Context, g *generated, fix playground.Fix) []playground.TextEdit {
	all := []playground.TextEdit{}
	crd, first, end := -1, 0, 0
	var edits []edit.Edit
	for _, e := range fix.Edits {
		for crd < 0 || e.Range.Start.Line >= end { // The edits of a fix are in one CRD.
			if crd++; crd >= len(g.crds) || len(edits) > 0 {
				return all
			}
			first, end = end, end+strings.Count(g.crds[crd].text, "\n")
		}
		if e.Document != playground.DocumentCRD || e.Range.Start.Line < first || e.Range.End.Line > end {
			return all
		}
		e.Range.Start.Line -= first
		e.Range.End.Line -= first
		edits = append(edits, edit.Edit{Range: e.Range, NewText: e.NewText})
	}
	if crd < 0 {
		return all
	}
	for _, e := range g.translate(ctx, crd, edits) {
		at, ok := p.rangeOf(e.Place)
		if !ok {
			return []playground.TextEdit{}
		}
		all = append(all, playground.TextEdit{Document: playground.DocumentGo, Range: at, NewText: e.NewText})
	}
	return all
}
