package generate

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
)

// schemaMutations lists mutations of schemas. Duplicates raise the probability.
var schemaMutations = []mutation{
	{"schema", breakSchema},
	{"schema", breakSchema},
	{"schema", breakSchema},
	{"rule", breakRule},
	{"limit", func(r *rand.Rand, crd tree) bool {
		nodes := schemaNodes(crd)
		if len(nodes) == 0 {
			return false
		}
		pick(r, nodes)[pick(r, []string{"minimum", "maximum", "multipleOf"})] = pick(r, extremes)
		return true
	}},
}

// crdMutations lists mutations of CustomResourceDefinitions.
var crdMutations = append([]mutation{
	{"crd field", breakField},
	{"crd field", breakField},
	{"crd names", exchangeNames},
	{"crd version", func(r *rand.Rand, crd tree) bool { addVersion(r, crd); return true }},
}, schemaMutations...)

// schemaNodes returns all schemas of a CRD, including the roots.
func schemaNodes(crd tree) []tree {
	var nodes []tree
	var walk func(value any)
	walk = func(value any) {
		schema, ok := value.(tree)
		if !ok {
			return
		}
		nodes = append(nodes, schema)
		for _, p := range places(tree{"properties": schema["properties"]}) {
			if len(p.path) == 2 {
				walk(p.value())
			}
		}
		walk(schema["items"])
		walk(schema["additionalProperties"])
	}
	versions, _ := at(crd, "spec", "versions").([]any)
	for _, v := range versions {
		walk(at(v, "schema", "openAPIV3Schema"))
	}
	return nodes
}

func num(literal string) json.Number { return json.Number(literal) }

// keywords lists keywords of schemas. At some nodes or all, their values break a
// rule for structural schemas or JSON schemas.
var keywords = []struct {
	name   string
	values []any
}{
	{"type", []any{"", "strng", "string", "object", "array", "integer", "number", "boolean", "null", nil, []any{"string"}}},
	{"properties", []any{tree{}, tree{"a": tree{}}, tree{"a": tree{"type": "string"}}, tree{"metadata": tree{"type": "string"}}, tree{"": tree{"type": "string"}}, tree{"a.b": tree{"type": "string"}, "namespace": tree{"type": "string"}}}},
	{"additionalProperties", []any{true, false, tree{}, tree{"type": "string"}, tree{"type": "object", "properties": tree{"a": tree{"type": "string"}}}}},
	{"items", []any{tree{}, tree{"type": "string"}, []any{tree{"type": "string"}}, tree{"type": "array"}, tree{"type": "object", "default": tree{}}}},
	{"anyOf", []any{[]any{}, []any{tree{"type": "string"}}, []any{tree{"required": []any{"a"}}}, []any{tree{"properties": tree{"zz": tree{"minimum": num("1")}}}}, []any{tree{"description": "x"}}, []any{tree{"default": "x"}}, []any{tree{"type": "integer"}, tree{"type": "string"}}, []any{tree{"additionalProperties": tree{}}}, []any{tree{"nullable": true}}}},
	{"allOf", []any{[]any{tree{"minimum": num("1")}}, []any{tree{"title": "x"}}, []any{tree{"anyOf": []any{tree{"type": "integer"}, tree{"type": "string"}}}}, []any{tree{"x-kubernetes-preserve-unknown-fields": true}}}},
	{"oneOf", []any{[]any{tree{"required": []any{"a"}}, tree{"required": []any{"b"}}}, []any{tree{"pattern": "("}}, []any{tree{"items": tree{"type": "string"}}}}},
	{"not", []any{tree{}, tree{"required": []any{"a"}}, tree{"type": "string"}, tree{"properties": tree{"a": tree{"enum": []any{"x"}}}}, tree{"not": tree{}}}},
	{"x-kubernetes-int-or-string", []any{true, false}},
	{"x-kubernetes-preserve-unknown-fields", []any{true, false}},
	{"x-kubernetes-embedded-resource", []any{true, false}},
	{"x-kubernetes-list-type", []any{"map", "set", "atomic", "bag", ""}},
	{"x-kubernetes-list-map-keys", []any{[]any{}, []any{"name"}, []any{"zz"}, []any{"name", "name"}}},
	{"x-kubernetes-map-type", []any{"granular", "atomic", "other"}},
	{"default", []any{nil, "x", num("1"), num("-1"), true, []any{}, []any{"x"}, tree{}, tree{"zz": "y"}, tree{"x": nil}}},
	{"enum", []any{[]any{}, []any{"a"}, []any{"a", "a"}, []any{nil}, []any{num("1"), "x"}}},
	{"pattern", []any{"(", "^a$", "[", strings.Repeat("(", 20) + strings.Repeat(")", 20), ""}},
	{"format", []any{"date-time", "int32", "int-or-string", "foo", "quantity", "k8s-short-name", "byte", "password"}},
	{"nullable", []any{true, false}},
	{"minimum", []any{num("1"), num("-1"), num("1.5"), "1"}},
	{"maximum", []any{num("1"), num("0"), num("9e99")}},
	{"exclusiveMinimum", []any{true, num("1")}},
	{"multipleOf", []any{num("0"), num("2"), num("-1"), num("0.1")}},
	{"minLength", []any{num("-1"), num("3"), num("1.5")}},
	{"maxLength", []any{num("-1"), num("3"), num("0")}},
	{"minItems", []any{num("-1"), num("1")}},
	{"maxItems", []any{num("-1"), num("0"), num("2")}},
	{"minProperties", []any{num("-1"), num("1")}},
	{"maxProperties", []any{num("-1"), num("0")}},
	{"uniqueItems", []any{true, false}},
	{"required", []any{[]any{}, []any{"a"}, []any{"a", "a"}, []any{""}}},
	{"$ref", []any{"#/definitions/x", ""}},
	{"$schema", []any{"x"}},
	{"id", []any{"x"}},
	{"definitions", []any{tree{"a": tree{"type": "string"}}}},
	{"patternProperties", []any{tree{"a": tree{"type": "string"}}}},
	{"dependencies", []any{tree{"a": []any{"b"}}}},
	{"additionalItems", []any{true, tree{"type": "string"}}},
	{"externalDocs", []any{tree{"url": "x"}}},
	{"example", []any{"x"}},
	{"title", []any{"x"}},
	{"description", []any{"x", num("1")}},
	{"unknown", []any{"x"}},
}

