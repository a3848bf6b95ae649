package playground

import "errors"

// ErrUnreadable says that a [Scenario] in JSON was not read, and not evaluated.
var ErrUnreadable = errors.New("the scenario is not readable")

// StoppedError says that the evaluation of a [Scenario] was ended because it
// needed more than one evaluation may have.
type StoppedError struct {
	// Reason goes with "The evaluation was ended: ", without a full stop.
	Reason string
}

func (e *StoppedError) Error() string { return "the evaluation was ended: " + e.Reason }
