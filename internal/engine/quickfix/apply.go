package quickfix

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// replaceAppliedNull replaces a null in a configuration, or removes it. Other requests drop such a
// null before validation.
func replaceAppliedNull(p *problem) []playground.Fix {
	node, _ := crdschema.NodeAt(p.schema, p.path)
	if !playground.IsApply(p.scenario.Operation) || node == nil || p.name() == "" || !p.exists(p.path...) {
		return nil
	}
	p.Hint = "Server-side apply keeps a null, which create and update drop before validation. Remove the field"
	var fixes []playground.Fix
	switch {
	case p.object.Old != nil: // an empty value in place of the manager's fields becomes null, too
	case node.Type == "object":
		fixes = p.newFix(fmt.Sprintf("Set %s: {}", p.name()), p.setValue(map[string]any{}, p.path...))
	case node.Type == "array":
		fixes = p.newFix(fmt.Sprintf("Set %s: []", p.name()), p.setValue([]any{}, p.path...))
	}
	if len(fixes) > 0 {
		p.Hint += ", or write an empty value"
	}
	p.Hint += "."
	return append(fixes, removeField(p)...)
}

// ownExisting makes the manager of the request the owner of the existing object's fields.
func ownExisting(p *problem) []playground.Fix {
	if p.object.Existing == nil || len(p.object.Owned) == 0 {
		return nil
	}
	owner, _ := p.object.Owned[0].(map[string]any)
	added, ok := edit.Set(p.object.Existing, p.object.Owned, "metadata", "managedFields")
	return p.newFix(fmt.Sprintf("Let %s own the existing object", owner["manager"]), change{edit: added, ok: ok, document: playground.DocumentOldObject})
}
