// Package generate derives scenarios from given ones: valid CRDs and objects
// with something broken in them.
package generate

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Seed is what scenarios are derived from: a CRD and, where there is one, an
// object, both valid.
type Seed struct {
	Name        string
	crd, object tree
	now         string
}

// NewSeed makes a seed of the first documents of a CRD and an object; false if
// they are not fit for it. Conversion webhooks have nothing to answer them, and
// a v1beta1 CRD comes to the server as the v1 CRD that it converts to.
func NewSeed(name, crd, object, now string) (Seed, bool) {
	s := Seed{Name: name, crd: parse(crd), object: parse(object), now: now}
	fit := s.crd["kind"] == "CustomResourceDefinition" && s.crd["apiVersion"] == "apiextensions.k8s.io/v1"
	return s, fit && s.crd["spec"] != nil && at(s.crd, "spec", "conversion", "strategy") != "Webhook"
}

// Mutant is a derived scenario.
type Mutant struct {
	// Stage says in a word or two what was done.
	Stage string
	// Seed is the name of what it was derived from.
	Seed     string
	Scenario playground.Scenario
}

// batch is how many mutants in a row share a CRD that is not mutated.
const batch = 25

// Mutant derives the mutant of a number. The same seeds, seed and number give
// the same mutant.
func (g *Generator) Mutant(i int) Mutant {
	shared := rand.New(rand.NewPCG(g.seed, uint64(i/batch)))
	seed := pick(shared, g.seeds)
	mutateObject := seed.object != nil && shared.IntN(5) < 3
	fieldValidation := pick(shared, []string{"", "", playground.FieldValidationWarn, playground.FieldValidationIgnore})
	r := rand.New(rand.NewPCG(g.seed^0x9e3779b97f4a7c15, uint64(i)))
	m := Mutant{Seed: seed.Name, Scenario: playground.Scenario{FieldValidation: fieldValidation, Now: seed.now}}
	if mutateObject {
		m.Stage = seed.mutateObject(r, &m.Scenario)
	} else {
		m.Stage = seed.mutateCRD(r, &m.Scenario)
	}
	return m
}

// Generator derives mutants from seeds.
type Generator struct {
	seeds []Seed
	seed  uint64
}

// New returns a generator; seed makes it repeatable.
func New(seeds []Seed, seed uint64) *Generator { return &Generator{seeds, seed} }

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
	out.OldObject = render(s.stored(r, object), false)
	return operation + " " + name
}

// stored is an object that was stored before, which object is to replace: the
// seed's, which is valid, or one with something broken in it, or object itself,
// so that only what is stored may be forgiven.
func (s Seed) stored(r *rand.Rand, object tree) tree {
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

// mutate applies one mutation or several, and names the first.
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

// schema is that of the version of the object.
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

func (s Seed) mutateCRD(r *rand.Rand, out *playground.Scenario) string {
	change, crd := "crd ", clone(s.crd)
	if r.IntN(3) == 0 {
		change = "crd update "
		if r.IntN(4) == 0 {
			mutate(r, crd, schemaMutations) // which an earlier release may have accepted
		}
		out.OldCRD = render(crd, false)
	}
	name := mutate(r, crd, slices.Concat(crdMutations, fieldMutations))
	out.CRD = render(crd, r.IntN(3) == 0)
	if s.object != nil {
		out.Object = render(s.object, false)
	}
	return change + strings.TrimPrefix(name, "crd ")
}

// Belongs says whether the text of an object is of the group and kind of that
// of a CRD.
func Belongs(crd, object string) bool {
	c, o := parse(crd), parse(object)
	group, _ := at(c, "spec", "group").(string)
	apiVersion, _ := o["apiVersion"].(string)
	return o["kind"] == at(c, "spec", "names", "kind") && strings.HasPrefix(apiVersion, group+"/")
}
