package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A comparison compares the schemas of two versions.
type comparison struct {
	// breaking has the differences that an object of the first version shows, and uncertain the others that may
	// matter.
	breaking, uncertain []playground.CRDChange
	// isRefused reports that the API server does not accept the second schema in place of the first one.
	isRefused bool
	// made has objects that the first version accepts, and the second one refuses or changes.
	made []*object
}

// compareVersions compares the schemas of two versions of a CRD.
func (p *Planner) compareVersions(ctx context.Context, crd definition, from, to string) (comparison, error) {
	var c comparison
	old, changed := crd.between(from, to), crd.between(to, to)
	if old == nil || changed == nil {
		return c, nil
	}
	report, err := p.evaluate(ctx, playground.Scenario{OldCRD: old.String(), CRD: changed.String()})
	if err != nil {
		return c, err
	}
	c.isRefused = !report.CRD.Accepted
	for _, change := range report.CRD.Changes {
		switch {
		case change.Class == playground.ChangeCompatible || isOfColumns(change.Kind):
		case change.Witness == nil:
			c.uncertain = append(c.uncertain, change)
		default:
			c.breaking = append(c.breaking, change)
			if len(c.made) < maxMade {
				c.made = append(c.made, p.newMade(change.Witness.Object, from))
			}
		}
	}
	return c, nil
}

// isOfColumns reports whether a kind of change concerns neither fields nor values.
func isOfColumns(kind string) bool {
	return strings.HasPrefix(kind, "subresource") || strings.HasPrefix(kind, "selectable fields") || strings.HasPrefix(kind, "printer columns")
}

// comparisons compare versions of a CRD, in both directions.
type comparisons struct {
	names []string // of the compared versions
	// breaking and uncertain have a clause for each direction in which the versions differ.
	breaking, uncertain []string
}

// compareNeighbours compares the versions of a step that go, or lose the storage, with the storage version of the
// revision. It adds objects at the boundary between them.
func (p *Planner) compareNeighbours(ctx context.Context, crd, target definition) (comparisons, error) {
	var all comparisons
	if crd == nil {
		return all, nil
	}
	var made []*object
	wanted := target.storage()
	add := func(from, to string, c comparison) {
		if len(c.breaking) > 0 {
			all.breaking = append(all.breaking, fmt.Sprintf("from %s to %s: %s", from, to, fieldsOf(c.breaking)))
		}
		if c.isRefused {
			all.uncertain = append(all.uncertain, fmt.Sprintf("from %s to %s: the API server refuses this change of a schema", from, to))
		}
		if len(c.uncertain) > 0 {
			all.uncertain = append(all.uncertain, fmt.Sprintf("from %s to %s: %s", from, to, fieldsOf(c.uncertain)))
		}
	}
	for _, name := range p.state.names(isAny) {
		if name == wanted || crd.version(name) == nil || target.version(name) != nil && name != p.state.storage() {
			continue
		}
		forward, err := p.compareVersions(ctx, crd, name, wanted)
		if err != nil {
			return all, err
		}
		backward, err := p.compareVersions(ctx, crd, wanted, name)
		if err != nil {
			return all, err
		}
		made = append(made, forward.made...)
		all.names = append(all.names, name)
		add(name, wanted, forward)
		add(wanted, name, backward)
	}
	if len(all.names) > 0 {
		all.names = append(all.names, wanted)
	}
	made, err := p.read(ctx, made)
	p.objects = append(p.objects, made...)
	return all, err
}

// maxFields is the number of fields that a sentence names.
const maxFields = 8

// sentence says whether the conversion of a CRD keeps all fields.
func (c comparisons) sentence(crd definition) string {
	if len(c.names) == 0 || crd == nil {
		return ""
	}
	versions := joined(c.names)
	breaking, uncertain := strings.Join(c.breaking, "; "), strings.Join(c.uncertain, "; ")
	isSame := breaking == "" && uncertain == ""
	isOpen := slices.ContainsFunc(c.names, func(name string) bool { return preservesUnknown(crd.version(name)) })
	switch isNone := crd.strategy() != "Webhook"; {
	case isSame && isOpen:
		return fmt.Sprintf("The schemas of %s do not differ, but they preserve unknown fields, so they do not tell whether these need a conversion.", versions)
	case isSame && isNone:
		return fmt.Sprintf("The strategy None is enough: %s accept the same objects and keep the same fields.", versions)
	case isSame:
		return fmt.Sprintf("The schemas of %s do not need the webhook: they accept the same objects and keep the same fields.", versions)
	case breaking == "":
		return fmt.Sprintf("crdlab found no object that %s treat differently, but it is not certain that there is none: %s.", versions, uncertain)
	case isNone:
		return fmt.Sprintf("The strategy None changes only the apiVersion, but %s differ. Declare the fields alike in all of them, or convert them with a webhook: %s.", versions, breaking)
	default:
		return fmt.Sprintf("The webhook has to convert what differs between %s: %s.", versions, breaking)
	}
}

// fieldsOf names the fields of changes: "field removed at spec.size".
func fieldsOf(changes []playground.CRDChange) string {
	var fields []string
	for _, c := range changes {
		field := c.Kind
		if c.SchemaPath != "" {
			field += " at " + fieldPath(c.SchemaPath)
		}
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if len(fields) > maxFields {
		fields = append(fields[:maxFields], fmt.Sprintf("%d more", len(fields)-maxFields))
	}
	return strings.Join(fields, ", ")
}
