package mutant

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// A keyword lists the changes of a constraint.
type keyword struct {
	name   string
	mutate func(l *lister, schema map[string]any)
}

// keywords lists the constraints of a schema node in the order in which they are reported.
var keywords = []keyword{
	{"required", mutateRequired},
	{"enum", mutateEnum},
	{"pattern", mutatePattern},
	{"minimum", shift("minimum")}, {"maximum", shift("maximum")},
	{"exclusiveMinimum", toggle("exclusiveMinimum")}, {"exclusiveMaximum", toggle("exclusiveMaximum")},
	{"minLength", shift("minLength")}, {"maxLength", shift("maxLength")},
	{"minItems", shift("minItems")}, {"maxItems", shift("maxItems")},
	{"minProperties", shift("minProperties")}, {"maxProperties", shift("maxProperties")},
	{"multipleOf", drop("multipleOf", OnValues)},
	{"format", drop("format", OnTypes)},
	{"nullable", drop("nullable", OnValues)},
	{"not", drop("not", OnValues)},
	{"default", mutateDefault},
	{"x-kubernetes-preserve-unknown-fields", drop("x-kubernetes-preserve-unknown-fields", OnTypes)},
	{"x-kubernetes-list-type", mutateListType},
	{"x-kubernetes-int-or-string", mutateIntOrString},
	{"allOf", mutateBranches("allOf")}, {"anyOf", mutateBranches("anyOf")}, {"oneOf", mutateBranches("oneOf")},
	{"x-kubernetes-validations", mutateRules},
}

