package generate

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// A History derives successive requests for one object from a seed: requests of two managers
// with all operations. Most of the requests are valid, and half of the CRDs have two versions.
type History struct {
	seed     Seed
	random   *rand.Rand
	crd      tree
	versions []string
	// now is the time of the next request. It advances, because the order of managers
	// depends on the times of their requests.
	now time.Time
}

// History derives the history with the given number. It returns nil if its seed has no
// object.
func (g *Generator) History(i int) *History {
	r := rand.New(rand.NewPCG(g.seed^0xd1b54a32d192ed03, uint64(i)))
	seed := pick(r, g.seeds)
	if seed.object == nil {
		return nil
	}
	h := &History{seed: seed, random: r, crd: clone(seed.crd)}
	h.now, _ = time.Parse(time.RFC3339, seed.now)
	if r.IntN(2) == 0 {
		addVersion(r, h.crd)
	}
	versions, _ := at(h.crd, "spec", "versions").([]any)
	for _, v := range versions {
		if name, _ := at(v, "name").(string); name != "" {
			h.versions = append(h.versions, name)
		}
	}
	return h
}

// addVersion adds a version that is not stored. Its schema is another version's,
// or a mutation of it.
func addVersion(r *rand.Rand, crd tree) {
	spec, _ := crd["spec"].(tree)
	versions, _ := at(spec, "versions").([]any)
	if len(versions) == 0 {
		return
	}
	added, ok := clone(pick(r, versions)).(tree)
	if !ok {
		return // another mutation replaced the version
	}
	added["name"], added["storage"], added["served"] = pick(r, []string{"v9", "v9alpha1"}), false, true
	if r.IntN(3) == 0 {
		breakSchema(r, tree{"spec": tree{"versions": []any{added}}})
	}
	spec["versions"] = append(slices.Clone(versions), added)
}

// Next derives the next request. stored is the object in the cluster as JSON, or empty.
func (h *History) Next(stored string) Mutant {
	r := h.random
	h.now = h.now.Add(time.Second)
	operation := pick(r, firstOperations)
	if stored != "" {
		operation = pick(r, laterOperations)
	}
	m := Mutant{Seed: h.seed.Name, Change: "history " + operation, Scenario: playground.Scenario{
		CRD: render(h.crd, false), OldObject: stored, Now: h.now.Format(time.RFC3339), Operation: operation,
		FieldValidation: pick(r, []string{"", playground.FieldValidationWarn, playground.FieldValidationIgnore}),
		FieldManager:    pick(r, []string{"", "kubectl", "other"}),
	}}
	object := clone(h.seed.object)
	mutate(r, object, slices.Concat(objectMutations(h.seed.schema()), fieldMutations))
	switch operation {
	case playground.OperationApply, playground.OperationApplyStatus:
		m.Scenario.Force = r.IntN(3) == 0
		omitFields(r, object)
	case playground.OperationScale:
		m.Scenario.Replicas = int32(r.IntN(3))
	}
	h.identify(object)
	if operation == playground.OperationUpdate || operation == playground.OperationUpdateStatus {
		sendOwners(r, object, stored)
	}
	m.Scenario.Object = render(object, r.IntN(3) == 0)
	return m
}

// firstOperations and laterOperations list the operations of requests for an object that does
// not exist, and of later requests. Frequent ones are repeated.
var (
	firstOperations = []playground.Operation{playground.OperationApply, playground.OperationApply, playground.OperationCreate}
	laterOperations = []playground.Operation{
		playground.OperationApply, playground.OperationApply, playground.OperationApply, playground.OperationApply,
		playground.OperationUpdate, playground.OperationUpdate, playground.OperationUpdateStatus, playground.OperationUpdateStatus,
		playground.OperationApplyStatus, playground.OperationScale, playground.OperationDelete,
	}
)

// sendOwners adds the managedFields of the stored object to some updates, as clients do that
// change what they have read. Others reset them.
func sendOwners(r *rand.Rand, object tree, stored string) {
	var existing tree
	if json.Unmarshal([]byte(stored), &existing) != nil {
		return
	}
	metadata, ok := object["metadata"].(tree)
	switch n := r.IntN(6); {
	case !ok || n > 2:
	case n == 0:
		metadata["managedFields"] = []any{}
	default:
		metadata["managedFields"] = at(existing, "metadata", "managedFields")
	}
}

