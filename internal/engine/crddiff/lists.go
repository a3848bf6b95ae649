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

// compareLists compares the keywords that define the identity and ownership of
// items and map entries.
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

// compareRules compares the CEL rules of a node. Rules with the same expression
// are the same rule.
func (s *schemaDiff) compareRules(path crdschema.Path, old, new apiextensionsv1.ValidationRules) {
	const keyword = "x-kubernetes-validations"
	var gone, added apiextensionsv1.ValidationRules
	for _, rule := range old {
		i := findRule(new, rule.Rule)
		if i < 0 {
			gone = append(gone, rule)
		} else if !apiequality.Semantic.DeepEqual(rule, new[i]) {
			s.record(path, keyword, change{"rule changed", rule, new[i], classifyRuleChange(rule, new[i]), "The rule itself is the same; what is said of a failure, or when it applies, is not."})
		}
	}
	for _, rule := range new {
		if findRule(old, rule.Rule) < 0 {
			added = append(added, rule)
		}
	}
	for _, rule := range gone {
		i := findSuccessor(rule, added)
		if i < 0 {
			s.record(path, keyword, change{"rule removed", rule.Rule, nil, playground.BreaksNone, allStillValid})
			continue
		}
		s.record(path, keyword, s.describeRule(path, "rule changed", rule.Rule, added[i]))
		added = slices.Delete(added, i, i+1)
	}
	for _, rule := range added {
		s.record(path, keyword, s.describeRule(path, "rule added", nil, rule))
	}
}

// findSuccessor returns the index of the rule that probably replaces another
// one, or -1. It prefers a rule with the same message, and then the longest
// common prefix of at least half the expression.
func findSuccessor(rule apiextensionsv1.ValidationRule, among apiextensionsv1.ValidationRules) int {
	best, most := -1, 0
	for i, other := range among {
		if rule.Message != "" && rule.Message == other.Message {
			return i
		}
		if n := commonPrefixLength(rule.Rule, other.Rule); n > most && 2*n >= max(len(rule.Rule), len(other.Rule)) {
			best, most = i, n
		}
	}
	return best
}

// commonPrefixLength returns the length of the common prefix in bytes.
func commonPrefixLength(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// describeRule describes a rule that is new or has a new expression.
func (s *schemaDiff) describeRule(path crdschema.Path, kind string, before any, rule apiextensionsv1.ValidationRule) change {
	c := change{kind, before, rule.Rule, playground.BreaksBoth, "A value that does not fulfil it " + refusedUnlessUnchanged}
	if s.transitionRules[ruleKey{s.version, path.String(), rule.Rule}] {
		c.breaks, c.because = playground.BreaksClients, "It compares with the old value, so it forbids updates that clients could make, and leaves stored objects alone."
	}
	return c
}

// classifyRuleChange returns the effect of a change other than of the
// expression: with optionalOldSelf, a rule also applies to new values.
func classifyRuleChange(old, new apiextensionsv1.ValidationRule) playground.Breaks {
	if ptr.Deref(new.OptionalOldSelf, false) && !ptr.Deref(old.OptionalOldSelf, false) {
		return playground.BreaksClients
	}
	return playground.BreaksNone
}

// findRule returns the index of the rule with an expression, or -1.
func findRule(rules apiextensionsv1.ValidationRules, expression string) int {
	return slices.IndexFunc(rules, func(r apiextensionsv1.ValidationRule) bool { return r.Rule == expression })
}

// subtract returns the entries of list that without does not contain.
func subtract(list, without []string) []string {
	var gone []string
	for _, entry := range list {
		if !slices.Contains(without, entry) {
			gone = append(gone, entry)
		}
	}
	return gone
}

// maxNames is the maximum number of names in a sentence.
const maxNames = 5

// joinNames joins at most maxNames entries for a sentence.
func joinNames(entries []string) string {
	if more := len(entries) - maxNames; more > 0 {
		return strings.Join(entries[:maxNames], ", ") + " …"
	}
	return strings.Join(entries, ", ")
}

func rawValues(values []apiextensionsv1.JSON) []string {
	raw := make([]string, len(values))
	for i, v := range values {
		raw[i] = string(v.Raw)
	}
	return raw
}

func nilIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func asList(s *schemaProps) []schemaProps {
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
