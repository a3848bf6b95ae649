//go:build !js

package quickfix

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/playground"
)

var update = flag.Bool("update", false, "add the new messages to "+messagesFile+", and remove the stale ones")

// messagesFile lists upstream's messages: the package, the function and the message, and after a
// tab the code of the error page, or "- " and the reason why no page is necessary. A line that
// ends with * before the tab means all messages that begin with it.
const messagesFile = "../../site/messages.txt"

// judges are the packages that judge CRDs, objects and applied configurations.
var judges = strings.Fields(`
	k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
	k8s.io/apiextensions-apiserver/pkg/apiserver/conversion
	k8s.io/apiextensions-apiserver/pkg/apiserver/schema/...
	k8s.io/apiextensions-apiserver/pkg/apiserver/validation
	k8s.io/apiextensions-apiserver/pkg/registry/customresource
	k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition
	k8s.io/apimachinery/pkg/api/validate/content
	k8s.io/apimachinery/pkg/api/validation
	k8s.io/apimachinery/pkg/apis/meta/v1/validation
	k8s.io/apimachinery/pkg/util/managedfields
	k8s.io/apimachinery/pkg/util/managedfields/internal
	k8s.io/apimachinery/pkg/util/validation
	k8s.io/apiserver/pkg/cel/library
	k8s.io/kube-openapi/pkg/validation/errors
	k8s.io/kube-openapi/pkg/validation/validate
	sigs.k8s.io/structured-merge-diff/v6/merge
	sigs.k8s.io/structured-merge-diff/v6/typed
	github.com/google/cel-go/checker
	github.com/google/cel-go/common/types
	github.com/google/cel-go/parser`)

// TestEveryMessageHasAPage requires a code or a reason for each message of upstream.
func TestEveryMessageHasAPage(t *testing.T) {
	listed, pages := readMessages(t), map[string]bool{}
	for _, page := range errorindex.All() {
		pages[page.Code] = true
	}
	messages, used := upstreamMessages(t), map[string]bool{}
	for key, m := range messages {
		covered := false
		for line := range listed {
			if prefix, isPrefix := strings.CutSuffix(line, "*"); line == key || isPrefix && strings.HasPrefix(key, prefix) {
				used[line], covered = true, true
			}
		}
		switch {
		case covered:
		case *update:
			listed[key], used[key] = codeByMessage(m), true
		default:
			t.Errorf("new message: add a row to suggestions*.go and a page, or a reason to %s (-update adds the line):\n%s", messagesFile, key)
		}
	}
	var text strings.Builder
	for _, line := range slices.Sorted(maps.Keys(listed)) {
		code := listed[line]
		switch {
		case *update && !used[line]:
			continue
		case !used[line]:
			t.Errorf("upstream no longer has this message: remove the line from %s (-update):\n%s", messagesFile, line)
		case !pages[code] && !strings.HasPrefix(code, "- "):
			t.Errorf("%q is neither the code of a page nor \"- \" and a reason:\n%s", code, line)
		}
		text.WriteString(line + "\t" + code + "\n")
	}
	if *update {
		if err := os.WriteFile(messagesFile, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readMessages(t *testing.T) map[string]string {
	text, err := os.ReadFile(messagesFile)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, code, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		listed[key] = code
	}
	return listed
}

// A message is a message of upstream with its verbs, and the last steps of its field.
type message struct{ field, text string }

var verb = regexp.MustCompile(`%[-+#0-9.\[\]]*[a-zA-Z]`)

// codeByMessage returns the code that a table assigns to the message with values for its verbs, or "?".
func codeByMessage(m message) string {
	values := map[byte]string{'q': `"a"`, 'd': "1", 'v': "1"}
	filled := verb.ReplaceAllStringFunc(m.text, func(v string) string { return cmp.Or(values[v[len(v)-1]], "object") })
	for _, document := range documents {
		for _, stage := range []playground.StageName{playground.StageUnknown, playground.StageRules} {
			for row := range suggestionsFor(document, stage) {
				if row.message != nil && row.field.matches("spec."+m.field) && row.message.matches(filled) {
					return row.code
				}
			}
		}
	}
	return "?"
}

// upstreamMessages returns the messages in the sources of the judges by their lines in the list.
func upstreamMessages(t *testing.T) map[string]message {
	const format = "{{.ImportPath}}{{range .GoFiles}} {{$.Dir}}/{{.}}{{end}}"
	out, err := exec.Command("go", append([]string{"list", "-f", format}, judges...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string]message{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, name := range words[1:] {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, declaration := range file.Decls {
				function := "const"
				if f, ok := declaration.(*ast.FuncDecl); ok {
					function = f.Name.Name
				}
				ast.Inspect(declaration, func(n ast.Node) bool {
					found := messagesOf(n)
					for _, m := range found {
						messages[words[0]+" "+function+": "+strings.TrimPrefix(m.field+": ", ": ")+oneLine.Replace(m.text)] = m
					}
					return len(found) == 0
				})
			}
		}
	}
	return messages
}

var (
	oneLine  = strings.NewReplacer("\n", "\\n", "\t", "\\t")
	sentence = regexp.MustCompile(`[\pL%')"-] [\pL\d%'"-]`)
	// fieldErrors are the beginnings of the messages of package field, by its functions.
	fieldErrors = map[string]string{
		"Required": "Required value", "Forbidden": "Forbidden", "Invalid": "Invalid value: %v", "TypeInvalid": "Invalid value: %v",
		"InternalError": "Internal error", "NotFound": "Not found: %v", "Duplicate": "Duplicate value: %v",
		"NotSupported": "Unsupported value: %v: supported values: %v", "TooLong": "Too long: may not be more than %d bytes",
		"TooLongMaxLength": "Too long: may not be more than %d bytes", "TooLongCharacters": "Too long: may not be more than %d characters",
		"TooMany": "Too many: %d: must have at most %d items",
	}
)

// messagesOf returns the messages that a node has: an error of package field, or sentences in the
// arguments of a call, a returned value, a list or a constant.
func messagesOf(n ast.Node) (found []message) {
	var values []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && fmt.Sprint(f.X) == "field" && fieldErrors[f.Sel.Name] != "" {
			m := message{strings.Join(literalsOf(n.Args[0]), "."), fieldErrors[f.Sel.Name]}
			if text := strings.Join(literalsOf(n.Args[len(n.Args)-1]), ""); len(n.Args) > 1 && text != "" {
				m.text += ": " + text
			} else if f.Sel.Name == "Invalid" {
				return nil // the message of another function
			}
			return []message{m}
		}
		values = n.Args
	case *ast.ReturnStmt:
		values = n.Results
	case *ast.CompositeLit:
		values = n.Elts
	case *ast.ValueSpec:
		values = n.Values
	case *ast.AssignStmt:
		values = n.Rhs
	case *ast.KeyValueExpr:
		values = []ast.Expr{n.Value}
	}
	for _, value := range values {
		if text := textOf(value); sentence.MatchString(text) {
			found = append(found, message{text: text})
		}
	}
	return found
}

// literalsOf returns the string literals in an expression.
func literalsOf(e ast.Expr) (texts []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ := strconv.Unquote(literal.Value) // the parser accepts valid literals only
			texts = append(texts, text)
		}
		return true
	})
	return texts
}

// textOf returns the value of a concatenation of strings, where … means other values.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strings.Join(literalsOf(e), "")
	case *ast.BinaryExpr:
		if x, y := textOf(e.X), textOf(e.Y); x+y != "" {
			return cmp.Or(x, "…") + cmp.Or(y, "…")
		}
	}
	return ""
}
