// Package generate derives scenarios from valid CRDs and objects by random
// mutations. Most of the mutations break a rule.
package generate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Seed is the origin of derived scenarios: a valid CRD and optionally a valid
// object.
type Seed struct {
	Name        string
	crd, object tree
	now         string
}

// NewSeed returns a seed with the first documents of a CRD and an object. It
// reports false for CRDs that are unsuitable: those with a conversion webhook,
// since nothing serves its calls, and v1beta1 CRDs, which the server refuses.
func NewSeed(name, crd, object, now string) (Seed, bool) {
	s := Seed{Name: name, crd: parse(crd), object: parse(object), now: now}
	isSuitable := s.crd["kind"] == "CustomResourceDefinition" && s.crd["apiVersion"] == "apiextensions.k8s.io/v1"
	return s, isSuitable && s.crd["spec"] != nil && at(s.crd, "spec", "conversion", "strategy") != "Webhook"
}

// WithObject returns a seed with the same CRD and an object.
func (s Seed) WithObject(object string) Seed {
	s.object = parse(object)
	return s
}

// A Mutant is a derived scenario.
type Mutant struct {
	// Change names the mutation, such as "object rename".
	Change string
	// Seed is the name of the seed.
	Seed     string
	Scenario playground.Scenario
}

// batch is the number of consecutive mutants that share their seed. If only their
// objects are mutated, the server keeps the CRD.
const batch = 25

// Mutant derives the mutant with the given number. It depends only on the seeds,
// the random seed and the number.
func (g *Generator) Mutant(i int) Mutant {
	shared := rand.New(rand.NewPCG(g.seed, uint64(i/batch)))
	seed := pick(shared, g.seeds)
	mutateObject := seed.object != nil && shared.IntN(5) < 3
	fieldValidation := pick(shared, []string{"", "", playground.FieldValidationWarn, playground.FieldValidationIgnore})
	r := rand.New(rand.NewPCG(g.seed^0x9e3779b97f4a7c15, uint64(i)))
	m := Mutant{Seed: seed.Name, Scenario: playground.Scenario{FieldValidation: fieldValidation, Now: seed.now}}
	if mutateObject {
		m.Change = seed.mutateObject(r, &m.Scenario)
	} else {
		m.Change = seed.mutateCRD(r, &m.Scenario)
	}
	return m
}

// A Generator derives mutants from seeds.
type Generator struct {
	seeds []Seed
	seed  uint64
	// successions holds the pairs of versions in the seeds, once they are known.
	successions []succession
}

// New returns a generator with the given random seed.
func New(seeds []Seed, seed uint64) *Generator { return &Generator{seeds: seeds, seed: seed} }

// mutateObject sets a scenario with the CRD and a mutated object, and returns the
// name of the change.
func (s Seed) mutateObject(r *rand.Rand, out *playground.Scenario) string {
	out.CRD = render(s.crd, false)
	object := clone(s.object)
	mutations := append(objectMutations(s.schema()), fieldMutations...)
	name := mutate(r, object, mutations)
	asJSON := r.IntN(3) == 0
	out.Object = render(object, asJSON)
	operation := pick(r, []string{"", "", "", "", "", playground.OperationUpdate, playground.OperationUpdate, playground.OperationUpdateStatus, playground.OperationApply})
	if operation == "" {
		return "object " + name
	}
	out.Operation = operation
	out.OldObject = render(s.storedObject(r, object), false)
	return operation + " " + name
}

// storedObject returns an old object for object to replace: the valid object of
// the seed, a mutation of it, or object itself. The last one tests ratcheting,
// which tolerates the errors of stored objects.
func (s Seed) storedObject(r *rand.Rand, object tree) tree {
	switch r.IntN(4) {
	case 0:
		return clone(object)
	case 1:
		broken := clone(s.object)
		mutate(r, broken, fieldMutations)
		return broken
	}
	return s.object
}

// mutate applies one to three mutations and returns the name of the first.
func mutate(r *rand.Rand, t tree, mutations []mutation) string {
	var names []string
	for range pick(r, []int{1, 1, 1, 2, 3}) {
		for range 10 {
			m := pick(r, mutations)
			if m.change(r, t) {
				names = append(names, m.name)
				break
			}
		}
	}
	if len(names) == 0 {
		return "as it is"
	}
	return names[0]
}

// schema returns the schema of the object's version.
func (s Seed) schema() tree {
	apiVersion, _ := s.object["apiVersion"].(string)
	versions, _ := at(s.crd, "spec", "versions").([]any)
	for _, v := range versions {
		if name, _ := at(v, "name").(string); name != "" && strings.HasSuffix(apiVersion, "/"+name) {
			schema, _ := at(v, "schema", "openAPIV3Schema").(tree)
			return schema
		}
	}
	return tree{}
}

// mutateCRD sets a scenario with a mutated CRD, which may replace an old CRD, and
// returns the name of the change.
func (s Seed) mutateCRD(r *rand.Rand, out *playground.Scenario) string {
	change, crd := "crd ", clone(s.crd)
	if r.IntN(3) == 0 {
		change = "crd update "
		if r.IntN(4) == 0 {
			mutate(r, crd, schemaMutations) // an earlier release may have accepted it
		}
		old := clone(crd)
		if operation := pick(r, crdOperations); operation != "" {
			change = "crd " + operation + " "
			out.CRDOperation, out.CRDForce, out.CRDStored = operation, r.IntN(2) == 0, true
			s.applied(r, old)
		}
		out.OldCRD = render(old, false)
	}
	name := mutate(r, crd, slices.Concat(crdMutations, fieldMutations))
	out.CRD = render(crd, r.IntN(3) == 0)
	if s.object != nil {
		out.Object = render(s.object, false)
	}
	return change + strings.TrimPrefix(name, "crd ")
}

// crdOperations lists the operations of requests that replace a CRD.
var crdOperations = []playground.CRDOperation{"", "", playground.CRDOperationApply, playground.CRDOperationClientApply}

// applied adds the traces of an earlier apply to a CRD: the owners of some fields, and the last
// applied configuration.
func (s Seed) applied(r *rand.Rand, crd tree) {
	metadata, ok := crd["metadata"].(tree)
	if !ok {
		return
	}
	if r.IntN(2) == 0 {
		annotations := tree{"kubectl.kubernetes.io/last-applied-configuration": encode(s.crd) + "\n"}
		maps.Copy(annotations, treeOf(metadata["annotations"]))
		metadata["annotations"] = annotations
	}
	if r.IntN(4) == 0 {
		return
	}
	owned := tree{}
	for name := range treeOf(crd["spec"]) {
		owned["f:"+name] = tree{}
	}
	other := tree{}
	for _, name := range slices.Sorted(maps.Keys(owned)) {
		if r.IntN(3) == 0 {
			other[name] = owned[name]
			delete(owned, name)
		}
	}
	metadata["managedFields"] = []any{managedBy("kubectl", owned), managedBy("installer", other)}
}

// treeOf returns a value as a tree, which is empty for other values.
func treeOf(value any) tree {
	t, _ := value.(tree)
	return t
}

// managedBy returns the entry of a manager that applied fields of spec.
func managedBy(manager string, spec tree) tree {
	return tree{
		"manager": manager, "operation": "Apply", "apiVersion": "apiextensions.k8s.io/v1", "time": "2025-01-01T00:00:00Z",
		"fieldsType": "FieldsV1", "fieldsV1": tree{"f:spec": spec},
	}
}
