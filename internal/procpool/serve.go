package procpool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// MemoryLimit is the memory in bytes at which a child gives up. The largest
	// CRDs in public use need a tenth.
	MemoryLimit = 1 << 30

	// exitMemory is the exit code of a child that gave up.
	exitMemory = 42

	// memoryInterval is short against the time in which a gigabyte is filled.
	memoryInterval = 10 * time.Millisecond
)

// Serve is the life of a child: it answers the scenarios that it reads until
// the input ends. It does not return before, and ends the process at once, in
// the middle of an evaluation even, when the input is closed.
func Serve(input io.Reader, output io.Writer, evaluate func(context.Context, playground.Scenario) (playground.Report, error)) error {
	debug.SetMemoryLimit(MemoryLimit / 4 * 3)
	scenarios := make(chan playground.Scenario)
	go read(input, scenarios)
	for scenario := range scenarios {
		stop := watchMemory()
		answer := guarded(evaluate, scenario)
		stop()
		if err := encode(output, answer); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
	return nil
}

func read(input io.Reader, scenarios chan<- playground.Scenario) {
	decoder := json.NewDecoder(input)
	for {
		var scenario playground.Scenario
		if err := decoder.Decode(&scenario); err != nil {
			os.Exit(0)
		}
		scenarios <- scenario
	}
}

func guarded(evaluate func(context.Context, playground.Scenario) (playground.Report, error), scenario playground.Scenario) (result answer) {
	defer func() {
		if cause := recover(); cause != nil {
			result = answer{Failure: fmt.Sprintf("the engine panicked: %v\n%s", cause, debug.Stack())}
		}
	}()
	report, err := evaluate(context.Background(), scenario)
	var invalid *playground.InvalidScenarioError
	switch {
	case errors.As(err, &invalid):
		return answer{Invalid: invalid}
	case err != nil:
		return answer{Failure: err.Error()}
	}
	return answer{Report: &report}
}

// watchMemory ends the process when it takes too much, until it is stopped.
func watchMemory() (stop func()) {
	ticker := time.NewTicker(memoryInterval)
	done := make(chan struct{})
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				if memoryInUse() > MemoryLimit {
					os.Exit(exitMemory)
				}
			}
		}
	}()
	return func() { close(done) }
}

// memoryInUse is the memory in bytes that the process has of the system.
func memoryInUse() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