// breakSchema sets or removes keywords of a schema.
func breakSchema(r *rand.Rand, crd tree) bool {
	nodes := schemaNodes(crd)
	if len(nodes) == 0 {
		return false
	}
	for range 1 + r.IntN(2) {
		node, keyword := pick(r, nodes), pick(r, keywords)
		if r.IntN(6) == 0 {
			delete(node, keyword.name)
		} else {
			node[keyword.name] = clone(pick(r, keyword.values))
		}
	}
	return true
}

// rules lists CEL rules. Most of them are invalid at most nodes.
var rules = []tree{
	{"rule": "true"}, {"rule": ""}, {"rule": "  "}, {"rule": "self"}, {"rule": "self.x == 1"}, {"rule": "self =="}, {"rule": "1"},
	{"rule": "self == oldSelf"}, {"rule": "oldSelf.orValue(self) == self", "optionalOldSelf": true}, {"rule": "true", "optionalOldSelf": true},
	{"rule": "self.all(x, x == x)"}, {"rule": "self.all(x, self.all(y, x != y))"}, {"rule": "self.size() < 3"}, {"rule": "size(self) > 0"},
	{"rule": "has(self.spec)"}, {"rule": "has(self.name) && self.name.matches('^a')"}, {"rule": "self.metadata.name.startsWith('a')"},
	{"rule": "self.metadata.namespace == 'x'"}, {"rule": "self.matches('(')"}, {"rule": "self.exists_one(x, x.startsWith('a'))"},
	{"rule": "self > 0", "message": "must be positive"}, {"rule": "self.replicas <= 10", "message": "too many\nlines"}, {"rule": "self == ''", "message": ""},
	{"rule": "false", "messageExpression": "'no'"}, {"rule": "false", "messageExpression": "self"}, {"rule": "false", "messageExpression": "1"},
	{"rule": "false", "messageExpression": "'a' + string(self)"}, {"rule": "false", "messageExpression": "oldSelf"}, {"rule": "false", "messageExpression": " "},
	{"rule": "false", "reason": "FieldValueForbidden"}, {"rule": "false", "reason": "Other"}, {"rule": "false", "reason": "FieldValueDuplicate", "message": "dup"},
	{"rule": "false", "fieldPath": ".spec"}, {"rule": "false", "fieldPath": "spec"}, {"rule": "false", "fieldPath": ".x.y"}, {"rule": "false", "fieldPath": "['a']"}, {"rule": "false", "fieldPath": ".items[0]"},
	{"rule": "quantity('1Gi').isGreaterThan(quantity('1Mi'))"}, {"rule": "isIP(self)"}, {"rule": "cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))"}, {"rule": "format.dns1123Label().validate(self).hasValue()"},
	{"rule": "self.transformList(i, v, v).size() > 0"}, {"rule": "semver('1.2.3').major() == 1"}, {"rule": "[1,2].sortBy(x, -x) == [2,1]"}, {"rule": "url(self).getHost() == 'a'"},
	{"rule": "'a'.repeat(3)"}, {"rule": "self.split(',').map(x, x.trim()).join('').size() < 5"}, {"rule": "duration(self) < duration('1h')"}, {"rule": "type(self) == string"}, {"rule": "authorizer.path('/x').check('get').allowed()"},
	{"message": "no rule"}, {"rule": "true", "unknown": "x"},
}

