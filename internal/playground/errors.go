package playground

import "errors"

// ErrUnreadable reports that the JSON of a [Scenario] could not be decoded.
var ErrUnreadable = errors.New("the scenario is not readable")

// StoppedError reports that the evaluation of a [Scenario] was aborted because
// it exceeded its time or memory limit.
type StoppedError struct {
	// Reason completes the sentence "The evaluation was stopped: …", without a full
	// stop: "it took more than 20 s".

	Reason string
}

func (e *StoppedError) Error() string { return "the evaluation was stopped: " + e.Reason }
