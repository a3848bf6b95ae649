package generate

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
)

// oddValues lists values of each type, including extreme ones.
var oddValues = []any{
	"", "x", "1", "true", "null", "a b", "é😀", "2020-01-02T03:04:05Z", strings.Repeat("x", 300),
	json.Number("0"), json.Number("1"), json.Number("-1"), json.Number("1.5"), json.Number("2.0"), json.Number("1e3"),
	json.Number("2147483648"), json.Number("9223372036854775807"), json.Number("9223372036854775808"), json.Number("1e400"),
	true, false, nil,
	[]any{}, []any{nil}, []any{"x"}, []any{json.Number("1"), json.Number("1")}, []any{tree{}}, []any{[]any{}},
	tree{}, tree{"x": "y"}, tree{"x": nil}, tree{"x": tree{"y": json.Number("1")}}, tree{"apiVersion": "v1", "kind": "Pod"},
}

// sample returns a value that satisfies the most common keywords of a schema.
func sample(r *rand.Rand, schema tree) any {
	if schema == nil {
		return clone(pick(r, oddValues))
	}
	if enum, ok := schema["enum"].([]any); ok && len(enum) > 0 {
		return clone(pick(r, enum))
	}
	if schema["x-kubernetes-int-or-string"] == true {
		return pick(r, []any{json.Number("1"), "50%"})
	}
	switch schema["type"] {
	case "object":
		return sampleObject(r, schema)
	case "array":
		items, _ := schema["items"].(tree)
		list := []any{}
		for range r.IntN(3) {
			list = append(list, sample(r, items))
		}
		return list
	case "string":
		return sampleString(r, schema)
	case "integer", "number":
		if minimum, ok := schema["minimum"].(json.Number); ok {
			return minimum
		}
		return pick(r, []any{json.Number("1"), json.Number("0"), json.Number("7")})
	case "boolean":
		return r.IntN(2) == 0
	}
	return clone(pick(r, oddValues))
}

func sampleObject(r *rand.Rand, schema tree) tree {
	object := tree{}
	properties, _ := schema["properties"].(tree)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			property, _ := properties[name].(tree)
			object[name] = sample(r, property)
		}
	}
	if values, ok := schema["additionalProperties"].(tree); ok {
		object["key"] = sample(r, values)
	}
	return object
}

// formats maps the formats that the API server checks to valid values.
var formats = map[string]string{
	"date-time": "2020-01-02T03:04:05Z", "date": "2020-01-02", "duration": "1h", "ipv4": "10.0.0.1", "ipv6": "::1",
	"cidr": "10.0.0.0/8", "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "uri": "https://example.com", "email": "a@example.com",
	"hostname": "example.com", "byte": "eA==", "mac": "00:00:5e:00:53:01", "bsonobjectid": "507f1f77bcf86cd799439011",
}

func sampleString(r *rand.Rand, schema tree) string {
	if format, ok := schema["format"].(string); ok && formats[format] != "" {
		return formats[format]
	}
	value := pick(r, []string{"a", "abc", "value-1", "10"})
	if length, ok := number(schema["minLength"]); ok && length < 10_000 {
		for len(value) < int(length) {
			value += "a"
		}
	}
	return value
}

func number(value any) (float64, bool) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// boundaryValues returns values at the bounds of a schema, one below and one above
// them. Of an enum or a pattern it returns invalid values.
func boundaryValues(schema tree) []any {
	var values []any
	near := func(keyword string, value func(n int) any) {
		n, ok := number(schema[keyword])
		if !ok || n < -1e9 || n > 5_000 {
			return
		}
		for _, at := range []int{int(n) - 1, int(n), int(n) + 1} {
			values = append(values, value(at))
		}
	}
	integer := func(n int) any { return json.Number(strconv.Itoa(n)) }
	letters := func(n int) any { return strings.Repeat("a", max(n, 0)) }
	items, _ := schema["items"].(tree)
	list := func(n int) any { return repeat(max(n, 0), items) }
	object := func(n int) any {
		o := tree{}
		for i := range max(n, 0) {
			o["key"+strconv.Itoa(i)] = "a"
		}
		return o
	}
	near("minimum", integer)
	near("maximum", integer)
	near("multipleOf", integer)
	near("minLength", letters)
	near("maxLength", letters)
	near("minItems", list)
	near("maxItems", list)
	near("minProperties", object)
	near("maxProperties", object)
	if schema["enum"] != nil {
		values = append(values, "not in the enum", "")
	}
	if schema["pattern"] != nil || schema["format"] != nil {
		values = append(values, "", "!", "A b", "-1", "2020-13-01", "999.1.1.1", "x\ny")
	}
	return values
}

// repeat returns a list of n values, which differ if the schema permits it.
func repeat(n int, items tree) []any {
	list := make([]any, n)
	for i := range list {
		switch items["type"] {
		case "integer", "number":
			list[i] = json.Number(strconv.Itoa(i))
		case "object":
			o := tree{}
			properties, _ := items["properties"].(tree)
			for name, property := range properties {
				if property, ok := property.(tree); ok && property["type"] == "string" {
					o[name] = "v" + strconv.Itoa(i)
				}
			}
			list[i] = o
		default:
			list[i] = "v" + strconv.Itoa(i)
		}
	}
	return list
}
