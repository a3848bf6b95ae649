package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// newReader returns the reader of the command's arguments.
func newReader(command *cobra.Command) manifest.Reader {
	return manifest.Reader{Stdin: command.InOrStdin(), Generate: func(ctx context.Context, pattern string) (*manifest.Package, error) {
		return generatePackage(ctx, "", pattern, gotypes.Options{})
	}}
}

// generatePackage generates the CRDs of the Go packages that match a pattern in a directory. The
// paths of the files begin with the directory.
func generatePackage(ctx context.Context, directory, pattern string, o gotypes.Options) (*manifest.Package, error) {
	generated, err := gotypes.Load(ctx, directory, []string{pattern}, o)
	if err != nil {
		return nil, err
	}
	p := &manifest.Package{Pattern: pattern}
	files := map[string]*manifest.File{}
	open := func(place gotypes.Place) (*manifest.File, playground.Range) {
		if directory != "" && !filepath.IsAbs(place.Path) {
			place.Path = filepath.Join(directory, place.Path)
		}
		if files[place.Path] == nil {
			files[place.Path] = manifest.NewFile(place.Path, place.Text)
		}
		return files[place.Path], place.Range
	}
	for _, problem := range generated.Problems {
		file, at := open(problem.Place)
		p.Mistakes = append(p.Mistakes, manifest.Mistake{
			File: file, Range: at, Severity: problem.Severity, Message: problem.Message, Hint: problem.Hint,
		})
	}
	for _, crd := range generated.CRDs {
		p.CRDs = append(p.CRDs, manifest.GeneratedFile{
			Text:   crd.YAML,
			Origin: func(r playground.Range) (*manifest.File, playground.Range) { return open(crd.Place(r)) },
		})
	}
	return p, nil
}
