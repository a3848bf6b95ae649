package assist_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// TestFields lists the fields of the CRDs in testdata/fields. fields.txt contains the
// expected fields. inserted.txt contains the object after each insertion that insert.txt
// names, one in each line: the names from the root, separated by slashes.
func TestFields(t *testing.T) {
	files, err := filepath.Glob("testdata/fields/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	e := engine.New()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, version, position, inserts := readFieldsCase(archive)
			for i, f := range archive.Files {
				got := ""
				switch f.Name {
				case "fields.txt":
					got = formatFields(respond(t, e, playground.AssistRequest{Fields: &playground.FieldsRequest{Scenario: s, Version: version}}).Fields)
				case "inserted.txt":
					for _, names := range inserts {
						request := playground.InsertRequest{Scenario: s, Version: version, Field: strings.Split(names, "/"), Position: position}
						got += "== " + names + "\n" + formatInsertion(s.Object, respond(t, e, playground.AssistRequest{Insert: &request}).Insert)
					}
				default:
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(got)
				} else if got != string(f.Data) {
					t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestFieldsAreLimited lists the fields of a CRD that has more than a response may have.
func TestFieldsAreLimited(t *testing.T) {
	var crd strings.Builder
	crd.WriteString("spec: {group: example.com, names: {plural: jobs, kind: Job}, versions: [{name: v1, storage: true, schema: {openAPIV3Schema: {type: object, properties: {\n")
	for i := range 20_100 {
		fmt.Fprintf(&crd, "f%d: {type: string},\n", i)
	}
	crd.WriteString("}}}}]}\n")
	s := playground.Scenario{CRD: crd.String()}
	tree := respond(t, engine.New(), playground.AssistRequest{Fields: &playground.FieldsRequest{Scenario: s}}).Fields
	// The object itself, apiVersion, kind and metadata are fields, too.
	if len(tree.Fields) != 20_000 || tree.Omitted != 104 {
		t.Errorf("%d fields, %d omitted", len(tree.Fields), tree.Omitted)
	}
}

// readFieldsCase reads the documents of a case. A mark in the object is the position.
func readFieldsCase(archive *txtar.Archive) (s playground.Scenario, version string, position *playground.Position, inserts []string) {
	for _, f := range archive.Files {
		content := string(f.Data)
		switch f.Name {
		case "crd.yaml":
			s.CRD = content
		case "object.yaml":
			before, after, isMarked := strings.Cut(content, cursorMark)
			s.Object = before + after
			if isMarked {
				position = &playground.Position{Line: strings.Count(before, "\n"), Character: len(before[strings.LastIndexByte(before, '\n')+1:])}
			}
		case "version.txt":
			version = strings.TrimSpace(content)
		case "insert.txt":
			inserts = strings.Fields(content)
		}
	}
	return s, version, position, inserts
}

func formatFields(tree *playground.FieldsResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s, %d omitted, %s in %q, short names %s\n", tree.Version, tree.Versions, tree.Omitted, tree.Scope, tree.Group, tree.ShortNames)
	for _, field := range tree.Fields {
		indent := strings.Repeat("  ", field.Depth)
		line := fmt.Sprintf("%s%s <%s>", indent, field.Name, field.Type)
		if field.Required {
			line += " required"
		}
		if field.Range != nil {
			line += fmt.Sprintf(" %s line %d", field.Path, field.Range.Start.Line+1)
		}
		fmt.Fprintf(&b, "%s\n", line)
		if field.Description != "" {
			fmt.Fprintf(&b, "%s  %q\n", indent, field.Description)
		}
		for _, fact := range field.Facts {
			fmt.Fprintf(&b, "%s  %s: %s\n", indent, fact.Name, fact.Text)
		}
		for _, rule := range field.Rules {
			fmt.Fprintf(&b, "%s  rule %s costs %d\n", indent, rule.Rule, rule.EstimatedCost)
		}
	}
	return b.String()
}

func formatInsertion(object string, insertion *playground.InsertResult) string {
	switch {
	case insertion.Present != nil:
		return "present at " + formatRange(*insertion.Present) + "\n"
	case insertion.Fix == nil:
		return "problem: " + insertion.Problem + "\n"
	}
	for _, e := range insertion.Fix.Edits {
		object = edit.Apply(object, edit.Edit{Range: e.Range, NewText: e.NewText})
	}
	return insertion.Fix.Title + "\n" + object
}
