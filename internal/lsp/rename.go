package lsp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// renamedField returns the explained property of a CRD at a position: in its schema, in a rule, or in an object.
func (s snapshot) renamedField(ctx context.Context, t target, cursor playground.Cursor) (*playground.Explanation, error) {
	if node := propertyOf(t, cursor); node != nil {
		cursor.Position = node.Start
	}
	explained, err := s.explain(ctx, cursor)
	switch {
	case err != nil:
		return nil, err
	case explained.Schema == nil:
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: "there is no field of a schema here"}
	case t.crd.IsGenerated() || t.crd.Has("metadata", "annotations", "controller-gen.kubebuilder.io/version"):
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: "controller-gen generates the CRD from Go types: rename the field there"}
	}
	return explained, nil
}

// prepareRename returns the name at a position that rename changes.
func (s snapshot) prepareRename(ctx context.Context, t target, cursor playground.Cursor, _ struct{}) (any, error) {
	explained, err := s.renamedField(ctx, t, cursor)
	if err != nil {
		return nil, err
	}
	_, former, ok := assist.RenameProperty(t.crd.Text, explained.Schema.Start, "")
	line := t.document.File.Line(t.document.Range.Start.Line + cursor.Position.Line)
	for start := range strings.Index(line, former) + 1 {
		at := cursor.Position.Character - unitsOf(line[:start])
		if ok && strings.HasPrefix(line[start:], former) && at >= 0 && at <= unitsOf(former) {
			place := cursor.Position
			place.Character -= at
			end := place
			end.Character += unitsOf(former)
			return map[string]any{"range": s.rangeIn(t.document.File, t.document.InFile(playground.Range{Start: place, End: end})), "placeholder": former}, nil
		}
	}
	return nil, nil
}

// plainName matches the names of usual fields.
var plainName = regexp.MustCompile(`^[A-Za-z_][\w-]*$`)

// rename renames a property of a CRD: there, in the objects of the open files and the folders, and in the expectations of
// their files. The CRD must have no further errors then.
func (s snapshot) rename(ctx context.Context, t target, cursor playground.Cursor, p protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	explained, err := s.renamedField(ctx, t, cursor)
	if err != nil {
		return nil, err
	}
	refuse := func(reason string) error {
		return &jsonrpc2.Error{Code: codeRequestFailed, Message: fmt.Sprintf("%s cannot be renamed to %s: %s", explained.Title, p.NewName, reason)}
	}
	edits, former, ok := assist.RenameProperty(t.crd.Text, explained.Schema.Start, p.NewName)
	switch {
	case !ok:
		return nil, refuse("it is no property")
	case !plainName.MatchString(p.NewName):
		return nil, refuse("a name consists of letters, digits, - and _")
	}
	reason, err := s.refusal(ctx, t.crd.Text, edit.Apply(t.crd.Text, edits...), former, p.NewName)
	switch {
	case err != nil:
		return nil, err
	case reason != "":
		return nil, refuse(reason)
	}
	var all []manifest.Edit
	for _, e := range edits {
		all = append(all, manifest.Edit{Place: t.crd.Place(e.Range), NewText: e.NewText})
	}
	fields, err := s.fieldsOf(ctx, t, explained)
	if err != nil {
		return nil, err
	}
	inObjects, err := renameFields(fields, wantedPath(explained.Title, former), p.NewName)
	if err != nil {
		return nil, err
	}
	all = append(all, inObjects...)
	made := s.workspaceEdit(all)
	if made == nil {
		return nil, refuse("a file has changed, or cannot be edited")
	}
	return made, nil
}

// renameFields returns the edits of the keys of fields, and of their path in the expectations of their files.
func renameFields(fields []manifest.Place, path *regexp.Regexp, name string) (all []manifest.Edit, err error) {
	plain, err := yaml.Marshal(name)
	if err != nil {
		return nil, err
	}
	var files []*manifest.File
	for _, field := range fields {
		key := strings.TrimSpace(string(plain))
		if line := field.Source(); strings.ContainsAny(line[bytesOf(line, field.Range.Start.Character):][:1], `"'`) {
			key = strconv.Quote(name)
		}
		all = append(all, manifest.Edit{Place: field, NewText: key})
		if !slices.Contains(files, field.File) {
			files = append(files, field.File)
		}
	}
	for _, file := range files {
		for _, m := range wantComment.FindAllStringIndex(file.Text, -1) {
			for _, at := range path.FindAllStringSubmatchIndex(file.Text[m[0]:m[1]], -1) {
				all = append(all, manifest.Edit{Place: manifest.Place{File: file, Range: file.Between(m[0]+at[2], m[0]+at[3])}, NewText: name})
			}
		}
	}
	return all, nil
}

// wantComment matches the expectation of errors in a line.
var wantComment = regexp.MustCompile(`(?m)# want.*$`)

// wantedPath matches a field with the path of an explanation in the regular expression of an expectation. Its first group is the last name.
func wantedPath(title, former string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(strings.TrimSuffix(title, former))
	pattern = regexp.MustCompile(`\\\[[^\]]*\\\]`).ReplaceAllString(pattern, `\[[^\]]*\]`)
	return regexp.MustCompile(`\b` + strings.NewReplacer(`\.`, `\\?\.`, `\[`, `\\?\[`).Replace(pattern) + "(" + regexp.QuoteMeta(former) + `)\b`)
}

// refusal returns an error of a CRD that its text before a renaming has not; empty without one.
func (s snapshot) refusal(ctx context.Context, before, after, former, name string) (string, error) {
	known := map[string]bool{}
	for _, crd := range []string{before, after} {
		report, err := s.evaluate(ctx, playground.Scenario{Kubernetes: s.settings.Release, CRD: crd})
		if err != nil {
			return "", err
		}
		for _, f := range report.CRD.Findings {
			message := strings.ReplaceAll(f.Message, name, former)
			if f.Severity == playground.SeverityError && crd == after && !known[message] {
				return f.Message, nil
			}
			known[message] = true
		}
	}
	return "", nil
}