// schema adds the mutants of a schema node and of the nodes below it.
func (l *lister) schema(schema map[string]any, node []string, field string) {
	l.node, l.field = node, field
	for _, k := range keywords {
		if _, has := schema[k.name]; has {
			k.mutate(l, schema)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		l.below(l, properties[name], field+"."+name, "properties", name)
	}
	l.below(l, schema["items"], field+"[]", "items")
	l.below(l, schema["additionalProperties"], field+".*", "additionalProperties")
}

// drop returns changes that remove a keyword.
func drop(name string, effect Effect) func(*lister, map[string]any) {
	return func(l *lister, schema map[string]any) {
		if schema[name] != false {
			l.add(Mutant{Change: fmt.Sprintf("%s: %s → none", name, format(schema[name])), Effect: effect}, name, nil, name)
		}
	}
}

// shift returns changes of a limit by one.
func shift(name string) func(*lister, map[string]any) {
	return func(l *lister, schema map[string]any) {
		limit, ok := number(schema[name])
		isSize := strings.HasPrefix(name, "min") && name != "minimum" || strings.HasPrefix(name, "max") && name != "maximum"
		for _, other := range []float64{limit + 1, limit - 1} {
			if !ok || isSize && other < 0 {
				continue
			}
			l.add(Mutant{Change: fmt.Sprintf("%s: %s → %s", name, format(schema[name]), format(whole(other)))}, name, whole(other), name)
		}
	}
}

func number(value any) (float64, bool) {
	n, isNumber := value.(json.Number)
	if !isNumber {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// whole returns a number as an integer if it is one.
func whole(value float64) any {
	if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		return int64(value)
	}
	return value
}

func toggle(name string) func(*lister, map[string]any) {
	return func(l *lister, schema map[string]any) {
		if is, ok := schema[name].(bool); ok {
			l.add(Mutant{Change: fmt.Sprintf("%s: %v → %v", name, is, !is)}, name, !is, name)
		}
	}
}

// removed returns a list without an item, or nil without others.
func removed(list []any, i int) any {
	if len(list) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(list), i, i+1)
}

func mutateRequired(l *lister, schema map[string]any) {
	names, _ := schema["required"].([]any)
	for i, name := range names {
		l.add(Mutant{Change: fmt.Sprintf("required: without %v", name), Field: fmt.Sprintf("%s.%v", l.field, name)},
			"required", removed(names, i), "required", i)
	}
}

func mutateEnum(l *lister, schema map[string]any) {
	values, _ := schema["enum"].([]any)
	for i, value := range values {
		if len(values) > 1 {
			l.add(Mutant{Change: fmt.Sprintf("enum: without %s", format(value))}, "enum", removed(values, i), "enum", i)
		}
	}
	// The longest value of an enum limits the estimated cost of rules.
	l.add(Mutant{Change: "enum: any value", Effect: OnTypes}, "enum", nil, "enum")
}

func mutatePattern(l *lister, schema map[string]any) {
	pattern, _ := schema["pattern"].(string)
	l.add(Mutant{Change: "pattern: any string"}, "pattern", nil, "pattern")
	if rest, ok := strings.CutPrefix(pattern, "^"); ok && rest != "" {
		l.add(Mutant{Change: "pattern: without ^ at the start", Finer: true}, "pattern", rest, "pattern")
	}
	if rest, ok := strings.CutSuffix(pattern, "$"); ok && rest != "" && !strings.HasSuffix(rest, `\`) {
		l.add(Mutant{Change: "pattern: without $ at the end", Finer: true}, "pattern", rest, "pattern")
	}
}

func mutateDefault(l *lister, schema map[string]any) {
	l.add(Mutant{Change: fmt.Sprintf("default: %s → none", format(schema["default"]))}, "default", nil, "default")
	var other any
	switch value := schema["default"].(type) {
	case bool:
		other = !value
	case json.Number:
		n, _ := number(value)
		other = whole(n + 1)
	case string:
		other = value + "x"
	default:
		return
	}
	if values, _ := schema["enum"].([]any); len(values) > 0 {
		i := slices.IndexFunc(values, func(value any) bool { return !reflect.DeepEqual(value, schema["default"]) })
		if i < 0 {
			return
		}
		other = values[i]
	}
	l.add(Mutant{Change: fmt.Sprintf("default: %s → %s", format(schema["default"]), format(other))}, "default", other, "default")
}

func mutateListType(l *lister, schema map[string]any) {
	kind, _ := schema["x-kubernetes-list-type"].(string)
	if kind == "set" || kind == "map" {
		l.add(Mutant{Change: fmt.Sprintf("x-kubernetes-list-type: %s → atomic", kind), Effect: OnTypes, drops: "x-kubernetes-list-map-keys"},
			"x-kubernetes-list-type", "atomic", "x-kubernetes-list-type")
	}
}

func mutateIntOrString(l *lister, schema map[string]any) {
	if schema["x-kubernetes-int-or-string"] != true || schema["anyOf"] != nil || schema["allOf"] != nil {
		return
	}
	for _, kind := range []string{"integer", "string"} {
		l.add(Mutant{Change: "x-kubernetes-int-or-string: only " + kind, Effect: OnTypes, drops: "x-kubernetes-int-or-string"},
			"type", kind, "x-kubernetes-int-or-string")
	}
}

func mutateBranches(name string) func(*lister, map[string]any) {
	return func(l *lister, schema map[string]any) {
		branches, _ := schema[name].([]any)
		for i := range branches {
			l.add(Mutant{Change: fmt.Sprintf("%s: without branch %d", name, i+1)}, name, removed(branches, i), name, i)
		}
	}
}

// defaultReason is the reason of a rule without one.
const defaultReason = "FieldValueInvalid"

func mutateRules(l *lister, schema map[string]any) {
	const keyword = "x-kubernetes-validations"
	rules, _ := schema[keyword].([]any)
	for i := range rules {
		rule, _ := rules[i].(map[string]any)
		expression, _ := rule["rule"].(string)
		with := func(name string, value any) any {
			changed := maps.Clone(rule)
			changed[name] = value
			if value == nil {
				delete(changed, name)
			}
			list := slices.Clone(rules)
			list[i] = changed
			return list
		}
		l.add(Mutant{Change: "rule dropped: " + expression, Effect: OnRules}, keyword, with("rule", "true"), keyword, i)
		for _, other := range rewrites(expression) {
			l.add(Mutant{Change: fmt.Sprintf("rule: %s → %s", expression, other), Effect: OnRules, Finer: true}, keyword, with("rule", other), keyword, i, "rule")
		}
		for _, name := range []string{"messageExpression", "reason", "fieldPath"} {
			if value, isSet := rule[name].(string); isSet && value != "" && value != defaultReason {
				change := fmt.Sprintf("%s: %s → none, of the rule %s", name, value, expression)
				l.add(Mutant{Change: change, Effect: OnRules, Finer: true}, keyword, with(name, nil), keyword, i, name)
			}
		}
	}
}

// format formats a value as in the document, in one line.
func format(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}
