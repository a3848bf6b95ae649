package engine_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

var sessions = flag.Int("sessions", 16, "number of random edit sessions")

const editedCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        description: A job.
        type: object
        properties:
          spec:
            description: |-
              The wanted state.

              It has several lines.
            type: object
            required:
            - replicas
            x-kubernetes-validations:
            - rule: self.replicas <= self.max
              message: too many
            properties:
              replicas: {type: integer, minimum: 1}
              max:
                type: integer
                default: 10
              names:
                type: array
                maxItems: 10
                items:
                  type: object
                  required: [name]
                  properties:
                    name:
                      type: string
                      maxLength: 20
                      pattern: ^[a-z]+$
                    labels:
                      type: object
                      additionalProperties:
                        type: string
                        maxLength: 5
              anything:
                type: object
                x-kubernetes-preserve-unknown-fields: true
          status:
            type: object
            properties:
              phase: {type: string, enum: [a, b]}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-preserve-unknown-fields: true
`

const editedObject = `apiVersion: example.com/v1
kind: CronTab
metadata: {name: a}
spec:
  replicas: 3
  names:
  - name: a
    labels: {x: y}
`

var editFragments = []string{
	"x", "1", " ", "\n", ":", "- ", "#", "'", "\"", "{", "}", "maxLength: 3", "type: string", "type: integer", "required: [a]", "unknown: 1",
	"nullable: true", "default: 5", "x-kubernetes-validations:", "properties:", "items: {type: string}", "y: {type: boolean}", "&a ", "|", "? ", "yes: ",
}

// editPairs are edits that mostly leave a CRD valid, or make only a rule or a type invalid.
var editPairs = [][2]string{
	{"maxItems: ", "maxItems: 1"}, {"maxLength: ", "maxLength: 1"}, {"minLength: 1", "minLength: 0"}, {"minItems: 1", "minItems: 2"},
	{"list-type: map", "list-type: atomic"}, {"list-type: atomic", "list-type: set"}, {"rule: ", "rule: true || "}, {" == ", " != "},
	{"message: ", "reason: FieldValueForbidden\n                message: "}, {"description: ", "description: a"}, {"maxItems: ", "minItems: 1\n    maxItems: "},
	{"self", "oldSelf"}, {" && ", " || "}, {"maxProperties: ", "maxProperties: 1"}, {"default: ", "default: x"}, {"enum:", "enum: []\n#"}, {"type: object", "type: array"},
	{"rule: ", "rule: x"}, {"rule: x", "rule: "}, {" == ", " = "}, {" = ", " == "}, {"type: string", "type: strin"}, {"type: strin\n", "type: string\n"},
}

// TestEditSessions compares the report after each of many random edits with that of an engine that knows no earlier text.
func TestEditSessions(t *testing.T) {
	type text struct{ crd, object string }
	texts := []text{{editedCRD, editedObject}}
	for _, name := range []string{
		"cert-manager/crd.certificates.cert-manager.io.yaml", "gateway-api/crd.referencegrants.gateway.networking.k8s.io.yaml",
		"gateway-api/crd.backendtlspolicies.gateway.networking.k8s.io.yaml", "gateway-api/crd.gateways.gateway.networking.k8s.io.yaml",
	} {
		if crd, err := os.ReadFile(filepath.Join(os.Getenv("CRDLAB_CORPUS"), name)); err == nil {
			texts = append(texts, text{string(crd), ""})
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	shared := 0
	for i := range *sessions {
		first := texts[i%len(texts)]
		if i%(len(texts)+1) == 0 {
			first = texts[0]
		}
		e := engine.New()
		s := playground.Scenario{CRD: first.crd, Object: first.object, Now: "2026-01-02T03:04:05Z", FieldValidation: []string{"Strict", "Warn", "Ignore"}[i%3]}
		edits := 25
		if len(first.crd) > 100_000 {
			edits = 10
		}
		for range edits {
			if random.IntN(6) == 0 {
				s.CRD = first.crd
			}
			s.CRD = editCRD(random, s.CRD)
			if diff := cmp.Diff(encodeReport(t, engine.New(), s), encodeReport(t, e, s)); diff != "" {
				t.Fatalf("session %d, field validation %s: the report on\n%s\ndiffers from that of a new engine (-new +this):\n%s", i, s.FieldValidation, s.CRD, diff)
			}
			if c, err := engine.SetDefaults(s); err == nil {
				shared += sharedNodes(e, c, editCRD(random, s.CRD))
			}
		}
	}
	if shared < *sessions {
		t.Errorf("%d edits shared nodes with the CRD before, in %d sessions", shared, *sessions)
	}
}

// sharedNodes returns 1 if a changed CRD shares schema nodes with the one before.
func sharedNodes(e *engine.Engine, s playground.Scenario, crd string) int {
	before := e.EvaluateCRD(context.Background(), s)
	s.CRD = crd
	after := e.EvaluateCRD(context.Background(), s)
	if before.Internal == nil || after.Internal == nil {
		return 0
	}
	for _, version := range []string{"v1", "v2", "v1beta1"} {
		a, b := before.VersionSchema(version), after.VersionSchema(version)
		if a == nil || b == nil {
			continue
		}
		for name, child := range a.Properties["spec"].Properties {
			if other := b.Properties["spec"].Properties[name].Items; other != nil && other == child.Items {
				return 1
			}
		}
	}
	return 0
}

func editCRD(random *rand.Rand, text string) string {
	at := random.IntN(len(text))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := at + strings.IndexByte(text[at:]+"\n", '\n')
	indent := text[start : start+len(text[start:end])-len(strings.TrimLeft(text[start:end], " "))]
	fragment := editFragments[random.IntN(len(editFragments))]
	switch random.IntN(9) {
	case 0:
		return text[:at] + text[min(at+1, len(text)):]
	case 1:
		return text[:start] + indent + fragment + "\n" + text[start:]
	case 2:
		return text[:start] + text[min(end+1, len(text)):]
	case 3:
		return text[:end] + fragment + text[end:]
	case 4:
		return text[:end] + "\n" + text[start:end] + text[end:]
	case 5, 6, 7:
		change := editPairs[random.IntN(len(editPairs))]
		if all := strings.Count(text, change[0]); all > 0 {
			parts := strings.SplitN(text, change[0], random.IntN(all)+2)
			last := len(parts) - 1
			return strings.Join(parts[:last], change[0]) + change[1] + parts[last]
		}
	}
	return text[:at] + fragment + text[at:]
}

const ruledCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              list:
                type: array
                maxItems: 10
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, maxLength: 9}
                    text:
                      type: string
                      maxLength: 1000
                      x-kubernetes-validations:
                      - rule: self.matches('^(a|b)*c')
                      - rule: self == oldSelf
              map:
                type: object
                maxProperties: 10
                additionalProperties:
                  type: string
                  maxLength: 1000
                  x-kubernetes-validations:
                  - rule: self.matches('^(a|b)*c')
              costly:
                type: array
                maxItems: 30
                items:
                  type: object
                  properties:
                    text:
                      type: string
                      x-kubernetes-validations:
                      - rule: self.contains('a')
                      - rule: self.contains('b')
                      - rule: self.contains('c')
                      - rule: self.contains('d')
                      - rule: self.contains('e')
                      - rule: self.contains('f')
                      - rule: self.contains('g')
              other:
                type: array
                maxItems: 1
                items:
                  type: object
                  properties:
                    text:
                      type: string
                      x-kubernetes-validations:
                      - rule: self.contains('x')
                      - rule: self.contains('y')
                      - rule: self.contains('z')
                      - rule: self.contains('0')
              defaulted:
                type: object
                description: A value with a default.
                properties:
                  size:
                    type: integer
                    default: 5
                    maximum: 10
                  rest:
                    type: integer
                    x-kubernetes-validations:
                    - rule: self > 3
`

