package main

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// newReader returns the reader of the command's arguments. The command may have the flag that
// addConventions adds.
func newReader(command *cobra.Command) manifest.Reader {
	conventions, _ := command.Flags().GetBool(conventionsFlag) // false without the flag
	return manifest.Reader{Stdin: command.InOrStdin(), Generate: func(ctx context.Context, pattern string) (*manifest.Package, error) {
		return generatePackage(ctx, "", pattern, gotypes.Options{Conventions: conventions})
	}}
}

const conventionsFlag = "conventions"

// addConventions adds the flag for notes on conventions.
func addConventions(command *cobra.Command) {
	command.Flags().Bool(conventionsFlag, false, "add the notes of kube-api-linter on Go types that break conventions of the Kubernetes API")
}

// generatePackage generates the CRDs of the Go packages that match a pattern in a directory. The
// paths of the files begin with the directory.
func generatePackage(ctx context.Context, directory, pattern string, o gotypes.Options) (*manifest.Package, error) {
	generated, err := gotypes.Load(ctx, directory, []string{pattern}, o)
	if err != nil {
		return nil, err
	}
	return newPackage(directory, pattern, generated), nil
}

// pathsBelow returns texts with the paths of files in a directory relative to it.
func pathsBelow(directory string, texts map[string]string) map[string]string {
	all := map[string]string{}
	for path, text := range texts {
		if below, err := filepath.Rel(directory, path); directory != "" && err == nil && filepath.IsLocal(below) {
			path = below
		}
		all[path] = text
	}
	return all
}

// newPackage returns the package of generated CRDs.
func newPackage(directory, pattern string, generated *gotypes.Generated) *manifest.Package {
	p := &manifest.Package{Pattern: pattern}
	// Several CRDs are judged at a time, and the generated ones share their files.
	var access sync.Mutex
	files := map[string]*manifest.File{}
	shown := func(path string) string {
		if directory != "" && !filepath.IsAbs(path) {
			return filepath.Join(directory, path)
		}
		return path
	}
	open := func(place gotypes.Place) (*manifest.File, playground.Range) {
		path := shown(place.Path)
		if files[path] == nil {
			files[path] = manifest.NewFile(path, place.Text)
			files[path].Writable = !filepath.IsAbs(place.Path) // others may be in the module cache
		}
		return files[path], place.Range
	}
	opened := func(edits ...gotypes.Edit) (all []manifest.FileEdit) {
		for _, e := range edits {
			file, at := open(e.Place)
			all = append(all, manifest.FileEdit{File: file, Edit: edit.Edit{Range: at, NewText: e.NewText}})
		}
		return all
	}
	for _, problem := range generated.Problems {
		file, at := open(problem.Place)
		p.Mistakes = append(p.Mistakes, manifest.Mistake{
			File: file, Range: at, Severity: problem.Severity, Message: problem.Message, Hint: problem.Hint,
			Fix: func(ctx context.Context) (fix manifest.GoFix) {
				access.Lock()
				defer access.Unlock()
				if problem.Fix != nil && generated.Resolves(ctx, *problem.Fix) {
					fix = manifest.GoFix{Title: problem.Fix.Title, Safe: problem.Fix.Safe, Edits: opened(problem.Fix.Edit)}
				}
				return fix
			},
		})
	}
	for i, crd := range generated.CRDs {
		p.CRDs = append(p.CRDs, manifest.GeneratedFile{
			Text: crd.YAML,
			Origin: func(r playground.Range) (*manifest.File, playground.Range) {
				access.Lock()
				defer access.Unlock()
				return open(crd.Place(r))
			},
			Translate: func(ctx context.Context, edits []edit.Edit) []manifest.FileEdit {
				access.Lock()
				defer access.Unlock()
				translated, _ := generated.Translate(ctx, i, edits)
				return opened(translated...)
			},
		})
	}
	p.Again = func(ctx context.Context, texts map[string]string) (*manifest.Package, error) {
		next, err := generated.Again(ctx, pathsBelow(directory, texts))
		if err != nil {
			return nil, err
		}
		return newPackage(directory, pattern, next), nil
	}
	return p
}
