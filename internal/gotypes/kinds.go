package gotypes

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// storageMarker is the marker of the version in which objects are stored.
const storageMarker = "+kubebuilder:storageversion"

// withoutStorage matches the error of controller-tools about a kind without a storage version.
var withoutStorage = regexp.MustCompile(`^CRD for (\w+)\.(\S+) has no storage version$`)

// explainStorage moves the errors about kinds without a storage version to the type of the last version. A fix adds
// the marker to a version.
func (p *places) explainStorage(problems []manifest.Finding) []manifest.Finding {
	for i, problem := range problems {
		match := withoutStorage.FindStringSubmatch(problem.Message)
		if match == nil {
			continue
		}
		var versions []kindVersion
		for _, ident := range p.kinds() {
			if gv := p.parser.GroupVersions[ident.Package]; ident.Name == match[1] && gv.Group == match[2] {
				versions = append(versions, kindVersion{gv.Version, origin{ident.Package, p.parser.Types[ident].RawSpec}})
			}
		}
		if len(versions) == 0 {
			continue
		}
		last := versions[len(versions)-1]
		problems[i].Place, problems[i].Field = p.nameOf(last.origin), "spec.versions"
		problems[i].Message = fmt.Sprintf("No version of %s stores its objects.", match[1])
		problems[i].Hint = fmt.Sprintf("Add %s to the type of exactly one version: the version in which objects are stored.", storageMarker)
		for _, v := range versions {
			if v != last {
				problems[i].Related = append(problems[i].Related, manifest.Related{Place: p.nameOf(v.origin), Message: "Version " + v.name})
			}
			problems[i].Fixes = append(problems[i].Fixes, p.markType(v.origin, storageMarker, "Store objects in "+v.name)...)
		}
	}
	return problems
}

// A kindVersion is the type of a kind in a version.
type kindVersion struct {
	name string
	origin
}

// markType returns a fix that adds a marker above a type, after its other comments.
func (p *places) markType(o origin, marker, title string) []manifest.Fix {
	for _, file := range o.pkg.Syntax {
		for _, declared := range file.Decls {
			if group, ok := declared.(*ast.GenDecl); ok && slices.ContainsFunc(group.Specs, func(s ast.Spec) bool { return s == o.node }) {
				return newFix(p.files.tokens(o.pkg.Fset, group.Pos(), group.Pos()), "// "+marker+"\n", title, false)
			}
		}
	}
	return nil
}

// samePlurals reports the kinds whose CRDs have one name: the second file overwrites the first.
func samePlurals(crds []generatedCRD) []manifest.Finding {
	var all []manifest.Finding
	first := map[string]*document{}
	for _, crd := range crds {
		d := crd.document()
		if d == nil {
			continue
		}
		name, _ := d.yaml.Lookup("metadata", "name")
		plural := func(d *document) manifest.Place { return d.place([]any{"spec", "names", "plural"}, playground.Range{}) }
		other := first[name]
		if other == nil {
			first[name] = d
			continue
		}
		kind, _ := d.yaml.Lookup("spec", "names", "kind")
		otherKind, _ := other.yaml.Lookup("spec", "names", "kind")
		all = append(all, manifest.Finding{
			Place: plural(d), Severity: playground.SeverityError,
			Message: fmt.Sprintf("%s and %s have the same plural, so both CRDs have the name %s: controller-gen writes only the last of them.", otherKind, kind, name),
			Hint:    "Give one of them another plural with +kubebuilder:resource:path.",
			Related: []manifest.Related{{Place: plural(other), Message: "The other kind"}},
		})
	}
	return all
}
