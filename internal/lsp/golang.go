package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
)

// goPause is the pause in typing after which the CRDs of a Go package are generated again. This
// takes about a second.
const goPause = 300 * time.Millisecond

// findingsInGo judges the CRDs that the package of a Go file generates from the files in the editor,
// and returns the findings and mistakes in the file.
func (s snapshot) findingsInGo(ctx context.Context, f *file) ([]finding, error) {
	all := []finding{}
	if !strings.Contains(f.text, "+kubebuilder:") {
		return all, nil
	}
	o := gotypes.Options{Conventions: s.settings.GoConventions == nil || *s.settings.GoConventions, Texts: map[string]string{}}
	for _, open := range s.files {
		if open.isGo() {
			o.Texts[open.path] = open.text
		}
	}
	in := newReader(filepath.Dir(f.path), o).Read(ctx, []string{"./..."})
	result, err := check.Run(ctx, in, s.checkOptions())
	if err != nil {
		return nil, err
	}
	for _, d := range result.Documents {
		for _, found := range d.Verdicts[0].Findings {
			if found.Path() == f.path {
				all = append(all, finding{Diagnostic: s.diagnostic(found, s.rangeIn(found.File, found.Range)), inGo: found.Fixes})
			}
		}
	}
	return all, nil
}

// A fixInGo identifies a fix in Go types: by the indexes of its finding in a version of a file, and there.
type fixInGo struct {
	URI     protocol.DocumentUri `json:"uri"`
	Version int32                `json:"version"`
	Finding uint                 `json:"finding"`
	Fix     uint                 `json:"fix"`
}

// actionsInGo returns the fixes of a finding in Go types, by its index in the file. Testing them takes
// seconds, so the editor requests their edits when the user selects one, if it can.
func (s snapshot) actionsInGo(ctx context.Context, f *file, index int, found finding) []protocol.CodeAction {
	var all []protocol.CodeAction
	for i, fix := range found.inGo {
		action := protocol.CodeAction{
			Title: fix.Title, Kind: new(string(protocol.CodeActionKindQuickFix)), Diagnostics: []protocol.Diagnostic{found.Diagnostic},
			IsPreferred: new(len(found.inGo) == 1),
		}
		if s.client.resolves {
			action.Data = fixInGo{f.uri, f.version, uint(index), uint(i)} //nolint:gosec // indexes
		} else if action.Edit = s.editInGo(fix.Resolved(ctx)); action.Edit == nil {
			continue
		}
		all = append(all, action)
	}
	return all
}

// resolveAction adds the edit of a fix in Go types to a code action.
func (s snapshot) resolveAction(ctx context.Context, raw json.RawMessage) (map[string]any, error) {
	var selected struct {
		Title string  `json:"title"`
		Data  fixInGo `json:"data"`
	}
	var action map[string]any // with members that the server does not know
	if err := errors.Join(json.Unmarshal(raw, &selected), json.Unmarshal(raw, &action)); err != nil {
		return nil, err
	}
	at := selected.Data
	f := s.files[at.URI]
	if f == nil || f.version != at.Version {
		return nil, errOutdatedFix
	}
	known, isCurrent := s.diagnoser.of(f)
	if !isCurrent || at.Finding >= uint(len(known.findings)) || at.Fix >= uint(len(known.findings[at.Finding].inGo)) {
		return nil, errOutdatedFix
	}
	edit := s.editInGo(known.findings[at.Finding].inGo[at.Fix].Resolved(ctx))
	if edit == nil {
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: "The Go types cannot express this fix: " + selected.Title}
	}
	action["edit"] = edit
	return action, nil
}

var errOutdatedFix = &jsonrpc2.Error{Code: codeContentModified, Message: "The file has changed since this fix was offered."}

// safeInGo returns the edits of the safe fixes of a finding that change only its own file.
func (s snapshot) safeInGo(ctx context.Context, f *file, found finding) (all []protocol.TextEdit) {
	for _, fix := range found.inGo {
		if !fix.Safe {
			continue
		}
		if edit := s.editInGo(fix.Resolved(ctx)); edit != nil && len(edit.Changes) == 1 && !overlapAny(all, edit.Changes[f.uri]) {
			all = append(all, edit.Changes[f.uri]...)
		}
	}
	return all
}

// editInGo returns edits of Go files; nil without edits, or if a file has changed since its finding.
func (s snapshot) editInGo(edits []manifest.Edit) *protocol.WorkspaceEdit {
	changes := map[protocol.DocumentUri][]protocol.TextEdit{}
	for _, e := range edits {
		uri := uriOf(e.File.Path)
		if open := s.files[uri]; !e.File.Writable || open != nil && open.text != e.File.Text {
			return nil
		}
		changes[uri] = append(changes[uri], protocol.TextEdit{Range: s.rangeIn(e.File, e.Range), NewText: e.NewText})
	}
	if len(changes) == 0 {
		return nil
	}
	return &protocol.WorkspaceEdit{Changes: changes}
}

// groupMarker matches the marker that names the group of the kinds in a Go package.
var groupMarker = regexp.MustCompile(`(?m)^//\s*\+groupName=(\S+)\s*$`)

// maxGoFile limits the Go files that are searched for a group, in bytes.
const maxGoFile = 1 << 20

// goPackages returns the directories of the Go packages in folders by the groups of their kinds. The
// packages of a group are in the first folder that has some.
func goPackages(folders []string) map[string][]string {
	all := map[string][]string{}
	for _, folder := range slices.Backward(folders) {
		maps.Copy(all, goPackagesIn(folder))
	}
	return all
}

func goPackagesIn(folder string) map[string][]string {
	all := map[string][]string{}
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		switch name := entry.Name(); {
		case entry.IsDir() && path != folder && (load.IsIgnored(name) || name == "vendor" || name == "testdata"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		if info, err := entry.Info(); err != nil || info.Size() > maxGoFile {
			return nil //nolint:nilerr // the search goes on
		}
		text, _ := os.ReadFile(path)
		for _, match := range groupMarker.FindAllSubmatch(text, -1) {
			group := string(match[1])
			all[group] = append(all[group], filepath.Dir(path))
		}
		return nil
	})
	return all
}

// generated returns the CRDs of a kind that the Go packages of its group in the folders generate. They
// are generated together, because each version of a kind may have a package of its own.
func (w *workspace) generated(ctx context.Context, kind bundle.Kind) []*manifest.Document {
	if w.goPackages == nil {
		w.goPackages = goPackages(w.folders)
	}
	directories := w.goPackages[kind.Group]
	if len(directories) == 0 {
		return nil
	}
	above := directories[0]
	isOutside := func(directory string) bool {
		below, err := filepath.Rel(above, directory)
		return err != nil || !filepath.IsLocal(below)
	}
	for slices.ContainsFunc(directories, isOutside) && above != filepath.Dir(above) {
		above = filepath.Dir(above)
	}
	return crdsOf(newReader(above, gotypes.Options{}).Read(ctx, []string{"./..."}), kind)
}
