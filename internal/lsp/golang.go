package lsp

import (
	"context"
	"fmt"
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
	"github.com/crdlab/crdlab/internal/project"
)

// goPause is the pause in typing after which the CRDs of a Go package are generated again. This
// takes about a second.
const goPause = 300 * time.Millisecond

// findingsInGo judges the CRDs that the package of a Go file, with the other versions of its group, generates from the
// files in the editor. It returns the findings and mistakes in the file.
func (s snapshot) findingsInGo(ctx context.Context, f *file) ([]finding, error) {
	all := []finding{}
	if !f.hasKinds() {
		return all, nil
	}
	o, err := s.goOptions()
	if err != nil {
		return append(all, s.note(manifest.Place{File: manifest.NewFile(f.path, f.text)}, "The setting crdlab.goOptions is not valid: "+err.Error())), nil
	}
	directory := filepath.Dir(f.path)
	generated, err := gotypes.Load(ctx, directory, append([]string{"./..."}, s.workspace.versionsBeside(directory)...), o)
	if err != nil {
		return append(all, s.note(manifest.Place{File: manifest.NewFile(f.path, f.text)}, "Not judged: "+err.Error())), nil
	}
	s.logOptions(ctx, generated)
	in := manifest.NewInput()
	in.AddPackage(generated)
	result, err := check.Run(ctx, in, s.checkOptions())
	if err != nil {
		return nil, err
	}
	for _, d := range result.Documents {
		for _, found := range d.Verdicts[0].Findings {
			if found.Path() == f.path {
				all = append(all, s.found(found))
				continue
			}
			i := slices.IndexFunc(found.Related, func(r manifest.Related) bool { return r.Path() == f.path })
			if d.Source() == nil && i >= 0 { // It is about several types, such as the versions of a kind.
				found.Place = found.Related[i].Place
				all = append(all, s.found(found))
			}
		}
	}
	return all, nil
}

// goOptions returns the options of the settings, with the files in the editor.
func (s snapshot) goOptions() (gotypes.Options, error) {
	o, err := gotypes.ParseOptions(s.settings.GoOptions)
	o.Conventions, o.Texts = s.settings.GoConventions, map[string]string{}
	for _, open := range s.files {
		if open.isGo() {
			o.Texts[open.path] = open.text
		}
	}
	return o, err
}

// conventionsAction returns the action that requests the notes on conventions for the project of a Go file; ok is false if
// the settings request them already.
func (s snapshot) conventionsAction(f *file) (action protocol.CodeAction, ok bool) {
	const title = "Check this project for conventions of the Kubernetes API"
	if !f.hasKinds() || s.settings.GoConventions {
		return action, false
	}
	if settings, err := project.SettingsAt(filepath.Dir(f.path)); err != nil || settings.Conventions {
		return action, false
	}
	return protocol.CodeAction{
		Title: title, Kind: new(string(kindConventions)), Command: &protocol.Command{Title: title, Command: commandConventions, Arguments: []any{f.uri}},
	}, true
}

// requestConventions writes the settings file of a Go file's project, and judges the open files with it.
func (s snapshot) requestConventions(ctx context.Context, a commandArguments) (any, error) {
	f, ok := s.files[a.text]
	if !ok {
		return nil, errNotOpen
	}
	if err := gotypes.RequestConventions(filepath.Dir(f.path)); err != nil {
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: err.Error()}
	}
	s.diagnoseAll(ctx)
	return nil, nil
}

// hasKinds reports whether the file may have Go types of CRDs.
func (f *file) hasKinds() bool { return f.isGo() && strings.Contains(f.text, "+kubebuilder:") }

// logOptions tells the editor which options of the project count, once for each place that has them.
func (s snapshot) logOptions(ctx context.Context, p *manifest.Package) {
	if p.Options == "" {
		return
	}
	message := fmt.Sprintf("crdlab: CRDs are generated with crd:%s, from %s", p.Options, p.OptionsFrom)
	if _, known := s.logged.LoadOrStore(message, true); !known {
		s.notify(ctx, protocol.ServerWindowLogMessage, protocol.LogMessageParams{Type: protocol.MessageTypeInfo, Message: message})
	}
}

// versionsBeside returns the directories of the other packages with the group of a directory's package.
func (w *workspace) versionsBeside(directory string) []string {
	var beside []string
	for _, directories := range w.groups() {
		if !slices.Contains(directories, directory) {
			continue
		}
		for _, other := range directories {
			if below, err := filepath.Rel(directory, other); err == nil && !filepath.IsLocal(below) && !slices.Contains(beside, other) {
				beside = append(beside, other)
			}
		}
	}
	return beside
}

// groupMarker matches the marker that names the group of the kinds in a Go package.
var groupMarker = regexp.MustCompile(`(?m)^//\s*\+groupName=(\S+)\s*$`)

// maxGoFile limits the Go files that are searched for a group, in bytes.
const maxGoFile = 1 << 20

// goKind matches the declaration of a kind in Go, with the comment before it.
var goKind = regexp.MustCompile(`(?m)^// *\+kubebuilder:object:root=true\s*\n(?://.*\n)*type (\w+) struct`)

// goKinds returns the declarations of kinds in the Go files of the folders, except those of lists.
func (w *workspace) goKinds() []manifest.Related {
	var all []manifest.Related
	for _, folder := range w.allFolders() {
		eachGoFile(folder, func(path string, text []byte) {
			for _, match := range goKind.FindAllSubmatchIndex(text, -1) {
				if name := string(text[match[2]:match[3]]); !strings.HasSuffix(name, "List") {
					file := manifest.NewFile(path, string(text))
					all = append(all, manifest.Related{Place: manifest.Place{File: file, Range: file.Between(match[2], match[3])}, Message: name})
				}
			}
		})
	}
	return all
}

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
	eachGoFile(folder, func(path string, text []byte) {
		for _, match := range groupMarker.FindAllSubmatch(text, -1) {
			group := string(match[1])
			all[group] = append(all[group], filepath.Dir(path))
		}
	})
	return all
}

// eachGoFile calls a function for the Go files in a folder that may declare kinds.
func eachGoFile(folder string, visit func(path string, text []byte)) {
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
		visit(path, text)
		return nil
	})
}

// generated returns the CRDs of a kind that the Go packages of its group in the folders generate. They
// are generated together, because each version of a kind may have a package of its own.
func (w *workspace) generated(ctx context.Context, kind bundle.Kind) []*manifest.Document {
	directories := w.groups()[kind.Group]
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
