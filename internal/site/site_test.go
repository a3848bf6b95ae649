package site_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/docs"
	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/site"
	"github.com/crdlab/crdlab/internal/ui"
)

var update = flag.Bool("update", false, "rewrite the pages in testdata")

// built lists the built files that the pages load.
var built = ui.Assets{
	Theme: "assets/theme.js", Icon: "assets/icon.svg", SiteScript: "assets/site.js", SiteStyles: []string{"assets/site.css"},
	SchemaScript: "assets/schema.js", SchemaStyles: []string{"assets/schema.css"},
}

func render(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := site.Files(site.Settings{Assets: built, Policy: "default-src 'none'", EnginePolicy: "worker-src 'self'", URL: "https://crdlab.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPages compares the pages in testdata/pages.txtar.
func TestPages(t *testing.T) {
	const golden = "testdata/pages.txtar"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	files := render(t)
	for i, file := range archive.Files {
		page, ok := files[file.Name]
		if !ok {
			t.Fatalf("there is no page %s", file.Name)
		}
		got := bytes.TrimLeft(append(bytes.ReplaceAll(page, []byte("<"), []byte("\n<")), '\n'), "\n")
		if *update {
			archive.Files[i].Data = got
		} else if !bytes.Equal(got, file.Data) {
			t.Errorf("%s differs (-update):\n%s", file.Name, got)
		}
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash(golden), txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// maxPage is the maximum size of a page in bytes.
const maxPage = 60_000

// TestLinks requires that each link of each page leads to a page, an element, a built file, an
// example or a file of the repository, that the ids of a page differ, and that pages are small.
func TestLinks(t *testing.T) {
	files := render(t)
	for _, name := range pageNames(files) {
		document, err := html.Parse(bytes.NewReader(files[name]))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range attributesOf(document, "href", "src", "data-index") {
			checkLink(t, files, name, link)
		}
		ids := attributesOf(document, "id")
		slices.Sort(ids)
		if unique := slices.Compact(slices.Clone(ids)); len(unique) < len(ids) {
			t.Errorf("%s: elements share an id: %v", name, ids)
		}
		if size := len(files[name]); size > maxPage {
			t.Errorf("%s has %d bytes, more than %d", name, size, maxPage)
		}
		if bytes.Contains(files[name], []byte("raw HTML omitted")) {
			t.Errorf("%s lacks HTML of the document", name)
		}
	}
}

// TestSearchIndex requires that each entry of the search leads to a page or an element, and that
// each page but the lists has an entry.
func TestSearchIndex(t *testing.T) {
	files := render(t)
	var entries []struct{ Path, Title, Text string }
	if err := json.Unmarshal(files["docs/search.json"], &entries); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{"errors/index.html": true, "docs/index.html": true, "learn/index.html": true, "schema/index.html": true}
	for _, entry := range entries {
		checkLink(t, files, "index.html", entry.Path)
		page, _, _ := strings.Cut(entry.Path, "#")
		found[page+"index.html"] = true
		if entry.Title == "" || entry.Path == page && entry.Text == "" {
			t.Errorf("%s has no title or text", entry.Path)
		}
	}
	if got, want := slices.Sorted(maps.Keys(found)), pageNames(files); !slices.Equal(got, want) {
		t.Errorf("the search has the pages %v, want %v", got, want)
	}
}

// TestSitemap requires that the sitemap lists all pages.
func TestSitemap(t *testing.T) {
	files := render(t)
	var list struct {
		Pages []string `xml:"url>loc"`
	}
	if err := xml.Unmarshal(files["sitemap.xml"], &list); err != nil {
		t.Fatal(err)
	}
	want := []string{"https://crdlab.example.com/"}
	for _, name := range pageNames(files) {
		want = append(want, "https://crdlab.example.com/"+strings.TrimSuffix(name, "index.html"))
	}
	slices.Sort(list.Pages)
	slices.Sort(want)
	if !slices.Equal(list.Pages, want) {
		t.Errorf("got %v, want %v", list.Pages, want)
	}
}

// TestAllDocumentsHavePages compares the pages with the files in docs.
func TestAllDocumentsHavePages(t *testing.T) {
	files := render(t)
	for _, pattern := range []string{"*.md", "cli/*.md"} {
		names, err := fs.Glob(docs.Files, pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no documents %s: %v", pattern, err)
		}
		for _, name := range names {
			if files["docs/"+strings.TrimSuffix(name, ".md")+"/index.html"] == nil {
				t.Errorf("docs/%s has no page: add it to listedDocuments", name)
			}
		}
	}
}

// pageNames returns the names of the pages in alphabetical order.
func pageNames(files map[string][]byte) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return path.Ext(name) != ".html" })
}

// attributesOf returns the values of attributes in the elements of a document.
func attributesOf(document *html.Node, names ...string) []string {
	var values []string
	for n := range document.Descendants() {
		for _, attribute := range n.Attr {
			if slices.Contains(names, attribute.Key) {
				values = append(values, attribute.Val)
			}
		}
	}
	return values
}

func checkLink(t *testing.T, files map[string][]byte, from, link string) {
	t.Helper()
	address, err := url.Parse(link)
	if err != nil {
		t.Errorf("%s: %v", from, err)
		return
	}
	if file, ok := strings.CutPrefix(link, "https://github.com/crdlab/crdlab/blob/main/"); ok {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(file))); err != nil {
			t.Errorf("%s: %v", from, err)
		}
		return
	}
	if address.IsAbs() { // The canonical address, or another site.
		return
	}
	target := from
	if address.Path != "" {
		target = path.Join(path.Dir(from), address.Path)
		if strings.HasSuffix(address.Path, "/") {
			target = path.Join(target, "index.html")
		}
	}
	switch content, isPage := files[target]; {
	case target == "index.html":
		if id, ok := strings.CutPrefix(address.Fragment, "example="); ok {
			id, _, _ = strings.Cut(id, "&tour=")
			if !isExample(id) {
				t.Errorf("%s: there is no example %s", from, id)
			}
		}
	case isPage:
		if address.Fragment != "" && !bytes.Contains(content, []byte(`id="`+address.Fragment+`"`)) {
			t.Errorf("%s: %s has no element %s", from, target, address.Fragment)
		}
	case !slices.Contains(append([]string{built.Theme, built.Icon, built.SiteScript, built.SchemaScript}, slices.Concat(built.SiteStyles, built.SchemaStyles)...), target):
		t.Errorf("%s: there is nothing at %s", from, link)
	}
}

