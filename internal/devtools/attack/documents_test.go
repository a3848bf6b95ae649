//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"strings"
)

// schema holds the parts of a CRD that differ between attacks.
type schema struct {
	properties string // in YAML's flow style
	rules      []string
	versions   int // 0 means 1
	comment    string
}

// crd returns a CRD as YAML.
func (s schema) crd() string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com} # %s
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
`, s.comment)
	for i := range max(s.versions, 1) {
		fmt.Fprintf(&b, `  - name: v%d
    served: true
    storage: %t
    schema:
      openAPIV3Schema:
        type: object
        properties: {%s}
`, i+1, i == 0, s.properties)
		for j, rule := range s.rules {
			if j == 0 {
				b.WriteString("        x-kubernetes-validations:\n")
			}
			fmt.Fprintf(&b, "        - rule: %q\n", rule)
		}
	}
	return b.String()
}

// object returns an object of the CRD with the fields in YAML.
func object(fields string) string {
	return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n" + fields + "\n"
}

// marshal encodes documents as JSON.
func marshal(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return body
}

// scenario returns the JSON of a scenario.
func scenario(crd, object string) []byte {
	return marshal(map[string]string{"crd": crd, "object": object})
}

// view returns the body of POST /panels for a scenario and all panels.
func view(crd, object string) []byte {
	return marshal(map[string]any{"scenario": map[string]string{"crd": crd, "object": object}})
}

// quick returns the documents of an evaluation of about a millisecond.
func quick(i int) (crd, of string) {
	return schema{properties: "s: {type: string}"}.crd(), object(fmt.Sprintf("s: a%d", i))
}

// gigabytes returns the documents of a rule that builds a string of gigabytes within
// the cost limits of CEL.
func gigabytes() (crd, of string) {
	s := schema{
		properties: "s: {type: string, maxLength: 6000}",
		rules:      []string{"self.s.replace('', self.s.replace('', self.s.substring(0,120))).size() >= 0"},
	}
	return s.crd(), object("s: " + strings.Repeat("x", 6000))
}

// manyVersions returns the documents of an object of the given size that a client can
// read at each of n versions.
func manyVersions(n, size int) (crd, of string) {
	return schema{properties: "s: {type: string}", versions: n}.crd(), object("s: " + strings.Repeat("x", size))
}

// failingItems returns documents of about 5 KB: 20 rules fail for each of 2,000 items.
// CRDs with different comments differ.
func failingItems(comment string) (crd, of string) {
	var rules []string
	for i := range 20 {
		rules = append(rules, fmt.Sprintf(`{rule: "self > %d"}`, i+10))
	}
	items := fmt.Sprintf("l: {type: array, maxItems: 4000, items: {type: integer, x-kubernetes-validations: [%s]}}", strings.Join(rules, ", "))
	return schema{properties: items, comment: comment}.crd(), object("l: [" + strings.TrimSuffix(strings.Repeat("1,", 2000), ",") + "]")
}

// manyRules returns documents with n rules whose compilation costs processor time. The
// comment is part of each rule, so that no cache has them.
func manyRules(n int, comment string) (crd, of string) {
	var properties []string
	for i := range n {
		var terms []string
		for j := range 20 {
			terms = append(terms, fmt.Sprintf("self != '%s-%d'", comment, j))
		}
		properties = append(properties, fmt.Sprintf(`f%d: {type: string, maxLength: 10, x-kubernetes-validations: [{rule: "%s"}]}`, i, strings.Join(terms, " && ")))
	}
	return schema{properties: strings.Join(properties, ", ")}.crd(), object("f1: a")
}

// realistic returns a CRD of the size of a typical operator's CRD, with descriptions and
// rules, and an object that a user types.
func realistic(i int) (crd, of string) {
	const description = "Specifies one of the many settings of the workload. Cannot be updated. If it is not specified, the controller chooses a value that suits most clusters."
	var properties, rules, fields []string
	for j := range 300 {
		properties = append(properties, fmt.Sprintf("f%d: {type: string, maxLength: 64, description: %q}", j, description))
	}
	for j := range 20 {
		rules = append(rules, fmt.Sprintf("!has(self.f%d) || self.f%d != self.f%d || !has(self.f%d)", 2*j, 2*j, 2*j+1, 2*j+1))
		fields = append(fields, fmt.Sprintf("f%d: value-%d", 2*j, j))
	}
	for j := range rules {
		rules[j] = fmt.Sprintf("!has(self.f%d) || self.f%d != 'forbidden'", j, j)
	}
	fields = append(fields, fmt.Sprintf("f299: typed-%d", i))
	return schema{properties: strings.Join(properties, ", "), rules: rules}.crd(), object(strings.Join(fields, "\n"))
}

// assist returns the body of an assist request at the beginning of a document.
func assist(crd, of, document string, line, character int) []byte {
	return marshal(map[string]any{
		"scenario": map[string]string{"crd": crd, "object": of},
		"document": document,
		"position": map[string]int{"line": line, "character": character},
	})
}

// deadlocking returns an assist request for an older release that also tries an
// expression.
func deadlocking(release string) []byte {
	return marshal(map[string]any{
		"scenario": map[string]string{"kubernetes": release},
		"document": "crd",
		"position": map[string]int{"line": 0, "character": 0},
		"trial":    map[string]any{"expression": "1", "object": 0, "path": ""},
	})
}
