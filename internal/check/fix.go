package check

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// A Fixed file has the content after its safe fixes.
type Fixed struct {
	File *manifest.File
	Text string
	// Fixes is the number of fixes.
	Fixes int
}

// maxRounds limits the rounds of fixes: an error may hide others.
const maxRounds = 5

// Fix judges an input, and applies all safe fixes of its findings. It returns the fixed
// files, Go files first, in the order of the input, and the result for their new content. A file whose fixes
// fail remains as it is.
func Fix(ctx context.Context, in *manifest.Input, o Options) ([]Fixed, *Result, error) {
	first, err := Run(ctx, in, o)
	if err != nil {
		return nil, nil, err
	}
	inGo, in, first, err := fixGo(ctx, in, first, o)
	if err != nil {
		return nil, nil, err
	}
	fixed, rejected := map[string]Fixed{}, map[string]bool{}
	current, result := in, first
	for range maxRounds {
		round := newRound(result, rejected)
		if len(round.files) == 0 {
			break
		}
		next, judged, err := tryTexts(ctx, current, round.files, o)
		if err != nil {
			return nil, nil, err
		}
		if failed := failures(result, judged, round.applied); len(failed) > 0 {
			maps.Copy(rejected, failed)
			continue
		}
		for path, file := range round.files {
			file.Fixes += fixed[path].Fixes
			fixed[path] = file
		}
		current, result = next, judged
	}
	result.Skipped, result.Builds, result.Problems = first.Skipped, first.Builds, first.Problems
	return append(inGo, inOrder(in, fixed)...), result, nil
}

// tryTexts judges the input with the fixed files.
func tryTexts(ctx context.Context, in *manifest.Input, files map[string]Fixed, o Options) (*manifest.Input, *Result, error) {
	texts := map[string]string{}
	for path, file := range files {
		texts[path] = file.Text
	}
	next := in.WithTexts(texts)
	result, err := Run(ctx, next, o)
	return next, result, err
}

// A round holds fixed files by their paths, and the errors that are fixed.
type round struct {
	files   map[string]Fixed
	applied map[errorKey]bool
}

// newRound applies the safe fixes in a result, except in the rejected files. Of fixes that
// overlap, the first counts.
func newRound(r *Result, rejected map[string]bool) round {
	next := round{map[string]Fixed{}, map[errorKey]bool{}}
	for path, documents := range byFile(r) {
		if rejected[path] {
			continue
		}
		var edits []manifest.Edit
		fixes := 0
		for i, d := range documents {
			for _, f := range safeFindings(d) {
				key := errorKey{path, i, f.Text()}
				fix, _ := f.SafeFix()
				if next.applied[key] || overlaps(edits, fix.Edits) {
					continue
				}
				next.applied[key] = true
				edits = append(edits, fix.Edits...)
				fixes++
			}
		}
		if fixes > 0 {
			file := documents[0].source.File
			next.files[path] = Fixed{file, edit.Apply(file.Text, inText(edits)...), fixes}
		}
	}
	return next
}

// safeFindings returns the findings of a document with a safe fix in its file.
func safeFindings(d Document) []manifest.Finding {
	var all []manifest.Finding
	for _, v := range d.Verdicts {
		for _, f := range v.Findings {
			if _, isSafe := f.SafeFix(); isSafe && f.Path() == d.Path {
				all = append(all, f)
			}
		}
	}
	return all
}

// overlaps reports whether edits touch each other. Edits at the same position do.
func overlaps(accepted, edits []manifest.Edit) bool {
	return slices.ContainsFunc(edits, func(e manifest.Edit) bool {
		return slices.ContainsFunc(accepted, func(a manifest.Edit) bool {
			return compare(e.Range.Start, a.Range.End) <= 0 && compare(a.Range.Start, e.Range.End) <= 0
		})
	})
}

func compare(a, b playground.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
}

// failures returns the files whose fixes failed: an object is gone or cannot be decoded any
// more, or a fixed error remains. Other errors may appear, because the fixed one hid them.
func failures(before, after *Result, applied map[errorKey]bool) map[string]bool {
	failed := map[string]bool{}
	old, new := byFile(before), byFile(after)
	for path, documents := range old {
		if len(documents) != len(new[path]) {
			failed[path] = true
			continue
		}
		for i, d := range new[path] {
			for j, v := range d.Verdicts {
				if v.Status.Code == http.StatusBadRequest && documents[i].Verdicts[j].Status.Code != http.StatusBadRequest {
					failed[path] = true
				}
				for _, f := range v.Findings {
					if applied[errorKey{path, i, f.Text()}] {
						failed[path] = true
					}
				}
			}
		}
	}
	return failed
}

// An errorKey identifies an error by the index of its document in the file, because a fix
// may change the position and the name.
type errorKey struct {
	path     string
	document int
	text     string
}

// byFile returns the documents of each file.
func byFile(r *Result) map[string][]Document {
	files := map[string][]Document{}
	for _, d := range r.Documents {
		files[d.Path] = append(files[d.Path], d)
	}
	return files
}

// inOrder returns the fixed files in the order of the input.
func inOrder(in *manifest.Input, fixed map[string]Fixed) []Fixed {
	var all []Fixed
	listed := map[string]bool{}
	for _, d := range in.Documents {
		path := d.File.Path
		if file, ok := fixed[path]; ok && !listed[path] {
			listed[path] = true
			file.File = d.File
			all = append(all, file)
		}
	}
	return all
}
