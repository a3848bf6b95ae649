package playground

import "errors"

// ErrUnreadable says that a [Scenario] in JSON was not read, and not evaluated.
var ErrUnreadable = errors.New("the scenario is not readable")

// StoppedError says that the evaluation of a [Scenario] was ended because it
// took more time or memory than one evaluation may.
type StoppedError struct {
	// Reason goes with "The evaluation was ended: ", without a full stop: "it took
	// more than 20 s".
	Reason string
}

func (e *StoppedError) Error() string { return "the evaluation was ended: " + e.Reason }
