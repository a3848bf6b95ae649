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
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

// sizeBounds are the limits to try, from generous to strict: of the items of a
// list or the entries of a map, and of the bytes of a string.
var sizeBounds = []struct{ items, length int64 }{
	{10000, 16384}, {5000, 8192}, {2000, 4096}, {1000, 4096}, {500, 2048}, {256, 1024}, {128, 512}, {100, 256},
	{64, 253}, {50, 128}, {32, 64}, {20, 63}, {16, 63}, {10, 32}, {8, 32}, {5, 16}, {4, 16}, {3, 16}, {2, 16}, {1, 16},
}

// maxBounds is how many nodes a fix may limit, and maxCostly how many rules it
// looks at: a fix that is larger than that is no help.
const maxBounds, maxCostly = 16, 8

// boundCost limits the lists, maps and strings that make rules too costly, as
// generously as the API server's estimate allows.
func boundCost(m *problem) []playground.Fix {
	rules, limit := m.costlyRules()
	if len(rules) == 0 {
		return nil
	}
	root := rules[0].root
	candidates := boundable(rules)
	if len(candidates) == 0 || len(candidates) > maxBounds {
		return nil
	}
	fits := func(rules []rulePlace, candidates []crdschema.Path, level int, limit uint64) bool {
		bounded := root.DeepCopy()
		for _, path := range candidates {
			bound(bounded, path, level)
		}
		total, highest := costOf(bounded, rules)
		return total <= limit && highest <= crd.RuleCostLimit
	}
	// The first rule costs most. A level that is too strict for its share is
	// too strict for all.
	share := limit / uint64(len(rules))
	level := sort.Search(len(sizeBounds), func(level int) bool { return fits(rules[:1], candidates, level, share) })
	for level < len(sizeBounds) && !fits(rules, candidates, level, limit) {
		level++
	}
	if level == len(sizeBounds) {
		return nil
	}
	for i := len(candidates) - 1; i >= 0; i-- {
		if fewer := slices.Delete(slices.Clone(candidates), i, i+1); fits(rules, fewer, level, limit) {
			candidates = fewer
		}
	}
	return m.fixBounds(rules[0].version, root, candidates, level)
}

// costlyRules are the rules that a finding is about, all of one version, and
// what they may cost together.
func (m *problem) costlyRules() (rules []rulePlace, limit uint64) {
	if !strings.Contains(m.Message, "total") {
		place, ok := m.rulePlace()
		if !ok {
			return nil, 0
		}
		return []rulePlace{place}, crd.RuleCostLimit
	}
	listed := slices.Clone(m.crd.Report.Rules)
	slices.SortStableFunc(listed, func(a, b playground.Rule) int {
		return -compareCosts(a.EstimatedCost, b.EstimatedCost)
	})
	left := uint64(0)
	for _, rule := range listed {
		place, ok := rulePlaceAt(m.crd, m.doc.PathAt(rule.Range.Start))
		if !ok || len(m.path) > 2 && m.path[2] != any(place.version) {
			continue
		}
		if len(rules) < maxCostly && rule.EstimatedCost > crd.CostLimit/100 {
			rules = append(rules, place)
		} else {
			left = celrule.AddCosts(left, rule.EstimatedCost)
		}
	}
	if left >= crd.CostLimit {
		return nil, 0
	}
	return rules, crd.CostLimit - left
}

func compareCosts(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// boundable are the nodes whose size the cost of rules grows with: lists and
// maps that the rules are below, and lists, maps and strings that they read.
func boundable(rules []rulePlace) []crdschema.Path {
	seen := map[string]bool{}
	var paths []crdschema.Path
	add := func(path crdschema.Path) {
		if !seen[path.String()] {
			seen[path.String()] = true
			paths = append(paths, slices.Clone(path))
		}
	}
	for _, rule := range rules {
		path := crdschema.Path(rule.steps)
		for i, step := range path {
			if (step == "items" || step == "additionalProperties") && (i == 0 || path[i-1] != "properties") {
				add(path[:i])
			}
		}
		read := rule.node.XValidations[rule.rule]
		boundableBelow(rule.node, path, read.Rule+" "+read.MessageExpression, add)
	}
	return paths
}

func boundableBelow(props *apiextensions.JSONSchemaProps, path crdschema.Path, expression string, add func(crdschema.Path)) {
	if props == nil {
		return
	}
	if sizeKeyword(props) != "" {
		add(path)
	}
	if props.Items != nil {
		boundableBelow(props.Items.Schema, path.Items(), expression, add)
	}
	if props.AdditionalProperties != nil {
		boundableBelow(props.AdditionalProperties.Schema, path.Additional(), expression, add)
	}
	for _, name := range slices.Sorted(maps.Keys(props.Properties)) {
		escaped, _ := apiservercel.Escape(name)
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(escaped) + `\b`).MatchString(expression) {
			continue
		}
		property := props.Properties[name]
		boundableBelow(&property, path.Property(name), expression, add)
	}
}

