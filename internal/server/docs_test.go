package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is the root of the repository.
const repository = "../.."

// Limits of the README, so that it stays an introduction.
const (
	maxREADMEWords   = 700
	maxSentenceWords = 30
)

// document is a Markdown file.
type document struct {
	name   string // relative to the repository
	source string
	blocks []codeBlock
	// prose is the source without code blocks.
	prose string
}

// readDocuments reads the README and the files in docs.
func readDocuments(t *testing.T) []document {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	var documents []document
	for _, name := range append([]string{filepath.Join(repository, "README.md")}, names...) {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		blocks, prose, err := parseBlocks(string(source))
		if err != nil {
			t.Fatalf("%s: %v", relative, err)
		}
		documents = append(documents, document{relative, string(source), blocks, prose})
	}
	return documents
}

func TestREADMEIsShort(t *testing.T) {
	readme := readDocuments(t)[0]
	if words := len(strings.Fields(readme.source)); words > maxREADMEWords {
		t.Errorf("README.md has %d words, more than %d", words, maxREADMEWords)
	}
	for _, sentence := range sentences(readme.prose) {
		if words := len(strings.Fields(sentence)); words > maxSentenceWords {
			t.Errorf("README.md has a sentence of %d words, more than %d: %s", words, maxSentenceWords, sentence)
		}
	}
}

var (
	// blockBoundary separates paragraphs, list items, headings and table rows.
	blockBoundary = regexp.MustCompile(`\n\s*\n|\n(?:\s*[-*] |#+ |\|)`)
	sentenceEnd   = regexp.MustCompile(`[.!?](?:\s+|$)`)
	htmlTag       = regexp.MustCompile(`<[^>]*>`)
)

// sentences returns the sentences of a Markdown file without code blocks.
func sentences(prose string) []string {
	var all []string
	for _, block := range blockBoundary.Split(htmlTag.ReplaceAllString(prose, ""), -1) {
		all = append(all, sentenceEnd.Split(block, -1)...)
	}
	return all
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)

// TestLinks checks that the files and headings exist to which relative links refer,
// and that the README links to each document.
func TestLinks(t *testing.T) {
	documents := readDocuments(t)
	headings := map[string][]string{}
	for _, d := range documents {
		headings[d.name] = d.anchors()
	}
	linked := map[string]bool{"README.md": true}
	for _, d := range documents {
		for _, found := range link.FindAllStringSubmatch(d.prose, -1) {
			target := found[1] + found[2]
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			path := filepath.Join(filepath.Dir(d.name), file)
			if file == "" {
				path = d.name
			}
			if _, err := os.Stat(filepath.Join(repository, path)); err != nil {
				t.Errorf("%s: the link %s has no file", d.name, target)
			}
			if anchor != "" && !slices.Contains(headings[path], anchor) {
				t.Errorf("%s: the link %s has no heading", d.name, target)
			}
			linked[path] = linked[path] || d.name == "README.md"
		}
	}
	for _, d := range documents {
		if !linked[d.name] {
			t.Errorf("README.md does not link to %s", d.name)
		}
	}
}

var (
	heading     = regexp.MustCompile(`(?m)^#+ (.+)$`)
	punctuation = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the fragments of the headings, as GitHub derives them.
func (d document) anchors() []string {
	var anchors []string
	for _, found := range heading.FindAllStringSubmatch(d.prose, -1) {
		plain := punctuation.ReplaceAllString(strings.ToLower(found[1]), "")
		anchors = append(anchors, strings.ReplaceAll(plain, " ", "-"))
	}
	return anchors
}

// sourcePath matches a path of the repository in inline code, possibly a pattern.
var sourcePath = regexp.MustCompile("`((?:cmd|conformance|deploy|docs|internal|tools|wasm|web)/[\\w./*-]*)`")

// TestPaths checks that the files exist to which the documents refer.
func TestPaths(t *testing.T) {
	for _, d := range readDocuments(t) {
		for _, found := range sourcePath.FindAllStringSubmatch(d.prose, -1) {
			if files, err := filepath.Glob(filepath.Join(repository, found[1])); err != nil || len(files) == 0 {
				t.Errorf("%s: there is no file %s", d.name, found[1])
			}
		}
	}
}

// makeTarget matches the targets and the patterns of the Makefile's rules.
var makeTarget = regexp.MustCompile(`(?m)^(?:\$\(\S+\): )?([a-z][\w./%-]*):`)

// TestMakeTargets checks that the Makefile has the targets to which the documents
// refer, in code blocks and in inline code.
func TestMakeTargets(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, "tools", "*.mk"))
	if err != nil {
		t.Fatal(err)
	}
	var targets [][]string
	for _, file := range append(files, filepath.Join(repository, "Makefile")) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, makeTarget.FindAllStringSubmatch(string(content), -1)...)
	}
	for _, d := range readDocuments(t) {
		for _, name := range d.makeTargets() {
			if !slices.ContainsFunc(targets, func(found []string) bool { return isTarget(name, found[1]) }) {
				t.Errorf("%s: the Makefile has no target %s", d.name, name)
			}
		}
	}
}

