package gotypes

import (
	"fmt"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// missingGroups reports the packages that declare a kind but no group, at their package clauses. The fix
// adds the group of another package, or an example.
func (p *places) missingGroups() []manifest.Finding {
	group := "example.com"
	for _, pkg := range p.roots {
		if other := p.parser.GroupVersions[pkg].Group; other != "" {
			group = other
		}
	}
	var all []manifest.Finding
	reported := map[*loader.Package]bool{}
	for _, ident := range p.kinds() {
		pkg, at := ident.Package, p.parser.Types[ident].RawSpec.Pos()
		for _, file := range pkg.Syntax {
			if p.parser.GroupVersions[pkg].Group != "" || reported[pkg] || at < file.FileStart || at >= file.FileEnd {
				continue
			}
			reported[pkg] = true
			marker := "// +groupName=" + group
			all = append(all, manifest.Finding{
				Place: p.files.tokens(pkg.Fset, file.Package, file.Name.End()), Severity: playground.SeverityError,
				Message: "The package has no group, so there are no CRDs of its kinds.",
				Hint:    fmt.Sprintf("Add the comment %s above the package clause. The version is then the name of the package, %s.", marker, pkg.Name),
				Fixes:   newFix(p.files.tokens(pkg.Fset, file.Package, file.Package), marker+"\n", "Add "+marker, false),
			})
		}
	}
	return all
}
