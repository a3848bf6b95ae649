// Package gotypes generates CRDs from Go types with kubebuilder markers. The libraries of
// controller-gen generate them. The package finds the line of Go for each part of a CRD, and
// reports markers without effect, which controller-gen ignores.
package gotypes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/version"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// generated is the result for Go packages.
type generated struct {
	// crds lists the CRDs in the order of controller-gen. Like controller-gen, generation goes
	// on after an error, and the CRDs may lack a part then.
	crds []generatedCRD
	// findings lists what is found, in the order of the files. Errors come from controller-tools, the
	// others from this package. Their fixes are not tested.
	findings []manifest.Finding
	// lacksGroup reports that a package declares a kind but no group, and lacksMarkers that the CRDs are generated
	// without some markers, because they are not valid. controller-gen generates no CRD then.
	lacksGroup, lacksMarkers bool

	again func(ctx context.Context, texts map[string]string) (*generated, error)
}

// A generatedCRD is a CRD in the form of controller-gen. It begins with the line "---".
type generatedCRD struct {
	text string
	// document is the parsed source; nil if it is not valid.
	document func() *document
}

// failed reports whether controller-tools reported an error.
func (g *generated) failed() bool {
	return slices.ContainsFunc(g.findings, func(f manifest.Finding) bool { return f.Severity == playground.SeverityError })
}

// mistakes returns the number of errors and warnings.
func (g *generated) mistakes() (n int) {
	for _, f := range g.findings {
		if f.Severity != playground.SeverityInfo {
			n++
		}
	}
	return n
}

// asPackage returns the package of the generated CRDs. Its functions may be called at the same time.
func (g *generated) asPackage(pattern string) *manifest.Package {
	var access sync.Mutex // The CRDs share their files.
	p := &manifest.Package{Pattern: pattern, Findings: slices.Clone(g.findings), LacksMarkers: g.lacksMarkers}
	for i, f := range p.Findings {
		p.Findings[i].Fixes = slices.Clone(f.Fixes)
		for n, fix := range f.Fixes {
			p.Findings[i].Fixes[n].Resolve = func(ctx context.Context) []manifest.Edit {
				access.Lock()
				defer access.Unlock()
				if g.resolves(ctx, fix) {
					return fix.Edits
				}
				return nil
			}
		}
	}
	for i, crd := range g.crds {
		p.CRDs = append(p.CRDs, manifest.GeneratedFile{
			Text: crd.text,
			Hint: inMarkers,
			Origin: func(r playground.Range) manifest.Place {
				access.Lock()
				defer access.Unlock()
				return crd.place(r)
			},
			Translate: func(ctx context.Context, edits []edit.Edit) []manifest.Edit {
				access.Lock()
				defer access.Unlock()
				return g.translate(ctx, i, edits)
			},
		})
	}
	p.Again = func(ctx context.Context, texts map[string]string) (*manifest.Package, error) {
		next, err := g.again(ctx, texts)
		if err != nil {
			return nil, err
		}
		return next.asPackage(pattern), nil
	}
	return p
}

// ParseOptions parses options in the form of controller-gen: those after "crd:", such as
// "maxDescLen=0,allowDangerousTypes=true".
func ParseOptions(text string) (o Options, err error) {
	if text == "" {
		return o, nil
	}
	definition, err := markers.MakeDefinition("crd", markers.DescribesPackage, crd.Generator{})
	if err != nil {
		return o, err
	}
	parsed, err := definition.Parse("+crd:" + text)
	if err != nil {
		return o, fmt.Errorf("%s. %s", parseErrors(err), argumentsHint(definition))
	}
	o.generator, _ = parsed.(crd.Generator)
	o.isGiven = true
	return o, nil
}

// Options holds options of controller-gen. The zero value means the defaults.
type Options struct {
	// Conventions requests notes on the conventions of the Kubernetes API.
	Conventions bool
	// Texts holds sources that replace files, by the paths of [manifest.File].
	Texts map[string]string

	generator crd.Generator
	// isGiven reports that the caller chose the options of controller-gen. Otherwise text and source are those
	// of the project, see [manifest.Package].
	isGiven      bool
	text, source string
}

