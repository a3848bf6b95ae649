package gotypes

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/conditions"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/duplicatemarkers"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/initializer"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/integers"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/maxlength"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/nodurations"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/nofloats"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/nophase"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/notimestamp"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/ssatags"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/statussubresource"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/uniquemarkers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// analyzers returns the analyzers of kube-api-linter that fit CRDs. The others contradict what
// kubebuilder scaffolds, such as fields without a marker, or are about the types of Kubernetes itself: pointers, Protobuf,
// Godoc.
var analyzers = sync.OnceValue(func() []*analysis.Analyzer {
	var all []*analysis.Analyzer
	add := func(i initializer.AnalyzerInitializer, configuration any) {
		if analyzer, err := i.Init(configuration); err == nil { // The configurations are right.
			all = append(all, analyzer)
		}
	}
	add(conditions.Initializer(), &conditions.ConditionsConfig{
		IsFirstField: conditions.ConditionsFirstFieldIgnore, UseProtobuf: conditions.ConditionsUseProtobufIgnore,
		UsePatchStrategy: conditions.ConditionsUsePatchStrategyIgnore,
	})
	add(ssatags.Initializer(), &ssatags.SSATagsConfig{})
	add(uniquemarkers.Initializer(), &uniquemarkers.UniqueMarkersConfig{})
	for _, i := range []initializer.AnalyzerInitializer{
		duplicatemarkers.Initializer(), integers.Initializer(), maxlength.Initializer(), nodurations.Initializer(), nofloats.Initializer(),
		nophase.Initializer(), notimestamp.Initializer(), statussubresource.Initializer(),
	} {
		add(i, nil)
	}
	return all
})

// conventions returns notes on the types of CRDs that break conventions of the Kubernetes API, in the
// words of kube-api-linter. A line with one of the errors in known, or with nolint, has no notes.
func (p *places) conventions(known []manifest.Finding) []manifest.Finding {
	var all []manifest.Finding
	for _, pkg := range p.roots {
		pkg.NeedTypesInfo()
		run := &analyzerRun{pkg, map[*analysis.Analyzer]any{}, nil}
		for _, analyzer := range analyzers() {
			run.found = nil
			run.result(analyzer)
			for _, d := range run.found {
				place := p.files.parsed(pkg.Fset.Position(d.Pos).String())
				if p.isNeeded(pkg, d.Pos) && !isExempt(place, known) {
					all = append(all, manifest.Finding{Place: place, Severity: playground.SeverityInfo, Message: fmt.Sprintf("%s (kube-api-linter: %s)", strings.TrimSuffix(d.Message, "."), analyzer.Name)})
				}
			}
		}
	}
	sortProblems(all)
	same := func(a, b manifest.Finding) bool { return a.Place == b.Place && a.Message == b.Message }
	return slices.CompactFunc(all, same) // uniquemarkers repeats itself.
}

// isNeeded reports whether a position is in a type that a CRD needs.
func (p *places) isNeeded(pkg *loader.Package, at token.Pos) bool {
	for ident := range p.parser.Schemata {
		if info := p.parser.Types[ident]; ident.Package == pkg && info != nil && info.RawSpec.Pos() <= at && at < info.RawSpec.End() {
			return true
		}
	}
	return false
}

// isExempt reports whether a line has a known error, or a comment for golangci-lint.
func isExempt(place manifest.Place, known []manifest.Finding) bool {
	if line := place.Source(); strings.Contains(line, "//nolint:") && strings.Contains(line, "kubeapilinter") {
		return true
	}
	return slices.ContainsFunc(known, func(p manifest.Finding) bool {
		return p.Severity == playground.SeverityError && p.File == place.File && p.Range.Start.Line == place.Range.Start.Line
	})
}

// An analyzerRun runs analyzers on a package, each once.
type analyzerRun struct {
	pkg     *loader.Package
	results map[*analysis.Analyzer]any
	found   []analysis.Diagnostic
}

// result returns the result of an analyzer after its requirements. An analyzer that fails finds
// nothing: the types may have mistakes.
func (r *analyzerRun) result(analyzer *analysis.Analyzer) (result any) {
	if known, ok := r.results[analyzer]; ok {
		return known
	}
	defer func() {
		if recover() != nil {
			r.found = nil
		}
		r.results[analyzer] = result
	}()
	pass := &analysis.Pass{
		Analyzer: analyzer, Fset: r.pkg.Fset, Files: r.pkg.Syntax, Pkg: r.pkg.Types, TypesInfo: r.pkg.TypesInfo, TypesSizes: r.pkg.TypesSizes,
		ResultOf: map[*analysis.Analyzer]any{}, Report: func(d analysis.Diagnostic) { r.found = append(r.found, d) },
	}
	for _, required := range analyzer.Requires {
		pass.ResultOf[required] = r.result(required)
	}
	result, err := analyzer.Run(pass)
	if err != nil {
		r.found = nil
	}
	return result
}
