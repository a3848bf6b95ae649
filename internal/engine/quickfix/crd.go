package quickfix

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// replaceWithUpgrade replaces a v1beta1 CRD with the v1 CRD that it converts
// to.
func replaceWithUpgrade(p *problem) []playground.Fix {
	if p.crd.Report.Upgraded == "" {
		return nil
	}
	return p.newFix("Replace with the v1 CRD", replaceRange(p.doc.Range, p.crd.Report.Upgraded))
}

// setServedAPIVersion sets the only apiVersion of CRDs that is still served.
func setServedAPIVersion(p *problem) []playground.Fix {
	return p.newFix("Set apiVersion: apiextensions.k8s.io/v1", p.setValue("apiextensions.k8s.io/v1", "apiVersion"))
}

func nameCRD(p *problem) []playground.Fix {
	plural, group := p.nodeAt("spec", "names", "plural"), p.nodeAt("spec", "group")
	if plural == nil || group == nil || plural.ShortTag() != "!!str" || group.ShortTag() != "!!str" {
		return nil
	}
	name := plural.Value + "." + group.Value
	if plural.Value == "" || group.Value == "" || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return nil
	}
	return p.newFix("Set metadata.name: "+name, p.setValue(name, "metadata", "name"))
}

func chooseScope(p *problem) []playground.Fix {
	if old := p.establishedCRD(); old != nil {
		return p.setField(string(old.Spec.Scope))
	}
	return append(
		p.newFix("Set scope: Namespaced", p.setValue("Namespaced", "spec", "scope")),
		p.newFix("Set scope: Cluster", p.setValue("Cluster", "spec", "scope"))...)
}

// establishedCRD returns the existing CRD if an update cannot change its scope and kind, otherwise
// nil.
func (p *problem) establishedCRD() *apiextensions.CustomResourceDefinition {
	if old := p.crd.Old; old != nil && apiextensions.IsCRDConditionTrue(old, apiextensions.Established) {
		return old
	}
	return nil
}

// guessPlural derives the plural from the kind as clients do.
func guessPlural(p *problem) []playground.Fix {
	kind := p.scalar("spec", "names", "kind")
	if kind == "" {
		return nil
	}
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
	return p.setField(plural.Resource)
}

// guessKind derives the kind from the singular or plural name.
func guessKind(p *problem) []playground.Fix {
	if old := p.establishedCRD(); old != nil {
		return p.setField(old.Spec.Names.Kind)
	}
	name := p.scalar("spec", "names", "singular")
	if name == "" {
		name = strings.TrimSuffix(p.scalar("spec", "names", "plural"), "s")
	}
	if name == "" {
		return nil
	}
	return p.setField(strings.ToUpper(name[:1]) + name[1:])
}

func renameListKind(p *problem) []playground.Fix {
	return p.setField(p.scalar("spec", "names", "kind") + "List")
}

// validName matches the regular expression that upstream's messages about
// invalid names quote.
var validName = regexp.MustCompile(`regex used for validation is '(.+)'\)$`)

// lowerCaseName converts a name to lower case and its underscores to hyphens,
// if the result is a valid DNS name.
func lowerCaseName(p *problem) []playground.Fix {
	valid := validName.FindStringSubmatch(p.Message)
	name := p.scalar(p.path...)
	lower := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
	if valid == nil || lower == name || p.Field == "spec.group" && !strings.Contains(lower, ".") || !regexp.MustCompile("^(?:"+valid[1]+")$").MatchString(lower) {
		return nil
	}
	return p.setField(lower)
}

