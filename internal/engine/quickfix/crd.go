package quickfix

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdlab/crdlab/internal/playground"
)

// upgradeText is the whole CRD as the v1 CRD that it converts to.
func upgradeText(m *problem) []playground.Fix {
	if m.crd.Report.Upgraded == "" {
		return nil
	}
	return m.fix("Replace with the v1 CRD", replace(m.doc.Range, m.crd.Report.Upgraded))
}

func servedAPIVersion(m *problem) []playground.Fix {
	return m.fix("Set apiVersion: apiextensions.k8s.io/v1", m.set("apiextensions.k8s.io/v1", "apiVersion"))
}

func nameCRD(m *problem) []playground.Fix {
	plural, group := m.text("spec", "names", "plural"), m.text("spec", "group")
	if plural == "" || group == "" {
		return nil
	}
	name := plural + "." + group
	return m.fix("Set metadata.name: "+name, m.set(name, "metadata", "name"))
}

func chooseScope(m *problem) []playground.Fix {
	return append(
		m.fix("Set scope: Namespaced", m.set("Namespaced", "spec", "scope")),
		m.fix("Set scope: Cluster", m.set("Cluster", "spec", "scope"))...)
}

// guessPlural names the resource as clients guess it from the kind.
func guessPlural(m *problem) []playground.Fix {
	kind := m.text("spec", "names", "kind")
	if kind == "" {
		return nil
	}
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
	return m.give(plural.Resource)
}

func guessKind(m *problem) []playground.Fix {
	name := m.text("spec", "names", "singular")
	if name == "" {
		name = strings.TrimSuffix(m.text("spec", "names", "plural"), "s")
	}
	if name == "" {
		return nil
	}
	return m.give(strings.ToUpper(name[:1]) + name[1:])
}

func renameListKind(m *problem) []playground.Fix {
	return m.give(m.text("spec", "names", "kind") + "List")
}

// validName is the pattern that the message about a name ends with.
var validName = regexp.MustCompile(`regex used for validation is '(.+)'\)$`)

// lowerCase is a name as DNS allows it, where capitals and underscores are all
// that is wrong.
func lowerCase(m *problem) []playground.Fix {
	valid := validName.FindStringSubmatch(m.Message)
	name := m.text(m.path...)
	lower := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
	if valid == nil || lower == name || !regexp.MustCompile("^(?:"+valid[1]+")$").MatchString(lower) {
		return nil
	}
	return m.give(lower)
}

// chooseStorage offers each version that may become the only storage version,
// those that are marked already first.
func chooseStorage(m *problem) []playground.Fix {
	versions := m.node("spec", "versions")
	if versions == nil {
		return nil
	}
	var marked, others []int
	for i := range versions.Content {
		if m.text("spec", "versions", i, "storage") == "true" {
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
		changes := []textChange{}
		for _, i := range marked {
			if i != storage {
				changes = append(changes, m.set(false, "spec", "versions", i, "storage"))
			}
		}
		if !slices.Contains(marked, storage) {
			changes = append(changes, m.set(true, "spec", "versions", storage, "storage"))
		}
		fixes = append(fixes, m.fix("Store objects as "+m.text("spec", "versions", storage, "name"), changes...)...)
	}
	return fixes
}

func deprecateVersion(m *problem) []playground.Fix {
	return m.fix("Set deprecated: true", m.set(true, append(m.parent(), "deprecated")...))
}

func markUnapproved(m *problem) []playground.Fix {
	const annotation, value = "api-approved.kubernetes.io", "unapproved, experimental-only"
	return m.fix("Annotate as unapproved, experimental-only", m.set(value, "metadata", "annotations", annotation))
}

func reviewVersions(m *problem) []playground.Fix {
	return m.fix("Set conversionReviewVersions: [v1]", m.set([]any{"v1"}, "spec", "conversion", "webhook", "conversionReviewVersions"))
}

// chooseStrategy settles a webhook that stands beside another strategy.
func chooseStrategy(m *problem) []playground.Fix {
	return append(
		m.fix("Set strategy: Webhook", m.set("Webhook", "spec", "conversion", "strategy")),
		m.fix("Remove webhook", m.delete("spec", "conversion", "webhook"))...)
}

func strategyNone(m *problem) []playground.Fix {
	return m.fix("Set strategy: None", m.set("None", "spec", "conversion", "strategy"))
}

// columnTypes are what people write for the types of printer columns.
var columnTypes = map[string]string{"int": "integer", "bool": "boolean", "float": "number", "double": "number", "timestamp": "date", "time": "date"}

func spellColumnType(m *problem) []playground.Fix {
	if known, ok := columnTypes[strings.ToLower(m.match[1])]; ok {
		return m.give(known)
	}
	return append(m.give("string"), m.give("integer")...)
}

// dotPath begins a JSON path with the dot that it lacks, and without what
// other tools begin it with.
func dotPath(m *problem) []playground.Fix {
	path := strings.TrimRight(strings.TrimLeft(m.match[1], "{$."), "}")
	if path == "" || "."+path == m.match[1] {
		return nil
	}
	return m.give("." + path)
}

// removeParent takes out the list's item that has the field.
func removeParent(m *problem) []playground.Fix {
	return m.fix("Remove this entry", m.delete(m.parent()...))
}

// removePath takes out a field that the error does not name.
func removePath(path ...any) func(*problem) []playground.Fix {
	return func(m *problem) []playground.Fix {
		return m.fix(fmt.Sprintf("Remove %s", path[len(path)-1]), m.delete(path...))
	}
}
