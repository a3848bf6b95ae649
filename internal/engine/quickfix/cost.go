package quickfix

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

// sizeLevels lists the size limits to try, from generous to strict.
var sizeLevels = []struct {
	items  int64 // of a list, or entries of a map
	length int64 // of a string
}{
	{10000, 16384}, {5000, 8192}, {2000, 4096}, {1000, 4096}, {500, 2048}, {256, 1024}, {128, 512}, {100, 256},
	{64, 253}, {50, 128}, {32, 64}, {20, 63}, {16, 63}, {10, 32}, {8, 32}, {5, 16}, {4, 16}, {3, 16}, {2, 16}, {1, 16},
}

// maxCostlyRules is the maximum number of rules that one fix makes cheaper.
const maxCostlyRules = 8

// limitSizes limits the lists, maps and strings that inflate the cost of rules,
// as generously as the API server's estimate permits.
func limitSizes(p *problem) []playground.Fix {
	rules, limit := p.findCostlyRules()
	if len(rules) == 0 {
		return nil
	}
	nodes := findSizeNodes(rules)
	if len(nodes) == 0 || len(nodes) > maxEdits {
		return nil
	}
	level, ok := findSizeLevel(rules, nodes, limit)
	if !ok {
		return nil
	}
	for i := range slices.Backward(nodes) {
		if fewer := slices.Delete(slices.Clone(nodes), i, i+1); fitsLimit(rules, fewer, level, limit) {
			nodes = fewer
		}
	}
	return p.newSizeFix(rules[0], nodes, level)
}

// findSizeLevel returns the most generous level at which the total cost of the
// rules is within limit.
func findSizeLevel(rules []crd.RuleLocation, nodes []crdschema.Path, limit uint64) (level int, ok bool) {
	// Compiling a rule is expensive. The search starts at the first level at which
	// the first and most expensive rule is within its share of the limit.
	share := limit / uint64(len(rules))
	level = sort.Search(len(sizeLevels), func(level int) bool { return fitsLimit(rules[:1], nodes, level, share) })
	for level < len(sizeLevels) && !fitsLimit(rules, nodes, level, limit) {
		level++
	}
	return level, level < len(sizeLevels)
}

// fitsLimit reports whether the rules are within the API server's cost limits if
// the sizes of the nodes are limited.
func fitsLimit(rules []crd.RuleLocation, nodes []crdschema.Path, level int, limit uint64) bool {
	root := rules[0].Root.DeepCopy()
	for _, path := range nodes {
		crd.UpdateSchemaAt(root, path, func(node *apiextensions.JSONSchemaProps) { limitSize(node, level) })
	}
	total, highest := crd.EstimateCost(root, rules)
	return total <= limit && highest <= crd.RuleCostLimit
}

// findCostlyRules returns the rules that the finding concerns, all of one
// version, and the cost limit of all of them together.
func (p *problem) findCostlyRules() (rules []crd.RuleLocation, limit uint64) {
	if !strings.Contains(p.Message, "total") {
		rule, ok := p.rule()
		if !ok {
			return nil, 0
		}
		return []crd.RuleLocation{rule}, crd.RuleCostLimit
	}
	byCost := slices.Clone(p.crd.Report.Rules)
	slices.SortStableFunc(byCost, func(a, b playground.Rule) int {
		return cmp.Compare(b.EstimatedCost, a.EstimatedCost)
	})
	others := uint64(0)
	for _, listed := range byCost {
		rule, ok := p.crd.RuleAt(p.doc.PathAt(listed.Range.Start))
		if !ok || len(p.path) > 2 && p.path[2] != any(rule.Version) {
			continue
		}
		if len(rules) < maxCostlyRules && listed.EstimatedCost > crd.CostLimit/100 {
			rules = append(rules, rule)
		} else {
			others = celrule.AddCosts(others, listed.EstimatedCost)
		}
	}
	if others >= crd.CostLimit {
		return nil, 0
	}
	return rules, crd.CostLimit - others
}

// findSizeNodes returns the nodes whose size affects the cost of the rules: the
// lists and maps that contain the rules, and the lists, maps and strings that
// the rules read.
func findSizeNodes(rules []crd.RuleLocation) []crdschema.Path {
	seen := map[string]bool{}
	var paths []crdschema.Path
	add := func(path crdschema.Path) {
		if !seen[path.String()] {
			seen[path.String()] = true
			paths = append(paths, slices.Clone(path))
		}
	}
	for _, rule := range rules {
		path := crdschema.Path(rule.Path)
		for i, step := range path {
			if (step == "items" || step == "additionalProperties") && (i == 0 || path[i-1] != "properties") {
				add(path[:i])
			}
		}
		validation := rule.Node.XValidations[rule.Index]
		addReadNodes(rule.Node, path, validation.Rule+" "+validation.MessageExpression, add)
	}
	return paths
}

