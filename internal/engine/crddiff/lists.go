package crddiff

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

// compareLists compares how lists and maps are merged and compared.
func compareLists(old, new *schemaProps, _ bool) []keywordChange {
	var changes []keywordChange
	before, after := ptr.Deref(old.XListType, "atomic"), ptr.Deref(new.XListType, "atomic")
	if before != after {
		c := change{"list type changed", before, after, playground.BreaksBoth,
			"Items that are there twice are refused, and appliers merge their items instead of replacing the list."}
		if after == "atomic" {
			c.breaks, c.because = playground.BreaksClients, "Who applies the list replaces it as a whole, the items of others included."
		}
		changes = append(changes, keywordChange{"x-kubernetes-list-type", c})
	}
	if !apiequality.Semantic.DeepEqual(old.XListMapKeys, new.XListMapKeys) && before == after {
		changes = append(changes, keywordChange{"x-kubernetes-list-map-keys", change{"list type changed", old.XListMapKeys, new.XListMapKeys, playground.BreaksBoth,
			"Items count as the same by other keys: some may be there twice now, and old and new items may not find each other."}})
	}
	before, after = ptr.Deref(old.XMapType, "granular"), ptr.Deref(new.XMapType, "granular")
	if before != after {
		c := change{"map type changed", before, after, playground.BreaksClients, "Who applies the map replaces it as a whole, the keys of others included."}
		if after == "granular" {
			c.because = "Who applies the map owns single keys instead of the whole."
		}
		changes = append(changes, keywordChange{"x-kubernetes-map-type", c})
	}
	return changes
}

// rules compares the CEL rules of a node, which are the same if their text is.
func (s *schemaChanges) rules(path crdschema.Path, old, new apiextensionsv1.ValidationRules) {
	const keyword = "x-kubernetes-validations"
	var gone, added apiextensionsv1.ValidationRules
	for _, rule := range old {
		i := ruleIndex(new, rule.Rule)
		if i < 0 {
			gone = append(gone, rule)
		} else if !apiequality.Semantic.DeepEqual(rule, new[i]) {
			s.add(path, keyword, change{"rule changed", rule, new[i], ruleBreaks(rule, new[i]), "The rule itself is the same; what is said of a failure, or when it applies, is not."})
		}
	}
	for _, rule := range new {
		if ruleIndex(old, rule.Rule) < 0 {
			added = append(added, rule)
		}
	}
	for _, rule := range gone {
		i := likeliest(rule, added)
		if i < 0 {
			s.add(path, keyword, change{"rule removed", rule.Rule, nil, playground.BreaksNone, allStillValid})
			continue
		}
		s.add(path, keyword, s.ruleAdded(path, "rule changed", rule.Rule, added[i]))
		added = slices.Delete(added, i, i+1)
	}
	for _, rule := range added {
		s.add(path, keyword, s.ruleAdded(path, "rule added", nil, rule))
	}
}

// likeliest is the rule that another one was probably changed into: one with
// the same message, or the one that begins most like it, for at least half of
// its text. It is -1 if there is none.
func likeliest(rule apiextensionsv1.ValidationRule, among apiextensionsv1.ValidationRules) int {
	best, most := -1, 0
	for i, other := range among {
		if rule.Message != "" && rule.Message == other.Message {
			return i
		}
		if n := commonPrefix(rule.Rule, other.Rule); n > most && 2*n >= max(len(rule.Rule), len(other.Rule)) {
			best, most = i, n
		}
	}
	return best
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func (s *schemaChanges) ruleAdded(path crdschema.Path, kind string, before any, rule apiextensionsv1.ValidationRule) change {
	c := change{kind, before, rule.Rule, playground.BreaksBoth, "A value that does not fulfil it " + refusedUnlessUnchanged}
	if s.transitions[[3]string{s.version, path.String(), rule.Rule}] {
		c.breaks, c.because = playground.BreaksClients, "It compares with the old value, so it forbids updates that clients could make, and leaves stored objects alone."
	}
	return c
}

// ruleBreaks: with optionalOldSelf a rule also applies to new values.
func ruleBreaks(old, new apiextensionsv1.ValidationRule) playground.Breaks {
	if ptr.Deref(new.OptionalOldSelf, false) && !ptr.Deref(old.OptionalOldSelf, false) {
		return playground.BreaksClients
	}
	return playground.BreaksNone
}

func ruleIndex(rules apiextensionsv1.ValidationRules, text string) int {
	return slices.IndexFunc(rules, func(r apiextensionsv1.ValidationRule) bool { return r.Rule == text })
}

// missing are the entries of one list that another does not have.
func missing(list, from []string) []string {
	var gone []string
	for _, entry := range list {
		if !slices.Contains(from, entry) {
			gone = append(gone, entry)
		}
	}
	return gone
}

// maxListed is how many entries a sentence names.
const maxListed = 5

func listed(entries []string) string {
	if more := len(entries) - maxListed; more > 0 {
		return strings.Join(entries[:maxListed], ", ") + " …"
	}
	return strings.Join(entries, ", ")
}

func jsonTexts(values []apiextensionsv1.JSON) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v.Raw)
	}
	return texts
}

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func single(s *schemaProps) []schemaProps {
	if s == nil {
		return nil
	}
	return []schemaProps{*s}
}

func schemasOrNil(schemas []schemaProps) any {
	if len(schemas) == 0 {
		return nil
	}
	return schemas
}
