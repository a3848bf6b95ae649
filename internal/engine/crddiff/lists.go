package crddiff

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// compareLists compares the keywords that define the identity and ownership of
// items and map entries.
func compareLists(old, new *schemaProps, _ bool) []keywordChange {
	var changes []keywordChange
	before, after := ptr.Deref(old.XListType, "atomic"), ptr.Deref(new.XListType, "atomic")
	if before != after {
		c := change{"list type changed", before, after, breaksBoth,
			"The API server now rejects duplicate items. Server-side apply merges items instead of replacing the list."}
		if after == "atomic" {
			c.effect, c.because = breaksClients, "Server-side apply now replaces the whole list, including the items of other field managers."
		}
		changes = append(changes, keywordChange{"x-kubernetes-list-type", c})
	}
	if !apiequality.Semantic.DeepEqual(old.XListMapKeys, new.XListMapKeys) && before == after {
		changes = append(changes, keywordChange{"x-kubernetes-list-map-keys", change{"list type changed", old.XListMapKeys, new.XListMapKeys, breaksBoth,
			"Other keys now identify the items. Stored lists may contain duplicates, and updates may not match old and new items."}})
	}
	before, after = ptr.Deref(old.XMapType, "granular"), ptr.Deref(new.XMapType, "granular")
	if before != after {
		c := change{"map type changed", before, after, breaksClients, "Server-side apply now replaces the whole map, including the keys of other field managers."}
		if after == "granular" {
			c.because = "Field managers now own individual keys instead of the whole map."
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
	oldRules, newRules := firstByExpression(old), firstByExpression(new)
	for _, rule := range old {
		same, ok := newRules[rule.Rule]
		if !ok {
			gone = append(gone, rule)
		} else if !apiequality.Semantic.DeepEqual(rule, same) {
			s.record(path, keyword, change{"rule changed", rule, same, classifyRuleChange(rule, same), "The expression is unchanged. The message, reason, fieldPath or optionalOldSelf of the rule differs."})
		}
	}
	for _, rule := range new {
		if _, ok := oldRules[rule.Rule]; !ok {
			added = append(added, rule)
		}
	}
	for _, rule := range gone {
		i := findSuccessor(rule, added)
		if i < 0 {
			s.record(path, keyword, change{"rule removed", rule.Rule, nil, breaksNothing, allStillValid})
			continue
		}
		s.record(path, keyword, s.describeRule(path, "rule changed", rule.Rule, added[i]))
		added = slices.Delete(added, i, i+1)
	}
	for _, rule := range added {
		s.record(path, keyword, s.describeRule(path, "rule added", nil, rule))
	}
}

// maxSuccessors is the maximum number of added rules that [findSuccessor] compares with
// a removed rule.
const maxSuccessors = 50

// findSuccessor returns the index of the rule that probably replaces another
// one, or -1. It prefers a rule with the same message, and then the longest
// common prefix of at least half the expression. It considers the first
// [maxSuccessors] rules.
func findSuccessor(rule apiextensionsv1.ValidationRule, among apiextensionsv1.ValidationRules) int {
	best, most := -1, 0
	for i, other := range among[:min(len(among), maxSuccessors)] {
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
	c := change{kind, before, rule.Rule, breaksBoth, "A value that violates the rule " + refusedUnlessUnchanged}
	if s.transitionRules[ruleKey{s.version, path.String(), rule.Rule}] {
		c.effect, c.because = breaksClients, "The rule compares values with old values, so it rejects some updates but no stored objects."
	}
	return c
}

// classifyRuleChange returns the effect of a change other than of the
// expression: with optionalOldSelf, a rule also applies to new values.
func classifyRuleChange(old, new apiextensionsv1.ValidationRule) effect {
	if ptr.Deref(new.OptionalOldSelf, false) && !ptr.Deref(old.OptionalOldSelf, false) {
		return breaksClients
	}
	return breaksNothing.unless(ptr.Deref(new.OptionalOldSelf, false) != ptr.Deref(old.OptionalOldSelf, false))
}

// firstByExpression returns the first rule with each expression.
func firstByExpression(rules apiextensionsv1.ValidationRules) map[string]apiextensionsv1.ValidationRule {
	first := make(map[string]apiextensionsv1.ValidationRule, len(rules))
	for _, rule := range slices.Backward(rules) {
		first[rule.Rule] = rule
	}
	return first
}

// subtract returns the entries of list that without does not contain.
func subtract(list, without []string) []string {
	var gone []string
	absent := sets.New(without...)
	for _, entry := range list {
		if !absent.Has(entry) {
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
