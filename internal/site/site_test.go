package site_test

import (
	"bytes"
	"flag"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/site"
	"github.com/crdlab/crdlab/internal/ui"
)

var update = flag.Bool("update", false, "rewrite the pages in testdata")

// built lists the built files that the pages load.
var built = ui.Assets{
	Theme: "assets/theme.js", Icon: "assets/icon.svg", SiteScript: "assets/site.js", SiteStyles: []string{"assets/site.css"},
}

func render(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := site.Files(site.Settings{Assets: built, Policy: "default-src 'none'", URL: "https://crdlab.example.com"})
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

// TestLinks requires that each link of each page leads to a page, an element, a built file or an
// example.
func TestLinks(t *testing.T) {
	files := render(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		document, err := html.Parse(bytes.NewReader(files[name]))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range linksOf(document) {
			checkLink(t, files, name, link)
		}
	}
}

// linksOf returns the addresses in the elements of a document, except for the canonical one.
func linksOf(document *html.Node) []string {
	var links []string
	for n := range document.Descendants() {
		for _, attribute := range n.Attr {
			isLink := attribute.Key == "href" || attribute.Key == "src"
			if isLink && !strings.HasPrefix(attribute.Val, "https://") {
				links = append(links, attribute.Val)
			}
		}
	}
	return links
}

func checkLink(t *testing.T, files map[string][]byte, from, link string) {
	t.Helper()
	address, err := url.Parse(link)
	if err != nil {
		t.Errorf("%s: %v", from, err)
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
		if id, ok := strings.CutPrefix(address.Fragment, "example="); ok && !isExample(id) {
			t.Errorf("%s: there is no example %s", from, id)
		}
	case isPage:
		if address.Fragment != "" && !bytes.Contains(content, []byte(`id="`+address.Fragment+`"`)) {
			t.Errorf("%s: %s has no element %s", from, target, address.Fragment)
		}
	case !slices.Contains(append([]string{built.Theme, built.Icon, built.SiteScript}, built.SiteStyles...), target):
		t.Errorf("%s: there is nothing at %s", from, link)
	}
}

func isExample(id string) bool {
	return slices.ContainsFunc(examples.All(), func(e examples.Example) bool { return e.ID == id })
}
