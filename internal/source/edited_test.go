package source_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source"
)

const edited = `apiVersion: example.com/v1
kind: CustomResourceDefinition
metadata: {name: a, labels: {b: c}}
# A comment.
spec:
  names:
    kind: A
    empty:
    shortNames: [a, b]
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        description: |
          Several lines,

            and more.
        required:
        - spec
        - status
        properties:
          spec:
            description: A plain text that goes on
              in the next line.
            type: object
          status:
            default: {"a": "b: c"}
            x-kubernetes-validations:
            - rule: |-
                self.a ==
                self.b
              message: 'it''s wrong'
  - name: v2
    served: "true"
`

// TestParseAfter compares the nodes after each of many random edits with those of a parser that knows no earlier text.
func TestParseAfter(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	shared := 0
	for range *rounds / 30 {
		text := edited
		file, _ := source.Parse(text, source.Limits{})
		for range 30 {
			text = randomEdit(random, text)
			fresh, freshErr := source.Parse(text, source.Limits{})
			after, edit, err := source.ParseAfter(file, text, source.Limits{})
			if fmt.Sprint(err) != fmt.Sprint(freshErr) || describe(after) != describe(fresh) {
				t.Fatalf("%q: got %v\n%s\nwant %v\n%s", text, err, describe(after), freshErr, describe(fresh))
			}
			if edit != nil {
				shared++
				checkEdit(t, after.Documents[0], edit)
			}
			if err == nil {
				file = after
			}
			if err != nil && random.IntN(3) > 0 {
				text = edited
			}
		}
	}
	if shared < *rounds/10 {
		t.Errorf("only %d of %d texts shared nodes", shared, *rounds)
	}
}

// checkEdit requires, unless keys repeat, that only the named entries of the mapping differ.
func checkEdit(t *testing.T, d *source.Document, e *source.Edit) {
	t.Helper()
	if len(d.DuplicateKeys())+len(e.Before.DuplicateKeys()) > 0 {
		return // The last one of equal keys counts.
	}
	before, _ := e.Before.At(e.Path...)
	after, _ := d.At(e.Path...)
	known := map[string]bool{}
	for _, name := range e.Names {
		known[name] = true
	}
	for key, value := range after.Entries() {
		old, ok := before.At(key.Value)
		if !known[key.Value] && (!ok || values(old.Node()) != values(value.Node())) {
			t.Errorf("%v.%s differs, but is not in %q", e.Path, key.Value, e.Names)
		}
	}
}

func randomEdit(random *rand.Rand, text string) string {
	at := random.IntN(len(text) + 1)
	for at > 0 && at < len(text) && text[at]&0xC0 == 0x80 {
		at--
	}
	rest := text[at:]
	switch random.IntN(4) {
	case 0:
		cut := min(len(rest), 1+random.IntN(4))
		for cut < len(rest) && rest[cut]&0xC0 == 0x80 {
			cut++
		}
		return text[:at] + rest[cut:]
	case 1:
		// A whole line, at the indentation of another one.
		start := strings.LastIndexByte(text[:at], '\n') + 1
		indent := len(text[start:]) - len(strings.TrimLeft(text[start:], " "))
		return text[:start] + strings.Repeat(" ", indent) + []string{"x: ", ""}[random.IntN(2)] + fragments[random.IntN(len(fragments))] + "\n" + text[start:]
	}
	return text[:at] + fragments[random.IntN(len(fragments))] + rest
}

// describe describes the documents of a file with the places of all nodes.
func describe(f *source.File) string {
	var out strings.Builder
	for _, d := range f.Documents {
		fmt.Fprintln(&out, d.Range, d.Err, d.JSON())
		describeNode(&out, d.Root().Node())
		fmt.Fprintln(&out, d.DuplicateKeys())
	}
	return out.String()
}

func describeNode(out *strings.Builder, n *yaml.Node) {
	if n == nil {
		return
	}
	fmt.Fprintf(out, "%d:%d %d %d %s %q %q\n", n.Line, n.Column, n.Kind, n.Style, n.Tag, n.Value, n.Anchor)
	for _, child := range n.Content {
		describeNode(out, child)
	}
}

// values describes a node without places.
func values(n *yaml.Node) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s %q(", n.Kind, n.Tag, n.Value)
	for _, child := range n.Content {
		out.WriteString(values(child))
	}
	return out.String() + ")"
}