// addReadNodes calls add for the nodes with a size at and below a node. It skips
// properties whose name does not occur in the expression.
func addReadNodes(node *apiextensions.JSONSchemaProps, path crdschema.Path, expression string, add func(crdschema.Path)) {
	if node == nil {
		return
	}
	if sizeKeyword(node) != "" {
		add(path)
	}
	if node.Items != nil {
		addReadNodes(node.Items.Schema, path.Items(), expression, add)
	}
	if node.AdditionalProperties != nil {
		addReadNodes(node.AdditionalProperties.Schema, path.Additional(), expression, add)
	}
	for _, name := range slices.Sorted(maps.Keys(node.Properties)) {
		escaped, _ := apiservercel.Escape(name)
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(escaped) + `\b`).MatchString(expression) {
			continue
		}
		property := node.Properties[name]
		addReadNodes(&property, path.Property(name), expression, add)
	}
}

// sizeKeyword returns the keyword that limits the size of a node's values. It is
// empty if other keywords or the type limit the size.
func sizeKeyword(node *apiextensions.JSONSchemaProps) string {
	switch {
	case node.Type == "array":
		return "maxItems"
	case node.Type == "object" && node.AdditionalProperties != nil:
		return "maxProperties"
	case node.Type == "string" && len(node.Enum) == 0, node.XIntOrString:
		return "maxLength"
	}
	return ""
}

// limitSize limits the size of a node's values, if they have a size.
func limitSize(node *apiextensions.JSONSchemaProps, level int) {
	if field := sizeField(node); field != nil {
		*field = new(sizeLimit(node, level))
	}
}

// sizeField returns the field of a node's size keyword, or nil without one.
func sizeField(node *apiextensions.JSONSchemaProps) **int64 {
	switch sizeKeyword(node) {
	case "maxItems":
		return &node.MaxItems
	case "maxProperties":
		return &node.MaxProperties
	case "maxLength":
		return &node.MaxLength
	}
	return nil
}

// sizeLimit returns the strictest of a node's present limit, its limits in allOf and the
// level's. The node must have a size keyword.
func sizeLimit(node *apiextensions.JSONSchemaProps, level int) int64 {
	limit := sizeLevels[level].items
	if sizeKeyword(node) == "maxLength" {
		limit = sizeLevels[level].length
	}
	if present := *sizeField(node); present != nil {
		limit = min(*present, limit)
	}
	if uncounted := uncountedLimit(node); uncounted != nil {
		limit = min(*uncounted, limit)
	}
	return limit
}

// uncountedLimit returns the strictest limit in a node's allOf, which the estimated cost
// ignores, or nil.
func uncountedLimit(node *apiextensions.JSONSchemaProps) (limit *int64) {
	for _, part := range node.AllOf {
		part.Type, part.Enum, part.XIntOrString, part.AdditionalProperties = node.Type, node.Enum, node.XIntOrString, node.AdditionalProperties
		if present := *sizeField(&part); present != nil && (limit == nil || *present < *limit) {
			limit = present
		}
	}
	return limit
}

// newSizeFix returns the fix that limits the nodes in the rule's version.
func (p *problem) newSizeFix(rule crd.RuleLocation, nodes []crdschema.Path, level int) []playground.Fix {
	var changes []change
	var titles []string
	for _, path := range nodes {
		node := crd.SchemaAt(rule.Root, path)
		limit := sizeLimit(node, level)
		if present := *sizeField(node); present != nil && *present == limit {
			continue
		}
		keyword := sizeKeyword(node)
		if uncountedLimit(node) != nil {
			p.Hint = "The estimated cost is too high. It ignores bounds in allOf: repeat them outside of allOf, and bound the other lists, maps and strings that the rule iterates over or is nested in."
		}
		changes = append(changes, p.setValue(limit, append(p.crd.SchemaPath(rule.Version, path), keyword)...))
		title := fmt.Sprintf("%s: %d", keyword, limit)
		if name := describeNode(path); name != "" {
			title += " on " + name
		}
		titles = append(titles, title)
	}
	return p.newFix("Set "+strings.Join(titles, ", "), changes...)
}

// describeNode returns a short name of a schema node; the root has none.
func describeNode(path crdschema.Path) string {
	if len(path) == 0 {
		return ""
	}
	switch last := path[len(path)-1]; {
	case len(path) > 1 && path[len(path)-2] == "properties":
		return last
	case last == "items":
		return "the items of " + cmp.Or(describeNode(path[:len(path)-1]), "the list")
	default:
		return "the values of " + cmp.Or(describeNode(path[:len(path)-1]), "the map")
	}
}
