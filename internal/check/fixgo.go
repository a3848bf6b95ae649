package check

import (
	"context"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// fixGo applies the safe fixes in Go types: fixes of mistakes, and of the CRDs that the types give.
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
	round, edits := map[string]Fixed{}, map[string][]manifest.Edit{}
	for _, f := range safeInGo(ctx, r) {
		isFree := func(e manifest.Edit) bool {
			return e.File.Writable && !overlaps(edits[e.File.Path], []manifest.Edit{e})
		}
		if slices.ContainsFunc(f, func(e manifest.Edit) bool { return !isFree(e) }) {
			continue
		}
		for i, e := range f {
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
			edits[path] = append(edits[path], e)
			file.Text = edit.Apply(e.File.Text, inText(edits[path])...)
			round[path] = file
		}
	}
	return round
}

// maxGoFixes limits the fixes of a round, because each is tested by a generation.
const maxGoFixes = 20

// safeInGo returns the edits of each safe fix in Go types.
func safeInGo(ctx context.Context, r *Result) (all [][]manifest.Edit) {
	tested := 0
	for _, d := range r.Documents {
		if d.BuiltBy != "" { // Another part of the build may need the value.
			continue
		}
		for _, v := range d.Verdicts[:min(1, len(d.Verdicts))] {
			for _, f := range v.Findings {
				for _, fix := range f.Fixes {
					if fix.Resolve == nil || !fix.Safe || tested >= maxGoFixes {
						continue
					}
					tested++
					if edits := fix.Resolve(ctx); len(edits) > 0 {
						all = append(all, edits)
					}
				}
			}
		}
	}
	return all
}
