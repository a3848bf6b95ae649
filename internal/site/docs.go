package site

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/crdlab/crdlab/docs"
)

const (
	// docsPath is the path of the documents.
	docsPath = "docs/"
	// commandsName is the document of the command line. The documents of the commands are in the
	// directory of this name.
	commandsName = "cli"
	// sourceURL is the address of the files of the repository that are no documents.
	sourceURL = "https://github.com/crdlab/crdlab/blob/main/"
)

// A document is a page of the documentation.
type document struct {
	// name is the path of the file in docs without its ending, such as "cli/check".
	name, group, description string
	sections                 []section
	html                     string
}

// A section is a part of a document below a heading. The first one is the whole document.
type section struct {
	id, title string
	level     int
	text      string
}

func (d document) path() string  { return docsPath + d.name + "/" }
func (d document) title() string { return d.sections[0].title }

// isCommand reports whether the document is about one command.
func (d document) isCommand() bool { return path.Dir(d.name) == commandsName }

// listedDocuments has the documents in the order of the navigation.
var listedDocuments = []document{
	{name: "install", group: "Use", description: "Each way to install crdlab"},
	{name: commandsName, group: "Use", description: "The commands of crdlab"},
	{name: "upgrades", group: "Use", description: "Comparing CRDs, and planning the way to a new version"},
	{name: "editors", group: "Use", description: "The language server"},
	{name: "mcp", group: "Use", description: "Tools for assistants"},
	{name: "embedding", group: "Use", description: "The playground in other pages"},
	{name: "api", group: "Use", description: "The HTTP API, with examples"},
	{name: "self-hosting", group: "Operate", description: "Settings, stores for short links, metrics, Kubernetes, static hosts, Workers"},
	{name: "security", group: "Operate", description: "Threat model, limits, reporting vulnerabilities"},
	{name: "architecture", group: "Develop", description: "The pipeline, the packages, and a scenario's path"},
	{name: "conformance", group: "Develop", description: "The comparison with a real API server"},
	{name: "performance", group: "Develop", description: "Budgets and benchmarks"},
	{name: "contributing", group: "Develop", description: "How to add a stage, hint, panel or example"},
}

// documents returns the documents in the order of the navigation: the commands follow the
// document of the command line.
func documents() ([]document, error) {
	commands, err := docs.Files.ReadDir(commandsName)
	if err != nil {
		return nil, fmt.Errorf("list the commands: %w", err)
	}
	var all []document
	for _, d := range listedDocuments {
		all = append(all, d)
		if d.name != commandsName {
			continue
		}
		var names []string
		for _, file := range commands {
			names = append(names, strings.TrimSuffix(file.Name(), ".md"))
		}
		for _, name := range slices.Sorted(slices.Values(names)) { // A group precedes its commands.
			all = append(all, document{name: path.Join(commandsName, name), group: d.group})
		}
	}
	for i := range all {
		if err := all[i].read(); err != nil {
			return nil, fmt.Errorf("document %s: %w", all[i].name, err)
		}
	}
	return all, nil
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 1))),
)

// read parses and renders the file of the document.
func (d *document) read() error {
	source, err := docs.Files.ReadFile(d.name + ".md")
	if err != nil {
		return err
	}
	root := markdown.Parser().Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			id, _ := heading.AttributeString("id")
			d.sections = append(d.sections, section{id: string(id.([]byte)), title: plainText(n, source), level: heading.Level})
			continue
		}
		if len(d.sections) == 0 {
			return errors.New("has no title")
		}
		plain := plainText(n, source)
		if n.Kind() == ast.KindParagraph && d.description == "" {
			d.description = plain
		}
		last := &d.sections[len(d.sections)-1]
		last.text = strings.TrimSpace(last.text + " " + plain)
	}
	if err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(d.link(string(link.Destination)))
		}
		return ast.WalkContinue, nil
	}); err != nil {
		return err
	}
	var html bytes.Buffer
	err = markdown.Renderer().Render(&html, source, root)
	d.html = html.String()
	return err
}

