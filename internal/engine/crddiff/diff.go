// Package crddiff compares a CRD with the CRD that it replaces, and reports the
// effects of the update on clients and on stored objects.
package crddiff

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A diff collects the differences between two CRDs. Upstream decides whether an
// update is accepted, but does not compare schemas.
type diff struct {
	doc, oldDoc *source.Document
	old, new    *apiextensionsv1.CustomResourceDefinition
	// accepted holds the names that the controllers accept; nil if the update is rejected.
	accepted *apiextensionsv1.CustomResourceDefinitionNames
	// transitionRules holds, for each rule of the new CRD, whether it uses oldSelf.
	transitionRules map[ruleKey]bool
	differences     []Difference
	oneSchema       *bool // the result of haveOneSchema, once it is known
}

// A Difference is a difference between two CRDs.
type Difference struct {
	playground.CRDChange
	// Path is the path of the schema node, and Keyword the changed keyword. Both are empty
	// outside of schemas; Keyword is also empty if the whole node changed.
	Path    crdschema.Path
	Keyword string
}

// A ruleKey identifies a rule of the new CRD.
type ruleKey struct{ version, schemaPath, expression string }

// A change is the difference at one location: a field of the CRD, or a keyword
// of a schema.
type change struct {
	kind    string
	before  any
	after   any
	effect  effect
	because string
}

// Compare adds the differences between the old CRD and c to the report of c, without
// witnesses.
func Compare(c *crd.CRD) error {
	differences, err := Differences(c)
	for _, difference := range differences {
		c.Report.Changes = append(c.Report.Changes, difference.CRDChange)
	}
	return err
}

// Differences returns the differences between the old CRD and c. It returns nil without
// an old CRD, or if c cannot be decoded.
func Differences(c *crd.CRD) ([]Difference, error) {
	if c.Old == nil || c.Internal == nil {
		return nil, nil
	}
	return Between(c.Old, c.OldDoc, c)
}

// Between returns the differences between a decoded CRD, whose document is oldDoc, and c, which is
// decoded, too.
func Between(old *apiextensions.CustomResourceDefinition, oldDoc *source.Document, c *crd.CRD) ([]Difference, error) {
	d := diff{doc: c.Doc, oldDoc: oldDoc, transitionRules: map[ruleKey]bool{}}
	var err error
	if d.old, err = crd.ToV1(old); err != nil {
		return nil, err
	}
	if d.new, err = crd.ToV1(c.Internal); err != nil {
		return nil, err
	}
	if c.V1 != nil && c.Report.Accepted {
		d.accepted = &c.V1.Status.AcceptedNames
	}
	for _, rule := range c.Report.Rules {
		d.transitionRules[ruleKey{rule.Version, rule.SchemaPath, rule.Rule}] = rule.UsesOldSelf
	}
	d.compare()
	return d.differences, nil
}

func (d *diff) compare() {
	d.compareIdentity()
	d.compareNames()
	d.comparePruning()
	d.compareConversion()
	for i := range d.new.Spec.Versions {
		version := &d.new.Spec.Versions[i]
		if j := crd.VersionIndex(d.old, version.Name); j >= 0 {
			d.compareVersions(j, i)
		} else {
			d.recordAddedVersion(i)
		}
	}
	for j := range d.old.Spec.Versions {
		if crd.VersionIndex(d.new, d.old.Spec.Versions[j].Name) < 0 {
			d.recordRemovedVersion(j)
		}
	}
}

// record records a change of a field that has the same path in both CRDs.
func (d *diff) record(field string, c change) {
	d.recordAt(Difference{CRDChange: playground.CRDChange{Field: field}}, field, field, c)
}

// recordAt records a change of a field whose path differs between the CRDs.
func (d *diff) recordAt(at Difference, oldField, newField string, c change) {
	at.Kind, at.Breaks, at.Class, at.Because = c.kind, c.effect.breaks, c.effect.class(), c.because
	at.Before, at.After = jsonvalue.Encode(c.before), jsonvalue.Encode(c.after)
	at.OldRange = fieldRange(d.oldDoc, oldField)
	at.Range = fieldRange(d.doc, newField)
	d.differences = append(d.differences, at)
}

// fieldRange returns the range of a field, or the first line if the document
// lacks the field.
func fieldRange(doc *source.Document, field string) playground.Range {
	location, ok := finding.LocateCRD(doc, field)
	if !ok {
		return doc.Line(1)
	}
	return finding.Mark(location)
}

// compareIdentity compares the fields that the API server treats as immutable.
func (d *diff) compareIdentity() {
	for _, c := range []struct{ field, kind, before, after string }{
		{"spec.group", "group changed", d.old.Spec.Group, d.new.Spec.Group},
		{"spec.scope", "scope changed", string(d.old.Spec.Scope), string(d.new.Spec.Scope)},
		{"spec.names.plural", "names changed", d.old.Spec.Names.Plural, d.new.Spec.Names.Plural},
		{"spec.names.kind", "names changed", d.old.Spec.Names.Kind, d.new.Spec.Names.Kind},
	} {
		if c.before != c.after {
			d.record(c.field, change{c.kind, c.before, c.after, breaksBoth,
				"The field is immutable, because the API server stores and serves objects under it. Create a new CRD instead."})
		}
	}
}

func (d *diff) compareNames() {
	before, after := d.old.Spec.Names, d.new.Spec.Names
	accepted := d.accepted
	if accepted == nil {
		accepted = &after
	}
	for _, c := range []struct{ field, before, after, accepted, because string }{
		{"singular", before.Singular, after.Singular, accepted.Singular, "kubectl no longer finds the resource by the old name."},
		{"listKind", before.ListKind, after.ListKind, accepted.ListKind, "Lists now have another kind, which typed clients do not expect."},
	} {
		switch {
		case c.before == c.after:
		case c.accepted != c.after:
			d.recordRefused(c.field, c.before, c.after)
		default:
			d.record("spec.names."+c.field, change{"names changed", c.before, c.after, breaksClients, c.because})
		}
	}
	if apiequality.Semantic.DeepEqual(accepted.ShortNames, after.ShortNames) {
		d.compareNameList("shortNames", before.ShortNames, after.ShortNames)
	} else {
		d.recordRefused("shortNames", before.ShortNames, after.ShortNames)
	}
	d.compareNameList("categories", before.Categories, after.Categories)
}

// recordRefused records a change of names that the controllers do not accept.
func (d *diff) recordRefused(field string, before, after any) {
	d.record("spec.names."+field, change{"names changed", before, after, breaksClients,
		"The API server stores the new names and keeps serving the old ones, because a name is already in use. The condition NamesAccepted is False, so tools that wait for it fail."})
}

func (d *diff) compareNameList(field string, before, after []string) {
	if apiequality.Semantic.DeepEqual(before, after) {
		return
	}
	change := change{"names changed", before, after, breaksNothing, "kubectl still finds the resource by all previous names."}
	if gone := subtract(before, after); len(gone) > 0 {
		change.effect = breaksClients
		change.because = "kubectl no longer finds the resource by " + joinNames(gone) + "."
	}
	d.record("spec.names."+field, change)
}