// sizeKeyword is the keyword that limits the size of a node's values, or empty
// if it is limited in other ways.
func sizeKeyword(props *apiextensions.JSONSchemaProps) string {
	switch {
	case props.Type == "array":
		return "maxItems"
	case props.Type == "object" && props.AdditionalProperties != nil:
		return "maxProperties"
	case props.Type == "string" && len(props.Enum) == 0, props.XIntOrString:
		return "maxLength"
	}
	return ""
}

// bound limits the node at a path.
func bound(root *apiextensions.JSONSchemaProps, path crdschema.Path, level int) {
	changeProps(root, path, func(props *apiextensions.JSONSchemaProps) {
		limit := sizeLimit(props)
		if limit != nil {
			*limit = ptr.To(strictest(*limit, boundOf(props, level)))
		}
	})
}

// sizeLimit is the field of a node that limits the size of its values.
func sizeLimit(props *apiextensions.JSONSchemaProps) **int64 {
	switch sizeKeyword(props) {
	case "maxItems":
		return &props.MaxItems
	case "maxProperties":
		return &props.MaxProperties
	case "maxLength":
		return &props.MaxLength
	}
	return nil
}

func boundOf(props *apiextensions.JSONSchemaProps, level int) int64 {
	if sizeKeyword(props) == "maxLength" {
		return sizeBounds[level].length
	}
	return sizeBounds[level].items
}

func strictest(limit *int64, other int64) int64 {
	if limit != nil {
		return min(*limit, other)
	}
	return other
}

// changeProps changes the node at a path in place.
func changeProps(props *apiextensions.JSONSchemaProps, path crdschema.Path, change func(*apiextensions.JSONSchemaProps)) {
	if len(path) == 0 {
		change(props)
		return
	}
	child, rest := propsChild(props, path)
	if child == nil {
		return
	}
	changeProps(child, rest, change)
	if path[0] == "properties" {
		props.Properties[path[1]] = *child // a map holds copies
	}
}

// costOf is the estimated cost of rules in a schema, as the API server reckons
// it: of all together, and of the most expensive one.
func costOf(root *apiextensions.JSONSchemaProps, rules []rulePlace) (total, highest uint64) {
	for _, rule := range rules {
		node := PropsAt(root, rule.steps)
		result, ok := CompileAt(node, len(rule.steps) == 0, node.XValidations[rule.rule])
		if !ok {
			continue
		}
		cardinality := result.MaxCardinality
		if limit := CostContextAt(root, rule.steps).MaxCardinality; limit != nil {
			cardinality = *limit
		}
		cost := celrule.MultiplyCosts(result.MaxCost, cardinality)
		total, highest = celrule.AddCosts(total, cost), max(highest, cost)
	}
	return total, highest
}

// CostContextAt is the cost context of the node that steps lead to.
func CostContextAt(root *apiextensions.JSONSchemaProps, steps []string) *crd.CostContext {
	context := crd.NewCostContext(root)
	for props := root; len(steps) > 0; {
		child, rest := propsChild(props, steps)
		switch steps[0] {
		case "items":
			context = context.ChildItemsContext(child)
		case "additionalProperties":
			context = context.ChildAdditionalPropertiesContext(child)
		default:
			context = context.ChildPropertyContext(child, steps[1])
		}
		props, steps = child, rest
	}
	return context
}

func (m *problem) fixBounds(version int, root *apiextensions.JSONSchemaProps, paths []crdschema.Path, level int) []playground.Fix {
	var changes []textChange
	var titles []string
	for _, path := range paths {
		props := PropsAt(root, path)
		limit := strictest(*sizeLimit(props), boundOf(props, level))
		if present := *sizeLimit(props); present != nil && *present == limit {
			continue
		}
		keyword := sizeKeyword(props)
		changes = append(changes, m.set(limit, append(m.crd.SchemaPath(version, path), keyword)...))
		title := fmt.Sprintf("%s: %d", keyword, limit)
		if place := placeName(path); place != "" {
			title += " on " + place
		}
		titles = append(titles, title)
	}
	return m.fix("Set "+strings.Join(titles, ", "), changes...)
}

// placeName is a short name of a schema's node.
func placeName(path crdschema.Path) string {
	if len(path) == 0 {
		return ""
	}
	switch last := path[len(path)-1]; {
	case len(path) > 1 && path[len(path)-2] == "properties":
		return last
	case last == "items":
		return "the items of " + cmp.Or(placeName(path[:len(path)-1]), "the list")
	default:
		return "the values of " + cmp.Or(placeName(path[:len(path)-1]), "the map")
	}
}
