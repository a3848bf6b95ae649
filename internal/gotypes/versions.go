//go:build !js

package gotypes

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// knownVersions returns the versions of the modules of the known packages.
var knownVersions = sync.OnceValue(func() map[string]string {
	text, err := knownTexts.ReadFile("known/versions.txt")
	if err != nil {
		panic(err) // The file is part of the program.
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(text)) {
		module, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[module] = version
	}
	return versions
})

// otherVersions returns a warning for each module of known packages that the packages import, and for which
// go.mod requires another version, at the first import.
func (s *sources) otherVersions(p *places) []manifest.Finding {
	text, _ := fs.ReadFile(s.tree, "go.mod") // There may be none.
	required, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil {
		return nil
	}
	var all []manifest.Finding
	reported := map[string]bool{}
	for _, pkg := range p.roots {
		for _, file := range pkg.Syntax {
			for _, spec := range file.Imports {
				imported := strings.Trim(spec.Path.Value, `"`)
				for _, r := range required.Require {
					known, ok := knownVersions()[r.Mod.Path]
					if !ok || known == r.Mod.Version || reported[r.Mod.Path] || !strings.HasPrefix(imported, r.Mod.Path+"/") {
						continue
					}
					reported[r.Mod.Path] = true
					all = append(all, manifest.Finding{
						Place: p.files.tokens(s.fset, spec.Path.Pos(), spec.Path.End()), Severity: playground.SeverityWarning,
						Message: fmt.Sprintf("go.mod requires %s %s. Without the go command, its types are those of %s, so the CRD may differ.", r.Mod.Path, r.Mod.Version, known),
						Hint:    "The go command, if it is installed, finds the version of go.mod.",
					})
				}
			}
		}
	}
	return all
}
