package mutant

import (
	"context"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Compare starts a comparison of the CRD of a scenario with its mutants. It returns nil if an API server cannot
// serve the CRD.
type Compare func(context.Context, playground.Scenario) (Try, error)

// A Try returns a trial of a mutant of the CRD, or nil if an API server does not accept the mutant. It judges the
// estimated cost of a rule only if the mutant may change it, apart from limits that change by one. It is not used
// concurrently, and its trials end with the next call.
type Try func(context.Context, Mutant) (*Trial, error)

// A Trial is a mutant of a CRD with an API server that serves it.
type Trial struct {
	// Evaluate evaluates scenarios with the mutant in place of the CRD.
	Evaluate playground.Evaluate
	// Tell returns an object that the CRD and the mutant treat differently, or nil if it finds none.
	Tell func(context.Context) (*Telling, error)
}

// A Telling is an object that a CRD and a mutant of it treat differently.
type Telling struct {
	playground.Witness
	// Accepted reports that the CRD accepts the object. Otherwise, Message is the error under the CRD. The mutant accepts
	// the object then, or refuses it with the error Other.
	Accepted bool
	Other    string
	// Old is the object before an update to Object, as YAML; empty if Object is created.
	Old string
	// Status reports that the request updates the status of the object, which had none.
	Status bool
}
