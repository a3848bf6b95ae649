package manifest

import (
	"fmt"
	"strings"
	"testing"
)

// TestEdited compares the input after each edit with the input of the whole text.
func TestEdited(t *testing.T) {
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a.example.com\nspec:\n  group: example.com\n  names:\n    kind: A\n    plural: as\n"
	const object = "apiVersion: example.com/v1\nkind: A\nmetadata:\n  name: one\n  labels:\n    a: b\n"
	texts := []string{
		object,
		"apiVersion: example.com/v1\nkind: A\nmetadata:\n  name: two\n  labels:\n    a: b\n",
		"apiVersion: example.com/v1\nkind: B\nmetadata:\n  name: two\n  labels:\n    a: b\n",
		"# A comment\napiVersion: example.com/v1\nkind: B\nmetadata:\n  name: two\n  labels:\n    a: b\n",
		object + "---\n" + crd,
		object + "---\n" + object + "---\n" + crd,
		crd + "---\n" + object,
		crd + "---\nkind: [\n---\n" + object,
		"apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: A\n  metadata:\n    name: one\n",
		"apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: A\n  metadata:\n    name: other\n",
		object + "{{ if .Values.a }}\n",
		"{\"apiVersion\": \"example.com/v1\", \"kind\": \"A\"}",
		"",
		object,
	}
	var before *Input
	for _, text := range texts {
		got, want := NewEdited(before, "a.yaml", text), NewInput()
		want.Add("a.yaml", text)
		if got, want := summary(got), summary(want); got != want {
			t.Errorf("after the edit to\n%s\ngot:\n%s\nwant:\n%s", text, got, want)
		}
		before = got
	}
}

// summary describes all that an input says about its documents.
func summary(in *Input) string {
	var out strings.Builder
	for _, d := range in.Documents {
		fmt.Fprintln(&out, d.Kind, d.APIVersion, d.Namespace, d.Name, d.Range, d.Line, d.IsCRD, d.Described)
		fmt.Fprintf(&out, "%q\n", d.Text)
	}
	fmt.Fprintln(&out, in.Problems, in.Skipped, len(in.others))
	return out.String()
}
