package main

import "testing"

func newGraph(imports ...[2]string) graph {
	g := graph{}
	for _, i := range imports {
		g.addImport(i[0], i[1])
	}
	return g
}

func TestReduceOmitsIndirectImports(t *testing.T) {
	g := newGraph([2]string{"a", "b"}, [2]string{"b", "c"}, [2]string{"c", "d"}, [2]string{"a", "c"}, [2]string{"a", "d"})
	want := newGraph([2]string{"a", "b"}, [2]string{"b", "c"}, [2]string{"c", "d"}).mermaid()
	if got := g.reduce().mermaid(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestCollapse(t *testing.T) {
	g := newGraph(
		[2]string{"internal/engine", "internal/source/edit"},
		[2]string{"internal/source/edit", "internal/source"},
		[2]string{"internal/sources", "internal/engine"},
		[2]string{"internal/devtools/words", "internal/engine"})
	want := newGraph([2]string{"internal/engine", "internal/source"}, [2]string{"internal/sources", "internal/engine"}).mermaid()
	if got := g.collapse().mermaid(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestMermaid(t *testing.T) {
	const want = "flowchart TD\n  cmd_server[cmd/server]\n  internal_ui[ui]\n  cmd_server --> internal_ui\n"
	if got := newGraph([2]string{"cmd/server", "internal/ui"}).mermaid(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestReplaceDrawing(t *testing.T) {
	got, err := replaceDrawing("before\n"+beginMarker+"old\n"+endMarker+"after\n", "new\n")
	if want := "before\n" + beginMarker + "new\n" + endMarker + "after\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, document := range []string{"", beginMarker, endMarker, endMarker + beginMarker} {
		if _, err := replaceDrawing(document, ""); err == nil {
			t.Errorf("%q: got no error", document)
		}
	}
}

func TestAddListing(t *testing.T) {
	const listing = `{"ImportPath": "github.com/crdlab/crdlab", "Imports": ["testing"]}
		{"ImportPath": "github.com/crdlab/crdlab/web", "Imports": ["embed", "github.com/crdlab/crdlab/internal/ui"]}`
	g := graph{}
	if err := g.addListing([]byte(listing)); err != nil {
		t.Fatal(err)
	}
	if got, want := g.mermaid(), newGraph([2]string{"web", "internal/ui"}).mermaid(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := g.addListing([]byte(`{"ImportPath":`)); err == nil {
		t.Error("got no error for a truncated listing")
	}
}
