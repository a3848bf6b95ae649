//go:build !js

package engine_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A workload is a CRD with an object.
type workload struct{ name, crd, object string }

// workloads returns the CronTab of the documentation, CRDs whose size or number of
// rules doubles to measure the growth of the cost, and CRDs of the corpus in the
// directory CRDLAB_CORPUS.
func workloads(b *testing.B) []workload {
	all := []workload{crontab(b)}
	for _, fields := range []int{50, 100, 200, 400} {
		all = append(all, generate("rules", fields, fieldWithRule))
	}
	for _, fields := range []int{250, 500, 1000, 2000} {
		all = append(all, generate("fields", fields, describedField))
	}
	return append(all, realWorkloads(b)...)
}

// realWorkloads returns some well-known CRDs of the corpus and its largest CRD.
func realWorkloads(b *testing.B) []workload {
	dir := os.Getenv("CRDLAB_CORPUS")
	if dir == "" {
		b.Log("CRDLAB_CORPUS is not set: skipping CRDs of the corpus")
		return nil
	}
	var all []workload
	for _, name := range []string{
		"certificates.cert-manager.io",
		"prometheuses.monitoring.coreos.com",
		"httproutes.gateway.networking.k8s.io",
		largestCRD(b, dir),
	} {
		if w, ok := realWorkload(b, dir, name); ok {
			all = append(all, w)
		}
	}
	return all
}

// realWorkload returns a CRD of the corpus with its first object.
func realWorkload(b *testing.B, dir, name string) (workload, bool) {
	found, _ := filepath.Glob(filepath.Join(dir, "*", "crd."+name+".yaml"))
	if len(found) == 0 {
		b.Logf("%s is not in CRDLAB_CORPUS", name)
		return workload{}, false
	}
	object := filepath.Join(filepath.Dir(found[0]), "cr."+name+".1.yaml")
	return workload{name, readFile(b, found[0]), readFile(b, object)}, true
}

// largestCRD returns the name of the largest CRD with an object.
func largestCRD(b *testing.B, dir string) string {
	objects, _ := filepath.Glob(filepath.Join(dir, "*", "cr.*.1.yaml"))
	if len(objects) == 0 {
		b.Fatal("no objects in CRDLAB_CORPUS")
	}
	size := func(object string) int64 {
		info, err := os.Stat(filepath.Join(filepath.Dir(object), "crd."+crdName(object)+".yaml"))
		if err != nil {
			b.Fatal(err)
		}
		return info.Size()
	}
	return crdName(slices.MaxFunc(objects, func(a, b string) int { return cmp.Compare(size(a), size(b)) }))
}

// crdName returns the name of the CRD for the object in a file.
func crdName(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "cr."), ".1.yaml")
}

func readFile(b *testing.B, name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func crontab(b *testing.B) workload {
	for _, c := range readCases(b) {
		if c.Name == "docs/validation-rules" {
			return workload{"crontab", c.Scenario.CRD, strings.Replace(c.Scenario.Object, "replicas: 20", "replicas: 5", 1)}
		}
	}
	b.Fatal("no case docs/validation-rules")
	return workload{}
}

// generate returns a CRD with the given number of fields, and an object with all of
// them.
func generate(name string, fields int, field func(i int) string) workload {
	var crd, object strings.Builder
	crd.WriteString(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
`)
	object.WriteString("apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n")
	for i := range fields {
		crd.WriteString(field(i))
		fmt.Fprintf(&object, "  field%d: {low: %d}\n", i, i%10)
	}
	return workload{fmt.Sprintf("%s-%d", name, fields), crd.String(), object.String()}
}

func fieldWithRule(i int) string {
	return fmt.Sprintf(`              field%d:
                type: object
                x-kubernetes-validations:
                - {rule: self.low <= self.high, message: low must not exceed high}
                properties:
                  low: {type: integer, minimum: 0}
                  high: {type: integer, default: 10}
`, i)
}

func describedField(i int) string {
	return fmt.Sprintf(`              field%d:
                description: |-
                  Field%d says between which bounds the thing is to be kept. As in the
                  CRDs that are generated from Go types, the comment is longer than all else.
                type: object
                properties:
                  low: {type: integer, minimum: 0}
                  high: {type: integer, default: 10}
`, i, i)
}
