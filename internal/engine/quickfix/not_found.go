package quickfix

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// supplyResource adds the requirements of a request: the status subresource of the version, and
// the existing object.
func supplyResource(p *problem) []playground.Fix {
	version := p.requestedVersion()
	if version == nil {
		return nil
	}
	operation := p.scenario.Operation
	switch {
	case operation == playground.OperationScale && version.Scale == nil:
		p.Hint = fmt.Sprintf("Version %s does not enable subresources.scale.", version.Kind.Version)
		return nil
	case playground.IsOfStatus(operation) && !version.HasStatus:
		p.Hint = fmt.Sprintf("Version %s does not enable subresources.status.", version.Kind.Version)
		return p.enableStatus(version)
	}
	p.Hint = "The request needs a stored object with this name: add it as the existing object."
	return p.newFix("Add it as the existing object", p.addExisting())
}

// requestedVersion returns the version of the object's apiVersion, or the only version.
func (p *problem) requestedVersion() *crd.Version {
	_, name, _ := strings.Cut(p.scalar("apiVersion"), "/")
	return p.crd.Versions[name]
}

// enableStatus enables the status subresource. If there are no existing objects, the fix
// also adds one: without it, the request would fail again.
func (p *problem) enableStatus(version *crd.Version) []playground.Fix {
	i := slices.IndexFunc(p.crd.V1.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version.Kind.Version })
	enabled, ok := edit.Set(p.crd.Doc, map[string]any{}, "spec", "versions", i, "subresources", "status")
	if !ok {
		return nil
	}
	fix := playground.Fix{
		Title:  "Accept updates of the status alone: enable the subresource",
		Effect: playground.FixWidens,
		Edits:  []playground.TextEdit{{Document: playground.DocumentCRD, Range: enabled.Range, NewText: enabled.NewText}},
	}
	if strings.TrimSpace(p.scenario.OldObject) != "" {
		return []playground.Fix{fix}
	}
	existing := p.newFix("", p.addExisting())
	if len(existing) == 0 {
		return []playground.Fix{fix}
	}
	fix.Title += ", and add the existing object"
	fix.Edits = append(fix.Edits, existing[0].Edits...)
	return []playground.Fix{fix}
}

// addExisting adds a copy of the object to the existing objects. For a status update, the
// copy has no status, so that the request changes it.
func (p *problem) addExisting() change {
	copied := p.doc.Text
	if playground.IsOfStatus(p.scenario.Operation) {
		copied = withoutStatus(copied)
	}
	copied = strings.TrimSpace(copied) + "\n"
	existing := p.scenario.OldObject
	index := yamltext.NewIndex(existing)
	end := index.Position(len(existing))
	added := edit.Edit{Range: playground.Range{Start: end, End: end}, NewText: copied}
	switch {
	case strings.TrimSpace(existing) == "":
		added.Range.Start = playground.Position{}
	case strings.HasSuffix(existing, "\n"):
		added.NewText = "---\n" + copied
	default:
		added.NewText = "\n---\n" + copied
	}
	return change{edit: added, ok: true, document: playground.DocumentOldObject}
}

func withoutStatus(object string) string {
	file, err := source.Parse(object, source.Limits{})
	if err != nil || len(file.Documents) != 1 {
		return object
	}
	removed, ok := edit.Delete(file.Documents[0], "status")
	if !ok {
		return object
	}
	return edit.Apply(object, removed)
}
