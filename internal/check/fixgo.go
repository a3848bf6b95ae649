package check

import (
	"context"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// FixesInGo returns the fixes of a finding in Go types, or only the safe ones. They are tested, which
// takes time.
func (f Finding) FixesInGo(ctx context.Context, onlySafe bool) []manifest.GoFix {
	if f.inGo == nil {
		return nil
	}
	return f.inGo(ctx, onlySafe)
}

// fixesInGo returns the function that translates the fixes of a finding in a generated CRD.
func fixesInGo(f playground.Finding, crd *manifest.Document) func(context.Context, bool) []manifest.GoFix {
	return func(ctx context.Context, onlySafe bool) (all []manifest.GoFix) {
		for _, fix := range f.Fixes {
			isSafe := fix.Safe && len(f.Fixes) == 1
			edits, ok := sources{crd: crd, own: crd}.edits(fix)
			if !ok || onlySafe && !isSafe {
				continue
			}
			if translated := crd.Translate(ctx, edits); len(translated) > 0 {
				all = append(all, manifest.GoFix{Title: fix.Title, Safe: isSafe, Edits: translated})
			}
		}
		return all
	}
}

// fixesOf returns the function that tests the fix of a mistake, if it has one.
func fixesOf(m manifest.Mistake) func(context.Context, bool) []manifest.GoFix {
	if m.Fix == nil {
		return nil
	}
	return func(ctx context.Context, onlySafe bool) []manifest.GoFix {
		if fix := m.Fix(ctx); len(fix.Edits) > 0 && (fix.Safe || !onlySafe) {
			return []manifest.GoFix{fix}
		}
		return nil
	}
}

// fixGo applies the safe fixes in Go types: those of mistakes, and of the CRDs that the types give.
// It returns the fixed files, and the input and the result with them.
func fixGo(ctx context.Context, in *manifest.Input, result *Result, o Options) ([]Fixed, *manifest.Input, *Result, error) {
	fixed := map[string]Fixed{}
	for range maxRounds {
		round := goRound(ctx, result, fixed)
		if len(round) == 0 {
			break
		}
		texts := map[string]string{}
		for path, file := range round {
			texts[path] = file.Text
		}
		next, err := in.WithGo(ctx, texts)
		if err != nil {
			return nil, nil, nil, err
		}
		judged, err := Run(ctx, next, o)
		if err != nil {
			return nil, nil, nil, err
		}
		maps.Copy(fixed, round)
		in, result = next, judged
	}
	var all []Fixed
	for _, path := range slices.Sorted(maps.Keys(fixed)) {
		all = append(all, fixed[path])
	}
	return all, in, result, ctx.Err()
}

// goRound applies the safe fixes in Go types in a result to files, some of which are fixed already. Of
// fixes that overlap, the first counts.
func goRound(ctx context.Context, r *Result, fixed map[string]Fixed) map[string]Fixed {
	round, edits := map[string]Fixed{}, map[string][]edit.Edit{}
	for _, f := range safeInGo(ctx, r) {
		isFree := func(e manifest.FileEdit) bool {
			return e.File.Writable && !overlaps(edits[e.File.Path], []edit.Edit{e.Edit})
		}
		if slices.ContainsFunc(f.Edits, func(e manifest.FileEdit) bool { return !isFree(e) }) {
			continue
		}
		for i, e := range f.Edits {
			path := e.File.Path
			file, ok := round[path]
			if !ok {
				file = Fixed{File: e.File, Fixes: fixed[path].Fixes}
				if before, ok := fixed[path]; ok {
					file.File = before.File
				}
			}
			if i == 0 {
				file.Fixes++
			}
			edits[path] = append(edits[path], e.Edit)
			file.Text = edit.Apply(e.File.Text, edits[path]...)
			round[path] = file
		}
	}
	return round
}

// maxGoFixes limits the fixes of a round, because each is tested by a generation.
const maxGoFixes = 20

// safeInGo returns the safe fixes in Go types, each once.
func safeInGo(ctx context.Context, r *Result) []manifest.GoFix {
	var all []manifest.GoFix
	for _, d := range r.Documents {
		for _, v := range d.Verdicts[:min(1, len(d.Verdicts))] {
			for _, f := range v.Findings {
				if f.inGo != nil && len(all) < maxGoFixes {
					all = append(all, f.inGo(ctx, true)...)
				}
			}
		}
	}
	return all
}
