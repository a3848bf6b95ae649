// Package site renders the pages beside the playground, such as the error index and the examples. All but one
// need no script. They link to each other by relative addresses, so that they work at any path.
package site

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/ui"
)

// Settings are the parts of the pages that depend on the host.
type Settings struct {
	// Assets has the built files, with addresses relative to the root of the site.
	Assets ui.Assets
	// Engine has the built modules, with addresses relative to the root of the site.
	Engine ui.EngineAddress
	// Policy is the Content-Security-Policy in each page. EnginePolicy is that in the pages that
	// start the engine.
	Policy, EnginePolicy string
	// URL is the public address of the site without a slash at the end. If it is empty, the
	// pages do not state their canonical address.
	URL string
}

// Files returns the pages by file name, such as "errors/index.html", the indexes of their
// searches, and, if the site has an address, their list for search engines.
func Files(settings Settings) (map[string][]byte, error) {
	all, err := documents()
	if err != nil {
		return nil, err
	}
	index, err := searchIndex(all)
	if err != nil {
		return nil, err
	}
	messages, err := messageIndex()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{searchPath: index, messagesPath: messages}
	lessons, err := learnPages()
	if err != nil {
		return nil, err
	}
	pages := slices.Concat(lessons, errorPages(), documentPages(all), []page{schemaPage(settings)})
	if settings.URL != "" {
		files["sitemap.xml"] = sitemap(settings.URL, pages)
	}
	for _, p := range pages {
		var content bytes.Buffer
		if err := layout(settings, p).Render(context.Background(), &content); err != nil {
			return nil, fmt.Errorf("render %s: %w", p.path, err)
		}
		files[p.path+"index.html"] = content.Bytes()
	}
	return files, nil
}

// sitemap lists the playground and the pages in the format of sitemaps.org.
func sitemap(url string, pages []page) []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, p := range append([]page{{}}, pages...) {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", html.EscapeString(url+"/"+p.path))
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// A page is the content of an HTML document.
type page struct {
	// path is the address of the page below the root of the site, such as "errors/cel-cost/".
	path string
	// title and description are for search engines.
	title, description string
	content            templ.Component
	// startsEngine is true for the page whose script starts the engine.
	startsEngine bool
}

// root returns the relative address of the site's root.
func (p page) root() string { return strings.Repeat("../", strings.Count(p.path, "/")) }

// to returns the relative address of another page or a file of the site.
func (p page) to(path string) templ.SafeURL { return templ.SafeURL(p.root() + path) }

// current returns the value of aria-current for a link to a section, such as "errors/".
func (p page) current(section string) string {
	return strconv.FormatBool(strings.HasPrefix(p.path, section))
}