// breakRule adds CEL rules to a schema.
func breakRule(r *rand.Rand, crd tree) bool {
	nodes := schemaNodes(crd)
	if len(nodes) == 0 {
		return false
	}
	node := pick(r, nodes)
	list, _ := node["x-kubernetes-validations"].([]any)
	for range 1 + r.IntN(2) {
		list = append(slices.Clone(list), clone(pick(r, rules)))
	}
	node["x-kubernetes-validations"] = list
	return true
}

// exchangeNames gives a name of a CRD another role, or adds it to the short names.
func exchangeNames(r *rand.Rand, crd tree) bool {
	names, _ := at(crd, "spec", "names").(tree)
	if names == nil {
		return false
	}
	kind, _ := names["kind"].(string)
	own := []any{names["plural"], names["singular"], strings.ToLower(kind), "another"}
	switch r.IntN(3) {
	case 0:
		names["singular"] = pick(r, own)
	case 1:
		names["shortNames"] = []any{pick(r, own), "sn"}
	default:
		names["listKind"] = pick(r, []any{kind + "List", kind + "s", kind})
	}
	return true
}

// fields lists fields of a CRD with values that break a rule for them. A path that
// begins with "version" is relative to a version.
var fields = []struct {
	path   string
	values []any
}{
	{"metadata.name", []any{"", "things", "things.example.org", "Things.example.com", "x.y.z"}},
	{"metadata.annotations", []any{tree{"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"}, tree{"api-approved.kubernetes.io": "unapproved, x"}, tree{"api-approved.kubernetes.io": "x"}}},
	{"metadata.resourceVersion", []any{"", "0", "1", "x", num("1")}},
	{"metadata.uid", []any{"", "x"}},
	{"metadata.generation", []any{num("7"), "x"}},
	{"metadata.deletionTimestamp", []any{"2020-01-01T00:00:00Z"}},
	{"metadata.managedFields", []any{[]any{}, []any{tree{}}, []any{tree{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": tree{}}}, []any{tree{"manager": "m", "operation": "Other"}}, "x"}},
	{"metadata.labels", []any{tree{"a b": "c"}, tree{"a": "b"}}},
	{"metadata.finalizers", []any{[]any{"a"}, []any{"a b"}}},
	{"spec.group", []any{"", "Example.com", "example", "a.k8s.io", "x_y.com", "apps.kubernetes.io"}},
	{"spec.scope", []any{"", "Cluster", "Namespaced", "Global"}},
	{"spec.preserveUnknownFields", []any{true, false}},
	{"spec.names.plural", []any{"", "Things", "things", "a_b", strings.Repeat("a", 64)}},
	{"spec.names.singular", []any{"", "Thing", "thing", "a b"}},
	{"spec.names.kind", []any{"", "thing", "Thing", "Th ing", "1Thing"}},
	{"spec.names.listKind", []any{"", "ThingList", "Thing", "thinglist"}},
	{"spec.names.shortNames", []any{[]any{}, []any{"t"}, []any{"T"}, []any{""}, []any{"t", "t"}, []any{"things"}}},
	{"spec.names.categories", []any{[]any{"all"}, []any{"All"}, []any{""}}},
	{"spec.versions", []any{[]any{}, nil, []any{tree{}}, []any{tree{"name": "v1", "served": true, "storage": true}}}},
	{"spec.conversion", []any{
		tree{"strategy": "None"}, tree{"strategy": "Webhook"}, tree{"strategy": "Other"}, tree{"strategy": ""}, tree{},
		tree{"strategy": "None", "webhook": tree{"conversionReviewVersions": []any{"v1"}, "clientConfig": tree{"url": "https://example.com"}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{}, "clientConfig": tree{"url": "https://example.com"}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v1"}, "clientConfig": tree{"url": "https://example.com"}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v1", "v1"}, "clientConfig": tree{"url": "http://example.com/x?y#z"}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v2", "V 1"}, "clientConfig": tree{"url": "https://u:p@example.com"}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v1beta1"}, "clientConfig": tree{"service": tree{"name": "", "namespace": "", "port": num("0"), "path": "x"}}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v1"}, "clientConfig": tree{"service": tree{"name": "a", "namespace": "b", "port": num("70000"), "path": "/a//b"}}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v1"}, "clientConfig": tree{"service": tree{"name": "a", "namespace": "b"}, "url": "https://example.com"}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v1"}, "clientConfig": tree{"url": "https://example.com", "caBundle": "eA=="}}},
		tree{"strategy": "Webhook", "webhook": tree{"conversionReviewVersions": []any{"v1"}}},
	}},
	{"version.name", []any{"", "V1", "v1", "v1beta1", "1", "a.b", strings.Repeat("v", 64)}},
	{"version.served", []any{false, true, nil}},
	{"version.storage", []any{false, true, nil}},
	{"version.deprecated", []any{true, false}},
	{"version.deprecationWarning", []any{"", "old", strings.Repeat("x", 257), "a\nb", "\u00e9"}},
	{"version.schema", []any{nil, tree{}, tree{"openAPIV3Schema": tree{}}, tree{"openAPIV3Schema": nil}}},
	{"version.subresources", []any{
		tree{}, tree{"status": tree{}}, tree{"scale": tree{}}, tree{"status": tree{}, "scale": tree{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
		tree{"scale": tree{"specReplicasPath": ".replicas", "statusReplicasPath": ".spec.x"}}, tree{"scale": tree{"specReplicasPath": "spec.replicas", "statusReplicasPath": ".status[0]"}},
		tree{"scale": tree{"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a", "labelSelectorPath": ".spec.selector"}}, tree{"scale": tree{"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a", "labelSelectorPath": "x"}}, tree{"other": tree{}},
	}},
	{"version.additionalPrinterColumns", []any{
		[]any{tree{"name": "A", "type": "string", "jsonPath": ".spec.a"}}, []any{tree{"name": "", "type": "", "jsonPath": ""}}, []any{tree{"name": "A", "type": "text", "jsonPath": "spec"}},
		[]any{tree{"name": "A", "type": "date", "jsonPath": ".metadata.creationTimestamp", "format": "x", "priority": num("1")}}, []any{tree{"name": "A", "type": "integer", "jsonPath": ".spec[", "format": "int32"}},
		[]any{tree{"name": "A", "type": "string", "jsonPath": `.status.conditions[?(@.type=="Ready")].status`}, tree{"name": "A", "type": "boolean", "jsonPath": ".x"}}, []any{tree{"name": "A", "type": "number", "jsonPath": "{.x}"}},
	}},
	{"version.selectableFields", []any{
		[]any{tree{"jsonPath": ".spec.a"}}, []any{tree{"jsonPath": "spec.a"}}, []any{tree{"jsonPath": ""}}, []any{tree{"jsonPath": ".metadata.name"}}, []any{tree{"jsonPath": ".spec.a"}, tree{"jsonPath": ".spec.a"}},
		[]any{tree{"jsonPath": ".spec.list[0]"}}, []any{tree{"jsonPath": ".spec"}}, []any{tree{"jsonPath": ".zz"}},
	}},
}

// breakField sets or removes a field of a CRD.
func breakField(r *rand.Rand, crd tree) bool {
	field := pick(r, fields)
	path := strings.Split(field.path, ".")
	var object tree
	if path[0] == "version" {
		versions, _ := at(crd, "spec", "versions").([]any)
		if len(versions) == 0 {
			return false
		}
		object, _ = pick(r, versions).(tree)
	} else {
		object, _ = at(crd, path[:len(path)-1]...).(tree)
	}
	if object == nil {
		return false
	}
	if name := path[len(path)-1]; r.IntN(8) == 0 {
		delete(object, name)
	} else {
		object[name] = clone(pick(r, field.values))
	}
	return true
}
