package ui

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

func renderPage(t *testing.T, data PageData) (string, *html.Node) {
	t.Helper()
	var text strings.Builder
	if err := Page(data).Render(context.Background(), &text); err != nil {
		t.Fatal(err)
	}
	node, err := html.Parse(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), node
}

func pageData() PageData {
	example := examples.Default()
	return PageData{
		Assets:   Assets{Script: "/assets/main.js", Theme: "/assets/theme.js", Styles: []string{"/assets/main.css"}, Icon: "/assets/icon.svg"},
		Gallery:  examples.All(),
		Example:  example.ID,
		Scenario: example.Scenario,
		Report:   &playground.Report{Kubernetes: playground.Kubernetes{Library: "1.2.3"}},
	}
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// attributes returns the values of an attribute in the whole document.
func attributes(root *html.Node, name string) []string {
	var values []string
	for n := range root.Descendants() {
		if value, ok := attribute(n, name); ok {
			values = append(values, value)
		}
	}
	return values
}

func TestPageIDReferences(t *testing.T) {
	_, page := renderPage(t, pageData())
	ids := attributes(page, "id")
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			t.Errorf("id %q is there twice", id)
		}
	}
	for _, name := range []string{"aria-controls", "aria-labelledby", "data-copy"} {
		for _, value := range attributes(page, name) {
			if !slices.Contains(ids, value) {
				t.Errorf("%s=%q leads nowhere", name, value)
			}
		}
	}
}

func TestPageHasEveryPanel(t *testing.T) {
	_, page := renderPage(t, pageData())
	places := attributes(page, "data-panel")
	for _, p := range panels {
		if !slices.Contains(places, p.name) {
			t.Errorf("the page lacks the panel %s", p.name)
		}
	}
}

func TestPageObeysContentSecurityPolicy(t *testing.T) {
	_, page := renderPage(t, pageData())
	for n := range page.Descendants() {
		kind, _ := attribute(n, "type")
		_, external := attribute(n, "src")
		if n.Data == "script" && n.Type == html.ElementNode && !external && kind != "application/json" {
			t.Error("an inline script")
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
}

func TestPageShowsScenarioAndReport(t *testing.T) {
	data := pageData()
	data.Scenario.Object = "</textarea><script>alert(1)</script>"
	text, page := renderPage(t, data)
	if strings.Contains(text, "<script>alert") {
		t.Error("the object broke out of the page")
	}
	var texts []string
	for n := range page.Descendants() {
		if n.Data == "textarea" && n.FirstChild != nil {
			texts = append(texts, n.FirstChild.Data)
		}
	}
	want := []string{strings.TrimPrefix(data.Scenario.CRD, "\n"), data.Scenario.Object}
	if !slices.Equal(texts, want) {
		t.Errorf("editors hold %q, want %q", texts, want)
	}
	if !strings.Contains(text, "Kubernetes 1.2.3 libraries") {
		t.Error("the report is not in the page")
	}
}

func TestLoadAssets(t *testing.T) {
	manifest := `{
	  "src/main.ts": {"file": "assets/main-1.js", "css": ["assets/main-2.css"]},
	  "src/engine/started.ts": {"file": "assets/started-4.js", "imports": ["_shared-5.js"]},
	  "_shared-5.js": {"file": "assets/shared-5.js"},
	  "src/theme.ts": {"file": "assets/theme-3.js"},
	  "src/site.ts": {"file": "assets/site-1.js", "css": ["assets/site-1.css"]},
  "src/schema.ts": {"file": "assets/schema-1.js", "css": ["assets/schema-1.css"]},
	  "src/icon.svg": {"file": "assets/icon-4.svg"}
	}`
	got, err := LoadAssets(fstest.MapFS{"manifest.json": {Data: []byte(manifest)}}, "/base")
	if err != nil {
		t.Fatal(err)
	}
	want := Assets{
		Script: "/base/assets/main-1.js", Engine: "/base/assets/started-4.js", Imports: []string{"/base/assets/shared-5.js"},
		Theme: "/base/assets/theme-3.js", Icon: "/base/assets/icon-4.svg", Styles: []string{"/base/assets/main-2.css"},
		SiteScript: "/base/assets/site-1.js", SiteStyles: []string{"/base/assets/site-1.css"},
		SchemaScript: "/base/assets/schema-1.js", SchemaStyles: []string{"/base/assets/schema-1.css"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for name, text := range map[string]string{"not JSON": "{", "without the script": "{}"} {
		if _, err := LoadAssets(fstest.MapFS{"manifest.json": {Data: []byte(text)}}, "/"); err == nil {
			t.Errorf("a manifest %s is no error", name)
		}
	}
	if _, err := LoadAssets(fstest.MapFS{}, "/"); err == nil {
		t.Error("a missing manifest is no error")
	}
}