func isExample(id string) bool {
	return slices.ContainsFunc(examples.All(), func(e examples.Example) bool { return e.ID == id })
}

// TestStructuredData compares the question and the answer for search engines with what each error page shows.
func TestStructuredData(t *testing.T) {
	files := render(t)
	for _, explained := range errorindex.All() {
		document, err := html.Parse(bytes.NewReader(files["errors/"+explained.Code+"/index.html"]))
		if err != nil {
			t.Fatal(err)
		}
		var shown, paragraphs []string
		var data string
		for n := range document.Descendants() {
			switch {
			case n.Data == "script" && slices.Contains(n.Attr, html.Attribute{Key: "type", Val: "application/ld+json"}):
				data = n.FirstChild.Data
			case n.Data == "h1":
				shown = append(shown, textOf(n))
			case n.Data == "p" && len(n.Attr) == 0:
				paragraphs = append(paragraphs, textOf(n))
			}
		}
		shown = append(shown, strings.Join(paragraphs[:2], " ")) // The cause and the fix.
		want := map[string]any{"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": map[string]any{
			"@type": "Question", "name": shown[0], "acceptedAnswer": map[string]any{"@type": "Answer", "text": shown[1]},
		}}
		var got map[string]any
		if err := json.Unmarshal([]byte(data), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v, want %v", explained.Code, got, err, want)
		}
	}
}

// textOf returns the content of an element.
func textOf(element *html.Node) string {
	var text strings.Builder
	for n := range element.Descendants() {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
	}
	return strings.TrimSpace(text.String())
}
