package lsp

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

var (
	ruleMarker = regexp.MustCompile(`^\s*//\s*\+kubebuilder:validation:XValidation:`)
	// ruleArgument matches the start of an expression in the marker of a rule.
	ruleArgument = regexp.MustCompile("[:,](rule|messageExpression)=([\"`])")
)

// A markedRule is an expression of a rule in a marker, with a cursor.
type markedRule struct {
	// key is the field of the CRD: rule or messageExpression.
	key string
	// file is the Go file, and line the line of the marker.
	file *file
	line int
	// quote delimits the rule in the line, from start to end in bytes.
	quote      string
	start, end int
	// before is the part of the expression before the cursor.
	before, expression string
}

// ruleAt returns the rule of a marker at a cursor.
func ruleAt(f *file, l cursorLine) (r markedRule, ok bool) {
	line := l.Line(l.at.Line)
	all := ruleArgument.FindAllStringSubmatchIndex(l.before, -1)
	if len(all) == 0 || !ruleMarker.MatchString(line) {
		return r, false
	}
	m := all[len(all)-1]
	r = markedRule{key: line[m[2]:m[3]], file: f, line: l.at.Line, quote: line[m[4]:m[5]], start: m[1], end: len(line)}
	for i := r.start; i < len(line); i++ {
		if line[i] == '\\' && r.quote == `"` {
			i++
		} else if line[i:i+1] == r.quote {
			r.end = i
			break
		}
	}
	if len(l.before) > r.end {
		return r, false
	}
	r.before, r.expression = r.unquoted(l.before[r.start:]), r.unquoted(line[r.start:r.end])
	return r, true
}

func (r markedRule) unquoted(text string) string {
	if r.quote == "`" {
		return text
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text)
}

func (r markedRule) quoted(text string) string {
	if r.quote == "`" {
		return text
	}
	return strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(text)
}

// withoutRule returns the Go file with a rule that is valid in the place of the rule, which may be incomplete.
func (r markedRule) withoutRule() string {
	lines := strings.SplitAfter(r.file.text, "\n")
	line := lines[r.line]
	rest := strings.TrimPrefix(line[r.end:], r.quote)
	lines[r.line] = line[:r.start] + "true" + r.quote + rest
	return strings.Join(lines, "")
}

// A ruleContext remembers the CRDs for the last rule in a marker that was completed: they do not depend on the rule.
type ruleContext struct {
	access sync.Mutex
	key    string
	crds   []*manifest.Document
}

// cursorInRule returns the cursor in the generated CRD for a cursor in a rule. ok is false if no CRD has the rule.
func (s snapshot) cursorInRule(ctx context.Context, r markedRule) (cursor playground.Cursor, ok bool, err error) {
	text := r.withoutRule()
	s.rule.access.Lock()
	defer s.rule.access.Unlock()
	if key := r.file.path + "\x00" + r.key + "\x00" + text; s.rule.key != key {
		o, err := s.goOptions()
		if err != nil {
			return cursor, false, nil //nolint:nilerr // The diagnostics say so.
		}
		o.Conventions, o.Texts[r.file.path] = false, text
		generated, err := gotypes.Load(ctx, filepath.Dir(r.file.path), []string{"."}, o)
		if err != nil {
			return cursor, false, nil //nolint:nilerr // The diagnostics say so.
		}
		in := manifest.NewInput()
		in.AddPackage(generated)
		s.rule.key, s.rule.crds = key, in.Documents
	}
	for _, crd := range s.rule.crds {
		parsed, _ := source.Parse(crd.Text, source.DefaultLimits)
		for _, d := range parsed.Documents {
			path := r.in(crd, d.Root(), nil)
			if path == nil {
				continue
			}
			set, isSet := edit.Set(d, r.expression, path...)
			if !isSet {
				continue
			}
			return inCRD(edit.Apply(crd.Text, set), path, utf8.RuneCountInString(r.before))
		}
	}
	return cursor, false, nil
}

// inCRD returns the cursor at an offset in code points of a scalar of a CRD.
func inCRD(crd string, path []any, offset int) (cursor playground.Cursor, ok bool, err error) {
	parsed, _ := source.Parse(crd, source.DefaultLimits)
	if len(parsed.Documents) == 0 {
		return cursor, false, nil
	}
	at, ok := parsed.Documents[0].At(path...)
	if !ok {
		return cursor, false, nil
	}
	scalar, ok := at.Scalar()
	position := at.Value().Start
	if offset > 0 {
		position = scalar.Range(offset-1, offset).End
	}
	return playground.Cursor{Scenario: playground.Scenario{CRD: crd}, Document: playground.DocumentCRD, Position: position}, ok, nil
}

// in returns the path of the rule in a generated CRD; nil if it is not there.
func (r markedRule) in(crd *manifest.Document, at source.Location, path []any) []any {
	for i := range at.Len() {
		if item, ok := at.At(i); ok {
			if found := r.in(crd, item, append(path, i)); found != nil {
				return found
			}
		}
	}
	for key, value := range at.Entries() {
		below := slices.Concat(path, []any{key.Value})
		if key.Value == r.key && value.Node().Value == "true" {
			if place := crd.Place(value.Value()); place.Path() == r.file.path && place.Range.Start.Line == r.line {
				return below
			}
		}
		if found := r.in(crd, value, below); found != nil {
			return found
		}
	}
	return nil
}
