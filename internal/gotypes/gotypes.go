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
	"strings"
	"sync"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/version"

	"github.com/crdlab/crdlab/internal/playground"
)

// Generated is the result for Go packages.
type Generated struct {
	// CRDs lists the CRDs in the order of controller-gen. Like controller-gen, generation goes
	// on after an error, and the CRDs may lack a part then.
	CRDs []CRD
	// Problems lists the problems in the order of the files.
	Problems []Problem
	// LacksGroup reports that a package declares a kind but no group.
	LacksGroup bool

	again func(ctx context.Context, texts map[string]string) (*Generated, error)
}

// Failed reports whether controller-tools reported an error.
func (g *Generated) Failed() bool {
	for _, p := range g.Problems {
		if p.Severity == playground.SeverityError {
			return true
		}
	}
	return false
}

// mistakes returns the number of errors and warnings.
func (g *Generated) mistakes() (n int) {
	for _, p := range g.Problems {
		if p.Severity != playground.SeverityInfo {
			n++
		}
	}
	return n
}

// A Problem is a mistake in Go files, or a note on them. Errors come from controller-tools, the
// others from this package.
type Problem struct {
	Place
	Severity playground.Severity
	Message  string
	Hint     string
	// Fix is an edit that may resolve the problem, or nil.
	Fix *Fix
}

// A CRD is a generated CRD.
type CRD struct {
	// YAML is the output of controller-gen. It begins with the line "---".
	YAML string

	// document is the parsed YAML; nil if it is not valid.
	document func() *document
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
	return o, nil
}

// Options holds options of controller-gen. The zero value means the defaults.
type Options struct {
	// Conventions requests notes on the conventions of the Kubernetes API.
	Conventions bool
	// Texts holds texts that replace those of files, by the paths of their places.
	Texts map[string]string

	generator crd.Generator
}

// generate generates the CRDs of packages. more returns further problems.
func generate(roots []*loader.Package, files *files, o Options, more func(*places) []Problem) (g *Generated, err error) {
	g = &Generated{}
	var places *places
	defer func() {
		p := recover()
		if p == nil || len(roots) == 0 {
			return
		}
		if g.Problems = places.errorTypes(); len(g.Problems) == 0 {
			g.Problems = []Problem{{
				Place: files.first(roots[0].Package), Severity: playground.SeverityError,
				Message: fmt.Sprintf("controller-gen fails for these types: %v", p),
			}}
		}
	}()
	files.texts = o.Texts
	for _, root := range roots {
		root.NeedSyntax()
	}
	if g.Problems = tooLarge(roots, files); g.Problems != nil {
		return g, nil
	}
	context, err := newContext(roots)
	if err != nil {
		return nil, err
	}
	places = newPlaces(context, files, o)
	output := &output{}
	context.OutputRule = output
	cycles := places.cycles() // Their search makes the schemas for the others.
	if err := o.generator.Generate(context); err != nil {
		return nil, err
	}
	g.Problems = places.withHints(places.explainForeign(places.explainRefused(places.explainMarkers(packageProblems(roots, files)))))
	g.Problems = places.explainCgo(g.Problems)
	g.Problems = append(g.Problems, places.lint()...)
	missing := places.missingGroups()
	g.Problems, g.LacksGroup = append(g.Problems, missing...), len(missing) > 0
	g.Problems = append(g.Problems, cycles...)
	g.Problems = append(g.Problems, more(places)...)
	if o.Conventions {
		g.Problems = append(g.Problems, places.conventions(g.Problems)...)
	}
	sortProblems(g.Problems)
	for _, text := range output.texts {
		yaml := withToolVersion(text.String())
		g.CRDs = append(g.CRDs, CRD{yaml, sync.OnceValue(func() *document { return parse(yaml, places) })})
	}
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