// TestEditsRefused makes edits that an API server refuses. Mostly the reason is a rule or limit at another node than the one
// that the last edit changes.
func TestEditsRefused(t *testing.T) {
	const rule, other = "self.contains('g')", "maxItems: 30\n"
	for name, edits := range map[string][][2]string{
		"cost of a rule below the items":      {{"maxItems: 10\n", "maxItems: 15000\n"}},
		"cost of a rule below the properties": {{"maxProperties: 10\n", "maxProperties: 15000\n"}},
		"cost of all rules":                   {{"maxItems: 1\n", "maxItems: 31\n"}},
		"oldSelf in a list without keys":      {{"x-kubernetes-list-type: map\n                x-kubernetes-list-map-keys: [name]\n", "x-kubernetes-list-type: atomic\n"}},
		"default that a rule refuses":         {{"description: A value with a default.\n", "default: {rest: 2}\n"}},
		"default of a property":               {{"maximum: 10\n", "maximum: 4\n"}},
		"two edits of a rule":                 {{rule, "self.contains("}, {"self.contains(\n", "self.contain('x')\n"}},
		"rule, then a node elsewhere":         {{rule, "self.contains("}, {"maximum: 10\n", "maximum: 11\n"}},
		"rule, then a node above":             {{rule, "self.contains("}, {other, "maxItems: 29\n"}},
		"two rules":                           {{rule, "self.contains("}, {"self.contains('x')", "self.contain('x')"}},
		"rule, then a comment":                {{rule, "self.contains("}, {"spec:\n", "# comment\nspec:\n"}},
		"schema in the error":                 {{"        type: object\n", "        type: object\n        minProperties: 1\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := engine.New()
			s := playground.Scenario{CRD: ruledCRD, Now: "2026-01-02T03:04:05Z"}
			if report, err := e.Evaluate(context.Background(), s); err != nil || !report.CRD.Accepted {
				t.Fatalf("%v: %s", err, report.CRD.Output)
			}
			want := ""
			for _, edit := range edits {
				before := s.CRD
				if s.CRD = strings.Replace(before, edit[0], edit[1], 1); s.CRD == before {
					t.Fatalf("the CRD has no %q", edit[0])
				}
				want = encodeReport(t, engine.New(), s)
				if diff := cmp.Diff(want, encodeReport(t, e, s)); diff != "" {
					t.Errorf("after the edit %q, the report differs from that of a new engine (-new +this):\n%s", edit, diff)
				}
			}
			if !strings.Contains(want, `"code": 422`) {
				t.Errorf("the API server does not refuse the edit: %s", want)
			}
		})
	}
}