// omitFields removes some fields of an applied configuration: below spec if that is an
// object, otherwise at the root.
func omitFields(r *rand.Rand, object tree) {
	fields, ok := object["spec"].(tree)
	if !ok {
		fields = object
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if r.IntN(3) == 0 {
			delete(fields, name)
		}
	}
}

// identify gives an object the identity of the history's object, at a random version.
func (h *History) identify(object tree) {
	metadata, ok := object["metadata"].(tree)
	if !ok {
		metadata = tree{}
		object["metadata"] = metadata
	}
	original, _ := h.seed.object["metadata"].(tree)
	for _, name := range []string{"name", "namespace", "generateName"} {
		delete(metadata, name)
		if original[name] != nil {
			metadata[name] = original[name]
		}
	}
	if metadata["name"] == nil {
		metadata["name"] = "x"
	}
	object["kind"] = h.seed.object["kind"]
	apiVersion, _ := h.seed.object["apiVersion"].(string)
	group, _, _ := strings.Cut(apiVersion, "/")
	object["apiVersion"] = group + "/" + pick(h.random, h.versions)
}

// A CRDHistory derives successive requests for one CRD from a seed: server-side and client-side
// applies and updates of two managers, with and without force. Most of the requests are valid.
type CRDHistory struct {
	seed   Seed
	random *rand.Rand
	now    time.Time
}

// CRDHistory derives the history with the given number.
func (g *Generator) CRDHistory(i int) *CRDHistory {
	h := &CRDHistory{random: rand.New(rand.NewPCG(g.seed^0x2545f4914f6cdd1d, uint64(i)))}
	h.seed = pick(h.random, g.seeds)
	h.now, _ = time.Parse(time.RFC3339, h.seed.now)
	return h
}

// Next derives the next request. stored is the CRD in the cluster as JSON, or empty.
func (h *CRDHistory) Next(stored string) Mutant {
	r := h.random
	h.now = h.now.Add(time.Second)
	operations := []playground.CRDOperation{playground.CRDOperationApply, playground.CRDOperationClientApply}
	if stored == "" {
		operations = append(operations, playground.CRDOperationCreate)
	} else {
		operations = append(operations, operations[0], operations[1], playground.CRDOperationUpdate)
	}
	v := Revision{new: clone(h.seed.crd)}
	for range r.IntN(3) {
		v.change(r)
	}
	s := playground.Scenario{
		OldCRD: stored, CRDOperation: pick(r, operations), CRDStored: true, Now: h.now.Format(time.RFC3339),
		CRDFieldManager: pick(r, []string{"", "kubectl", "other"}), CRDForce: r.IntN(3) == 0,
	}
	if s.CRDOperation == playground.CRDOperationClientApply {
		s.CRDForce = false
	}
	metadata, isObject := v.new["metadata"].(tree)
	if isObject && r.IntN(3) == 0 {
		metadata[pick(r, []string{"labels", "annotations"})] = tree{pick(r, []string{"a", "b"}): pick(r, []any{"x", "y", nil})}
	}
	s.CRD = render(v.new, r.IntN(3) == 0)
	return Mutant{Seed: h.seed.Name, Change: "history of CRD " + string(s.CRDOperation), Scenario: s}
}

// extremes lists numbers at which conversions between numeric types lose precision,
// overflow or change the sign.
var extremes = []any{
	json.Number("-0.0"), json.Number("-0"), json.Number("9007199254740993"), json.Number("9223372036854775807"), json.Number("-9223372036854775808"),
	json.Number("9223372036854775808"), json.Number("-9223372036854775809"), json.Number("1e19"), json.Number("18446744073709551616"), json.Number("5e-324"), json.Number("0.1"),
}

// oddNames lists names of fields that messages and headers must escape, or that have a
// meaning at the root of an object.
var oddNames = []string{"\u00a0a", `b"c`, `d\e`, "f\tg", "h\ni", "\u0001", "\u200b", "\ufeff", "\u007f", "a[0]", "a b", "items", "a/b", "true", "1", "~"}
