package apiserver

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var (
	plannedPairs = flag.Int("plans", 8, "number of generated pairs of CRDs whose plans are carried out")
	plansAll     = flag.Bool("plans-of-large", false, "carry out the plans for large public CRDs, too")
)

// smallCRD is the size in bytes up to which each test run carries out the plans for public CRDs.
const smallCRD = 15_000

// TestPlansOfPairs carries out the plans for generated pairs of CRDs.
func TestPlansOfPairs(t *testing.T) {
	c := newCluster(t)
	for seed := range *plannedPairs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			old, changed := generatePair(rand.New(rand.NewPCG(uint64(seed), 1)))
			c.carryOut(t, old, changed)
		})
	}
}

// TestPlansOfCorpus carries out the plans from one version of a public CRD to all, and from all to the storage version.
func TestPlansOfCorpus(t *testing.T) {
	corpus := os.Getenv("CRDLAB_CORPUS")
	if corpus == "" {
		t.Skip("CRDLAB_CORPUS is not set")
	}
	paths, err := filepath.Glob(filepath.Join(corpus, "*", "crd.*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := newCluster(t)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		crd := map[string]any{}
		if err := yaml.Unmarshal(text, &crd); err != nil {
			t.Fatal(err)
		}
		all, _, _ := unstructured.NestedSlice(crd, "spec", "versions")
		if len(all) < 2 || len(text) > smallCRD && !*plansAll {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			unstructured.RemoveNestedField(crd, "spec", "conversion") // The server has no webhook.
			whole := encoded(t, crd)
			for i := range all {
				one := only(t, crd, i)
				c.carryOut(t, one, whole)
				c.carryOut(t, whole, one)
			}
		})
	}
}

// only returns a CRD with one of its versions, which is served and stored.
func only(t *testing.T, crd map[string]any, i int) string {
	c := (&unstructured.Unstructured{Object: crd}).DeepCopy().Object
	versions, _, _ := unstructured.NestedSlice(c, "spec", "versions")
	version, _ := versions[i].(map[string]any)
	version["served"], version["storage"] = true, true
	_ = unstructured.SetNestedSlice(c, []any{version}, "spec", "versions")
	return encoded(t, c)
}

func encoded(t *testing.T, object map[string]any) string {
	data, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// generatePair returns a CRD and a later revision, with random versions and fields.
func generatePair(r *rand.Rand) (old, changed string) {
	fields := map[string]string{
		"size": "{type: integer}", "name": "{type: string}", "mode": "{type: string, enum: [a, b, c]}",
		"list": "{type: array, items: {type: object, properties: {x: {type: string}, z: {type: integer}}}}",
		"map":  "{type: object, additionalProperties: {type: string}}", "limit": "{type: integer, maximum: 100, default: 3}",
	}
	others := map[string]string{
		"size": "{type: integer, minimum: 2}", "name": "{type: integer}", "mode": "{type: string, enum: [a, b]}",
		"list": "{type: array, items: {type: object, properties: {x: {type: string}}}}",
		"map":  "{type: object, additionalProperties: {type: string, maxLength: 2}}", "limit": "{type: integer, maximum: 10, default: 4}",
	}
	newSchema := func() string {
		var properties []string
		for _, name := range []string{"size", "name", "mode", "list", "map", "limit"} {
			switch r.IntN(8) {
			case 0:
			case 1:
				properties = append(properties, name+": "+others[name])
			case 2:
				properties = append(properties, name+"New: "+fields[name])
			default:
				properties = append(properties, name+": "+fields[name])
			}
		}
		return "{type: object, properties: {spec: {type: object, properties: {" + strings.Join(properties, ", ") + "}}}}"
	}
	schemas := map[string]string{}
	revision := func(names []string) string {
		storage := r.IntN(len(names))
		var versions strings.Builder
		for i, name := range names {
			if schemas[name] == "" || r.IntN(4) == 0 {
				schemas[name] = newSchema()
			}
			fmt.Fprintf(&versions, "  - name: %s\n    served: %v\n    storage: %v\n    schema: {openAPIV3Schema: %s}\n", name, i == storage || r.IntN(5) > 0, i == storage, schemas[name])
		}
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: disks.example.com}\nspec:\n  group: example.com\n" +
			"  scope: Namespaced\n  names: {kind: Disk, plural: disks, singular: disk, listKind: DiskList}\n  versions:\n" + versions.String()
	}
	sets := [][]string{{"v1alpha1"}, {"v1alpha1", "v1beta1"}, {"v1beta1", "v1"}, {"v1"}, {"v1alpha1", "v1beta1", "v1"}}
	first := r.IntN(len(sets) - 1)
	return revision(sets[first]), revision(sets[first+r.IntN(len(sets)-first)])
}
