package quickfix

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// setServedVersion suggests each version that the CRD serves. No version helps before the
// CRD is established, and an object of another kind stays what it is.
func setServedVersion(p *problem) []playground.Fix {
	if !p.crd.IsEstablished() {
		return nil
	}
	if isOther, hint := p.isOfOtherKind(); isOther {
		p.Hint = hint
		return p.unwrapList()
	}
	var fixes []playground.Fix
	kind := p.crd.V1.Spec.Names.Kind
	for _, version := range p.crd.ServedByPriority() {
		apiVersion := p.crd.V1.Spec.Group + "/" + version
		var changes []change
		var titles []string
		if p.scalar("apiVersion") != apiVersion {
			changes = append(changes, p.setValue(apiVersion, "apiVersion"))
			titles = append(titles, "apiVersion: "+apiVersion)
		}
		if p.scalar("kind") != kind {
			changes = append(changes, p.setValue(kind, "kind"))
			titles = append(titles, "kind: "+kind)
		}
		fixes = append(fixes, p.newFix("Set "+strings.Join(titles, ", "), changes...)...)
	}
	return fixes
}

// isOfOtherKind reports whether neither the group nor the kind of an object resembles the
// CRD's, and explains it. A group without a dot is built into Kubernetes.
func (p *problem) isOfOtherKind() (isOther bool, hint string) {
	apiVersion, kind := p.scalar("apiVersion"), p.scalar("kind")
	group := ""
	if before, _, ok := strings.Cut(apiVersion, "/"); ok {
		group = before
	}
	wanted := p.crd.V1.Spec
	switch {
	case apiVersion == "" || kind == "":
		return false, ""
	case kind == "List" && group == "":
		return true, "kubectl sends each item of a List as a separate request."
	case group == wanted.Group || strings.EqualFold(kind, wanted.Names.Kind) || len(SimilarNames(kind, []string{wanted.Names.Kind})) > 0:
		return false, ""
	case !strings.Contains(group, "."):
		return true, kind + " is built into Kubernetes and has no CRD. crdlab does not judge it."
	}
	return true, "No CRD here describes the kind " + kind + "."
}

// unwrapList replaces a List by its items.
func (p *problem) unwrapList() []playground.Fix {
	items := p.nodeAt("items")
	if p.scalar("kind") != "List" || items == nil || items.Kind != yaml.SequenceNode || len(items.Content) == 0 || len(items.Content) > maxCompared {
		return nil
	}
	var texts []string
	for _, item := range items.Content {
		text, err := yaml.Marshal(item)
		if err != nil || item.Kind != yaml.MappingNode {
			return nil
		}
		texts = append(texts, string(text))
	}
	return p.newFix("Replace the List with its items", replaceRange(p.doc.Range, strings.Join(texts, "---\n")))
}