// chooseStorage suggests each candidate for the only storage version. If
// several versions are marked as storage versions, only these are candidates.
func chooseStorage(p *problem) []playground.Fix {
	versions := p.nodeAt("spec", "versions")
	if versions == nil {
		return nil
	}
	var marked, others []int
	for i := range versions.Content {
		if p.scalar("spec", "versions", i, "storage") == "true" {
			marked = append(marked, i)
		} else {
			others = append(others, i)
		}
	}
	candidates := marked
	if len(marked) == 0 {
		candidates = others
	}
	var fixes []playground.Fix
	for _, storage := range candidates {
		changes := []change{}
		for _, i := range marked {
			if i != storage {
				changes = append(changes, p.setValue(false, "spec", "versions", i, "storage"))
			}
		}
		if !slices.Contains(marked, storage) {
			changes = append(changes, p.setValue(true, "spec", "versions", storage, "storage"))
		}
		fixes = append(fixes, p.newFix("Store objects as "+p.scalar("spec", "versions", storage, "name"), changes...)...)
	}
	return fixes
}

func deprecateVersion(p *problem) []playground.Fix {
	const limit = 256 // bytes
	isUnprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if warning := p.scalar(p.path...); warning == "" || len(warning) > limit || strings.ContainsFunc(warning, isUnprintable) {
		return removeField(p) // a deprecated version may not have this warning either
	}
	return p.newFix("Set deprecated: true", p.setValue(true, append(p.parent(), "deprecated")...))
}

// markUnapproved sets the annotation of a CRD that uses a group of Kubernetes
// without approval.
func markUnapproved(p *problem) []playground.Fix {
	const annotation, value = "api-approved.kubernetes.io", "unapproved, experimental-only"
	return p.newFix("Annotate as unapproved, experimental-only", p.setValue(value, "metadata", "annotations", annotation))
}

func setReviewVersions(p *problem) []playground.Fix {
	return p.newFix("Set conversionReviewVersions: [v1]", p.setValue([]any{"v1"}, "spec", "conversion", "webhook", "conversionReviewVersions"))
}

// chooseStrategy resolves the conflict between a webhook and another strategy.
func chooseStrategy(p *problem) []playground.Fix {
	switch {
	case p.Hint != "" && p.crd.IsClientApply(): // The webhook is the existing CRD's.
		return p.newFix("Set webhook: null", p.setValue(nil, "spec", "conversion", "webhook"))
	case p.Hint != "":
		return nil
	}
	fixes := p.newFix("Set strategy: Webhook", p.setValue("Webhook", "spec", "conversion", "strategy"))
	return append(fixes, p.newFix("Remove webhook", p.deleteAt("spec", "conversion", "webhook"))...)
}

func setStrategyNone(p *problem) []playground.Fix {
	return p.newFix("Set strategy: None", p.setValue("None", "spec", "conversion", "strategy"))
}

// columnTypes maps common mistakes to the types of printer columns.
var columnTypes = map[string]string{"int": "integer", "bool": "boolean", "float": "number", "double": "number", "timestamp": "date", "time": "date"}

func correctColumnType(p *problem) []playground.Fix {
	if known, ok := columnTypes[strings.ToLower(p.match[1])]; ok {
		return p.setField(known)
	}
	return append(p.setField("string"), p.setField("integer")...)
}

// addLeadingDot converts a JSON path of another tool, such as "{$.spec}", to a
// simple path with a leading dot.
func addLeadingDot(p *problem) []playground.Fix {
	path := strings.TrimRight(strings.TrimLeft(p.match[1], "{$."), "}")
	if path == "" || strings.ContainsAny(path, "{} ") || "."+path == p.match[1] || slices.Contains(p.path, any("selectableFields")) && !p.selects(strings.Split(path, ".")) {
		return nil
	}
	return p.setField("." + path)
}

// selects reports whether the schema of the finding's version has a field.
func (p *problem) selects(names []string) bool {
	var path []string
	for _, name := range names {
		path = append(path, "properties", name)
	}
	root, _ := p.crd.SchemaOf(p.path)
	return root != nil && crd.SchemaAt(root, path) != nil
}

// removeParent removes the list item that contains the field.
func removeParent(p *problem) []playground.Fix {
	return p.newFix("Remove this entry", p.deleteAt(p.parent()...))
}