// generate generates the CRDs of packages. more returns further problems.
func generate(roots []*loader.Package, files *files, o Options, more func(*places) []manifest.Finding) (g *generated, err error) {
	g = &generated{}
	var places *places
	defer func() {
		p := recover()
		if p == nil || len(roots) == 0 {
			return
		}
		if g.findings = places.errorTypes(); len(g.findings) == 0 {
			g.findings = []manifest.Finding{{
				Place: files.first(roots[0].Package), Severity: playground.SeverityError,
				Message: fmt.Sprintf("controller-gen fails for these types: %v", p),
			}}
		}
	}()
	files.texts = o.Texts
	for _, root := range roots {
		root.NeedSyntax()
	}
	if g.findings = tooLarge(roots, files); g.findings != nil {
		return g, nil
	}
	context, err := newContext(roots)
	if err != nil {
		return nil, err
	}
	places = newPlaces(context, files, o)
	output := &output{}
	context.OutputRule = output
	invalid, restore := places.hideInvalidMarkers()
	defer restore()
	g.lacksMarkers = len(invalid) > 0
	for _, root := range roots {
		places.parser.NeedPackage(root)
	}
	cycles := places.cycles() // Their search makes the schemas for the others.
	if err := o.generator.Generate(context); err != nil {
		return nil, err
	}
	restore()
	g.findings = slices.Concat(invalid, places.explainForeign(places.explainRefused(packageProblems(roots, files))))
	g.findings = places.withHints(g.findings)
	g.findings = places.explainCgo(g.findings)
	g.findings = append(g.findings, places.lint()...)
	g.findings = places.explainStorage(g.findings)
	missing := places.missingGroups()
	g.findings, g.lacksGroup = append(g.findings, missing...), len(missing) > 0
	g.findings = append(g.findings, cycles...)
	g.findings = append(g.findings, more(places)...)
	if o.Conventions {
		g.findings = append(g.findings, places.conventions(g.findings)...)
	}
	for _, text := range output.texts {
		yaml := withToolVersion(text.String())
		g.crds = append(g.crds, generatedCRD{yaml, sync.OnceValue(func() *document { return parse(yaml, places) })})
	}
	g.findings = append(g.findings, samePlurals(g.crds)...)
	sortProblems(g.findings)
	return g, nil
}

// newContext returns the context of controller-gen for the generator of CRDs.
func newContext(roots []*loader.Package) (*genall.GenerationContext, error) {
	registry := &markers.Registry{}
	if err := (crd.Generator{}).RegisterMarkers(registry); err != nil {
		return nil, err
	}
	return &genall.GenerationContext{
		Collector: &markers.Collector{Registry: registry},
		Checker:   &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}},
		Roots:     roots,
		InputRule: noInput{},
	}, nil
}

// output keeps the files that a generator writes.
type output struct{ texts []*bytes.Buffer }

// Open implements [genall.OutputRule]. It discards a CRD without a group.
func (o *output) Open(_ *loader.Package, name string) (io.WriteCloser, error) {
	if strings.HasPrefix(name, "_") { // A name begins with the group.
		return writeCloser{io.Discard}, nil
	}
	text := &bytes.Buffer{}
	o.texts = append(o.texts, text)
	return writeCloser{text}, nil
}

type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }

// noInput is the rule for the files that a generator reads: the generator of CRDs reads only
// a header, which this package never names.
type noInput struct{}

// OpenForRead implements [genall.InputRule].
func (noInput) OpenForRead(path string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s: %w", path, errors.ErrUnsupported)
}

// versionAnnotation is the annotation of generated CRDs.
const versionAnnotation = "    controller-gen.kubebuilder.io/version: "

// withToolVersion replaces the version of this program, which controller-tools writes, by
// the version of controller-tools.
func withToolVersion(text string) string {
	return strings.Replace(text, versionAnnotation+version.Version()+"\n", versionAnnotation+toolVersion()+"\n", 1)
}

// toolVersion returns the version of controller-tools, or "(devel)" in tests.
func toolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version.Version()
	}
	for _, dependency := range info.Deps {
		if dependency.Path == "sigs.k8s.io/controller-tools" {
			return dependency.Version
		}
	}
	return version.Version()
}
