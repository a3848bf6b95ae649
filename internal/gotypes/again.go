package gotypes

import (
	"context"
	"go/parser"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/source/edit"
)

// edited generates the CRDs again after edits of files.
func (g *Generated) edited(ctx context.Context, edits []Edit) (*Generated, error) {
	return g.Again(ctx, func(path string) (text string, isEdited bool) {
		var ofFile []edit.Edit
		for _, e := range edits {
			if e.Path == path {
				text = e.Text
				ofFile = append(ofFile, edit.Edit{Range: e.Range, NewText: e.NewText})
			}
		}
		return edit.Apply(text, ofFile...), len(ofFile) > 0
	})
}

// Again generates the CRDs with other texts of some files, by the paths of their places. Their imports
// must be the same.
func (g *Generated) Again(ctx context.Context, texts func(path string) (string, bool)) (*Generated, error) {
	return g.again(ctx, texts)
}

// repeatable generates CRDs that can be generated again.
func repeatable(ctx context.Context, o Options, generate func(context.Context, Options) (*Generated, error)) (*Generated, error) {
	g, err := generate(ctx, o)
	if err != nil {
		return nil, err
	}
	g.again = func(ctx context.Context, texts func(path string) (string, bool)) (*Generated, error) {
		next := o
		next.texts = func(path string) (string, bool) {
			if text, ok := texts(path); ok || o.texts == nil {
				return text, ok
			}
			return o.texts(path)
		}
		return repeatable(ctx, next, generate)
	}
	return g, nil
}

// replaceTexts replaces the syntax of the files of a package that have other texts.
func replaceTexts(pkg *loader.Package, f *files) error {
	for i, file := range pkg.Syntax {
		if f.texts == nil {
			break
		}
		name := pkg.Fset.Position(file.Package).Filename
		text, ok := f.texts(f.display(name))
		if !ok {
			continue
		}
		parsed, err := parser.ParseFile(pkg.Fset, name, text, parser.AllErrors|parser.ParseComments)
		if err != nil {
			return err
		}
		pkg.Syntax[i] = parsed
	}
	return nil
}
