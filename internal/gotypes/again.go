package gotypes

import (
	"context"
	"maps"

	"github.com/crdlab/crdlab/internal/source/edit"
)

// edited generates the CRDs again after edits of files.
func (g *Generated) edited(ctx context.Context, edits []Edit) (*Generated, error) {
	before, ofFile := map[string]string{}, map[string][]edit.Edit{}
	for _, e := range edits {
		before[e.Path] = e.Text
		ofFile[e.Path] = append(ofFile[e.Path], edit.Edit{Range: e.Range, NewText: e.NewText})
	}
	texts := map[string]string{}
	for path, text := range before {
		texts[path] = edit.Apply(text, ofFile[path]...)
	}
	return g.Again(ctx, texts)
}

// Again generates the CRDs with other texts of some files, by the paths of their places.
func (g *Generated) Again(ctx context.Context, texts map[string]string) (*Generated, error) {
	return g.again(ctx, texts)
}

// repeatable generates CRDs that can be generated again.
func repeatable(ctx context.Context, o Options, generate func(context.Context, Options) (*Generated, error)) (*Generated, error) {
	g, err := generate(ctx, o)
	if err != nil {
		return nil, err
	}
	g.again = func(ctx context.Context, texts map[string]string) (*Generated, error) {
		next := o
		next.Texts = map[string]string{}
		maps.Copy(next.Texts, o.Texts)
		maps.Copy(next.Texts, texts)
		return repeatable(ctx, next, generate)
	}
	return g, nil
}
