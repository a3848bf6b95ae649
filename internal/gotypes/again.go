package gotypes

import (
	"context"
	"maps"

	"github.com/crdlab/crdlab/internal/source/edit"

	"github.com/crdlab/crdlab/internal/manifest"
)

// edited generates the CRDs again after edits of files.
func (g *generated) edited(ctx context.Context, edits []manifest.Edit) (*generated, error) {
	texts, ofFile := map[string]string{}, map[*manifest.File][]edit.Edit{}
	for _, e := range edits {
		ofFile[e.File] = append(ofFile[e.File], edit.Edit{Range: e.Range, NewText: e.NewText})
		texts[e.File.Path] = edit.Apply(e.File.Text, ofFile[e.File]...)
	}
	return g.again(ctx, texts)
}

// repeatable generates CRDs that can be generated again.
func repeatable(ctx context.Context, o Options, generate func(context.Context, Options) (*generated, error)) (*generated, error) {
	g, err := generate(ctx, o)
	if err != nil {
		return nil, err
	}
	g.again = func(ctx context.Context, texts map[string]string) (*generated, error) {
		next := o
		next.Texts = map[string]string{}
		maps.Copy(next.Texts, o.Texts)
		maps.Copy(next.Texts, texts)
		return repeatable(ctx, next, generate)
	}
	return g, nil
}
