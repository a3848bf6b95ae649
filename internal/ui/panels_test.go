package ui

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/crdlab/crdlab/internal/playground"
)

func TestPanels(t *testing.T) {
	forEachCase(t, "testdata/panels", func(t *testing.T, files caseFiles) {
		var report playground.Report
		files.decode(t, "report.json", &report)
		panels, err := Panels(report)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(panels)) {
			files.compare(t, name+".html", inLines(panels[name]))
		}
	})
}

// inLines inserts a line break before each tag, for readable differences.
func inLines(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "<", "\n<")) + "\n"
}

// hostile attempts to escape from elements, quoted attributes and comments.
const hostile = `"'--></script></textarea><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1)`

func TestHostileStringsAreInert(t *testing.T) {
	var report playground.Report
	fill(reflect.ValueOf(&report).Elem(), hostile)
	panels, err := Panels(report)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range panels {
		t.Run(name, func(t *testing.T) {
			node, err := html.Parse(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			for n := range node.Descendants() {
				checkInert(t, n)
			}
		})
	}
	if !strings.Contains(panels[PanelOutcome], html.EscapeString("alert(1)")) {
		t.Error("the hostile text is not in the panel")
	}
}

// fill sets every string, number and slice in a value. Slices get one item.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Interface:
		v.Set(reflect.ValueOf(text))
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*playground.Report]() {
			return // A report contains reports on further CRDs.
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, text)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(hostileJSON(text))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	}
}

func hostileJSON(text string) []byte {
	quoted := `"` + strings.NewReplacer(`"`, `\"`).Replace(text) + `"`
	return []byte(`{` + quoted + `: [` + quoted + `], "<b>": {"<i>": ` + quoted + `}}`)
}

// isErrorAddress matches the address of an error's page, which stays below the error index.
var isErrorAddress = regexp.MustCompile(`^errors/[^/]+/$`)

// checkInert fails if a node can run or load anything, or has an inline style,
// which the content security policy forbids.
func checkInert(t *testing.T, n *html.Node) {
	t.Helper()
	if n.Type != html.ElementNode {
		return
	}
	if slices.Contains([]string{"script", "style", "img", "iframe", "object", "embed", "b", "i"}, n.Data) {
		t.Errorf("element <%s>", n.Data)
	}
	for _, attribute := range n.Attr {
		if n.Data == "a" && attribute.Key == "href" && isErrorAddress.MatchString(attribute.Val) {
			continue
		}
		if strings.HasPrefix(attribute.Key, "on") || slices.Contains([]string{"style", "src", "href"}, attribute.Key) {
			t.Errorf("attribute %s=%q of <%s>", attribute.Key, attribute.Val, n.Data)
		}
	}
}

func TestLongReportsAreLimited(t *testing.T) {
	const many = 4000
	object := playground.Object{
		Stored: []byte(`{"list": [` + strings.Repeat("1,", many) + `1]}`),
		Stages: []playground.Stage{{Changes: make([]playground.Change, many)}},
		Rules:  make([]playground.RuleResult, many),
	}
	report := playground.Report{
		CRD:     playground.CRD{Rules: []playground.Rule{{}}, Findings: make([]playground.Finding, many)},
		Objects: []playground.Object{object, object},
	}
	panels, err := Panels(report)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		panel, part string
		want        int
		left        string
	}{
		{PanelOutcome, `class="yaml-line"`, maxShownLines, "2502 more lines not shown"},
		{PanelOutcome, `<td><code>`, 2 * 2 * maxShownChanges, "3700 more changes not shown"},
		{PanelRules, `<li><span class="tag`, openResults + maxShownResults, "7937 more places not shown"},
		{PanelProblems, `<li class="problem`, maxShownProblems, "3500 more problems not shown"},
	}
	for _, test := range tests {
		if got := strings.Count(panels[test.panel], test.part); got != test.want {
			t.Errorf("%s has %d of %s, want %d", test.panel, got, test.part, test.want)
		}
		if !strings.Contains(panels[test.panel], test.left) {
			t.Errorf("%s does not say %q", test.panel, test.left)
		}
	}
}
