package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A kindVersion is a version of a kind.
type kindVersion struct{ apiVersion, kind string }

// kindVersions returns the versions of the kinds that the open files, the folders and the settings describe, and CRDs themselves.
func (s snapshot) kindVersions(ctx context.Context) []kindVersion {
	all := []kindVersion{{"apiextensions.k8s.io/v1", "CustomResourceDefinition"}}
	crds := s.workspace.allCRDs(ctx, s.settings)
	for _, f := range s.files {
		crds = append(crds, f.read().Documents...)
	}
	for _, d := range crds {
		for i := 0; d.IsCRD && d.Has("spec", "versions", i); i++ {
			all = append(all, kindVersion{d.Described.Group + "/" + d.Scalar("spec", "versions", i, "name"), d.Described.Kind})
		}
	}
	groups := s.workspace.groups()
	for _, kind := range s.workspace.goKinds() {
		directory := filepath.Dir(kind.Path())
		for group, directories := range groups {
			if slices.Contains(directories, directory) {
				all = append(all, kindVersion{group + "/" + filepath.Base(directory), kind.Message})
			}
		}
	}
	slices.SortFunc(all, func(a, b kindVersion) int {
		return cmp.Or(strings.Compare(a.apiVersion, b.apiVersion), strings.Compare(a.kind, b.kind))
	})
	return slices.Compact(all)
}

// The lines that name the kind of a document.
var (
	identityLine   = regexp.MustCompile(`^(apiVersion|kind): *(\S*)$`)
	apiVersionLine = regexp.MustCompile(`(?m)^apiVersion: *(\S+) *$`)
	kindLine       = regexp.MustCompile(`(?m)^kind: *(\S+) *$`)
	separatorLine  = regexp.MustCompile(`(?m)^---.*$`)
)

// A cursorLine is the line of a file up to a position.
type cursorLine struct {
	*manifest.File
	at     playground.Position
	before string
}

func (s snapshot) lineAt(f *file, at protocol.Position) cursorLine {
	text := manifest.NewFile(f.path, f.text)
	cursor := s.positionFrom(text, at)
	line := text.Line(cursor.Line)
	return cursorLine{text, cursor, line[:bytesOf(line, cursor.Character)]}
}

// list returns items that replace the line from an offset in bytes to the cursor.
func (s snapshot) list(l cursorLine, start int, items []playground.CompletionItem) protocol.CompletionList {
	place := playground.Range{Start: l.at, End: l.at}
	place.Start.Character -= unitsOf(l.before[start:])
	return s.items(playground.Completion{Items: items}, s.rangeIn(l.File, place))
}

// identityCompletion lists the API versions or the kinds that fit the rest of the document. ok is false in other lines.
func (s snapshot) identityCompletion(ctx context.Context, l cursorLine) (list protocol.CompletionList, ok bool) {
	m := identityLine.FindStringSubmatch(l.before)
	if m == nil {
		return list, false
	}
	start, _ := l.LineStart(l.at.Line)
	above := separatorLine.Split(l.Text[:start], -1)
	_, below, _ := strings.Cut(l.Text[start:], "\n")
	rest := above[len(above)-1] + separatorLine.Split(below, 2)[0]
	said := kindVersion{firstMatch(apiVersionLine, rest), firstMatch(kindLine, rest)}
	items := []playground.CompletionItem{}
	for _, k := range s.kindVersions(ctx) {
		if said.kind != "" && said.kind != k.kind && m[1] == "apiVersion" || said.apiVersion != "" && said.apiVersion != k.apiVersion && m[1] == "kind" {
			continue
		}
		item := playground.CompletionItem{Kind: playground.ItemValue, Label: k.apiVersion, Insert: k.apiVersion, Detail: k.kind}
		other, isSaid := "kind: "+k.kind, said.kind != ""
		if m[1] == "kind" {
			item.Label, item.Insert, item.Detail = k.kind, k.kind, k.apiVersion
			other, isSaid = "apiVersion: "+k.apiVersion, said.apiVersion != ""
		}
		if !isSaid {
			item.Insert += "\n" + other
		}
		items = append(items, item)
	}
	return s.list(l, len(l.before)-len(m[2]), items), true
}

func firstMatch(r *regexp.Regexp, text string) string {
	if m := r.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// commentCompletion lists the expectations and requests that may follow in a comment. ok is false elsewhere.
func (s snapshot) commentCompletion(ctx context.Context, f *file, l cursorLine) (list protocol.CompletionList, ok bool, err error) {
	if !strings.Contains(l.before, "#") {
		return list, false, nil
	}
	isCRD := slices.ContainsFunc(f.read().Documents, func(d *manifest.Document) bool { return d.IsCRD && contains(d.Range, l.at) })
	start, items, ok, err := expect.Complete(l.File, l.at.Line, l.before, isCRD, func() (*expect.Result, error) {
		return expect.Run(ctx, s.input(ctx, f), s.checkOpen())
	})
	return s.list(l, start, items), ok, err
}

// inLine returns a method that completes the lines that name the kind of a document, and comments.
func inLine(other method) method {
	return method{request: func(s snapshot, ctx context.Context, raw json.RawMessage) (any, error) {
		p, err := decode[about[protocol.CompletionParams]](raw)
		if err != nil {
			return nil, err
		}
		if open, ok := s.files[p.place.TextDocument.URI]; ok {
			l := s.lineAt(open, p.place.Position)
			if list, ok := s.identityCompletion(ctx, l); ok {
				return list, nil
			}
			// Most comments are for people.
			isTyped := p.params.Context != nil && p.params.Context.TriggerKind == protocol.CompletionTriggerKindTriggerCharacter
			list, ok, err := s.commentCompletion(ctx, open, l)
			if ok && isTyped && strings.HasSuffix(l.before, "# ") {
				list = s.list(l, len(l.before), nil)
			}
			if ok || err != nil {
				return list, err
			}
		}
		return other.request(s, ctx, raw)
	}}
}