// link returns the address in the site for the address of a link between files.
func (d *document) link(address string) string {
	file, fragment, hasFragment := strings.Cut(address, "#")
	if file == "" || strings.Contains(address, "://") {
		return address
	}
	target := path.Join(docsPath, path.Dir(d.name), file)
	if name, isDocument := strings.CutSuffix(target, ".md"); isDocument && strings.HasPrefix(target, docsPath) {
		target = page{path: d.path()}.root() + name + "/"
	} else {
		target = sourceURL + target
	}
	if hasFragment {
		target += "#" + fragment
	}
	return target
}

// plainText returns the text of a node without markup and with single blanks.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	// Walk returns only the errors of its function.
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch leaf := n.(type) {
		case *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				b.Write(util.UnescapePunctuations(leaf.Value(source)))
				if leaf.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			if entering {
				b.Write(leaf.Lines().Value(source))
			}
		case *tables.TableCell, *ast.ListItem:
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// blocks renders the blocks that differ from goldmark's: headings are links to themselves, and
// wide tables and code scroll.
type blocks struct{}

func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindHTMLBlock, renderHTML)
	r.Register(tables.KindTable, renderTable)
}

func renderHeading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	heading := n.(*ast.Heading)
	id, _ := heading.AttributeString("id")
	switch {
	case heading.Level == 1 && entering:
		fmt.Fprintf(w, "<h1 id=%q>", id)
	case heading.Level == 1:
		_, _ = w.WriteString("</h1>\n")
	case entering:
		fmt.Fprintf(w, "<h%d id=%q><a href=\"#%s\">", heading.Level, id, id)
	default:
		fmt.Fprintf(w, "</a></h%d>\n", heading.Level)
	}
	return ast.WalkContinue, nil
}

// isCRD matches code with a CRD, which the playground can run.
var isCRD = regexp.MustCompile(`(?m)^kind: CustomResourceDefinition\n(?s:.*)^spec:`)

// renderCode renders code. A drawing is hidden at first: it is long and rarely read. The script of
// the page adds a button to code that the playground can run.
func renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	code := n.(*ast.FencedCodeBlock)
	before, after := "", ""
	if string(code.Language(source)) == "mermaid" {
		before, after = "<details><summary>The drawing as text</summary>", "</details>"
	}
	class := "code"
	if isCRD.Match(code.Lines().Value(source)) {
		class += " is-runnable"
	}
	fmt.Fprintf(w, "%s<pre class=%q tabindex=\"0\"><code>%s</code></pre>%s\n", before, class, util.EscapeHTML(code.Lines().Value(source)), after)
	return ast.WalkContinue, nil
}

// renderHTML omits comments, which are for the tests of the documents.
func renderHTML(_ util.BufWriter, source []byte, n ast.Node, _ bool) (ast.WalkStatus, error) {
	if block := n.Lines().Value(source); !bytes.HasPrefix(block, []byte("<!--")) {
		return ast.WalkStop, fmt.Errorf("HTML is not rendered: %s", block)
	}
	return ast.WalkSkipChildren, nil
}

func renderTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<div class=\"wide\" tabindex=\"0\"><table>\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// documentPages returns the list of the documents and a page for each.
func documentPages(all []document) []page {
	index := page{path: docsPath, title: "Documentation", description: "The commands, the HTTP API, the operation and the architecture of crdlab."}
	index.content = documentIndex(index, all)
	pages := []page{index}
	for i, d := range all {
		p := page{path: d.path(), title: d.title(), description: d.description}
		p.content = documentPage(p, all, i)
		pages = append(pages, p)
	}
	return pages
}

// documentGroups splits the documents into their groups, without the commands.
func documentGroups(all []document) [][]document {
	var groups [][]document
	for _, d := range all {
		if d.isCommand() {
			continue
		}
		if last := len(groups) - 1; last < 0 || groups[last][0].group != d.group {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], d)
	}
	return groups
}

// commandsOf returns the documents of the commands.
func commandsOf(all []document) []document {
	return slices.DeleteFunc(slices.Clone(all), func(d document) bool { return !d.isCommand() })
}