// isTarget reports whether a target or pattern of the Makefile is for a name.
func isTarget(name, pattern string) bool {
	before, after, isPattern := strings.Cut(pattern, "%")
	return name == pattern || isPattern && len(name) > len(pattern)-1 && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// makeTargets returns the targets of make commands in code.
func (d document) makeTargets() []string {
	var targets []string
	for _, b := range d.blocks {
		for line := range strings.SplitSeq(b.code, "\n") {
			targets = append(targets, targetsOf(line)...)
		}
	}
	for _, found := range inlineCode.FindAllStringSubmatch(d.prose, -1) {
		targets = append(targets, targetsOf(found[1])...)
	}
	return targets
}

var inlineCode = regexp.MustCompile("`([^`\n]+)`")

// targetsOf returns the targets of the make commands in a line of a shell script.
func targetsOf(line string) []string {
	line, _, _ = strings.Cut(line, "#")
	var targets []string
	for command := range strings.SplitSeq(line, "&&") {
		words := strings.Fields(command)
		i := slices.Index(words, "make")
		if i < 0 {
			continue
		}
		for _, word := range words[i+1:] {
			if !strings.Contains(word, "=") {
				targets = append(targets, word)
			}
		}
	}
	return targets
}

// openAPI holds the fields that the tests read of the OpenAPI document.
type openAPI struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas struct {
			Problem struct {
				Properties struct{ Code struct{ Enum []string } }
			}
		}
	}
}

func readOpenAPI(t *testing.T) openAPI {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(repository, "internal/httpapi/openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var description openAPI
	if err := json.Unmarshal(source, &description); err != nil {
		t.Fatal(err)
	}
	return description
}

var (
	documentedEndpoint = regexp.MustCompile("`((?:GET|POST|DELETE) /[^` ]*)`")
	documentedCode     = regexp.MustCompile("(?m)^\\| \\d{3} \\| `(\\w+)` \\|")
)

// TestAPIDocument compares the endpoints and the problem codes in docs/api.md with the
// OpenAPI document. Endpoints outside of /api/v1 may be omitted.
func TestAPIDocument(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(repository, "docs/api.md"))
	if err != nil {
		t.Fatal(err)
	}
	description := readOpenAPI(t)
	endpoints := map[string]bool{}
	for path, operations := range description.Paths {
		for method := range operations {
			endpoint := strings.ToUpper(method) + " " + strings.ReplaceAll(path, "{id}", "ID")
			endpoints[endpoint] = true
			if strings.HasPrefix(path, "/api/v1/") && !strings.Contains(string(source), "`"+endpoint+"`") {
				t.Errorf("docs/api.md lacks %s", endpoint)
			}
		}
	}
	for _, found := range documentedEndpoint.FindAllStringSubmatch(string(source), -1) {
		if !endpoints[found[1]] {
			t.Errorf("docs/api.md has %s, the server does not", found[1])
		}
	}
	var codes []string
	for _, found := range documentedCode.FindAllStringSubmatch(string(source), -1) {
		codes = append(codes, found[1])
	}
	want := slices.Clone(description.Components.Schemas.Problem.Properties.Code.Enum)
	slices.Sort(codes)
	slices.Sort(want)
	if !slices.Equal(codes, want) {
		t.Errorf("docs/api.md has the codes %v, the server has %v", codes, want)
	}
}
