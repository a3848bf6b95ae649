package procpool

import (
	"context"
	"encoding/gob"
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

	// gcPercent lets a child collect garbage less often than Go does by default:
	// most of what it holds are compiled CRDs, which stay. The memory limit keeps
	// it from growing.
	gcPercent = 400

	// exitMemory is the exit code of a child that gave up.
	exitMemory = 42

	// memoryInterval is short against the time in which a gigabyte is filled.
	memoryInterval = 10 * time.Millisecond
)

// Engine is what a child has to answer with.
type Engine struct {
	Evaluate func(context.Context, playground.Scenario) (playground.Report, error)
	Help     func(context.Context, playground.Question) (playground.Help, error)
}

// Serve is the life of a child: it answers the requests that it reads until
// the input ends. It does not return before, and ends the process at once, in
// the middle of an evaluation even, when the input is closed.
func Serve(input io.Reader, output io.Writer, engine Engine) error {
	debug.SetMemoryLimit(MemoryLimit / 4 * 3)
	debug.SetGCPercent(gcPercent)
	requests, answers := make(chan request), gob.NewEncoder(output)
	go read(input, requests)
	for r := range requests {
		stop := watchMemory()
		answer := guarded(engine, r)
		stop()
		if err := answers.Encode(answer); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
	return nil
}

func read(input io.Reader, requests chan<- request) {
	decoder := gob.NewDecoder(input)
	for {
		var r request
		if err := decoder.Decode(&r); err != nil {
			os.Exit(0)
		}
		requests <- r
	}
}

func guarded(engine Engine, r request) (result answer) {
	defer func() {
		if cause := recover(); cause != nil {
			result = answer{Failure: fmt.Sprintf("the engine panicked: %v\n%s", cause, debug.Stack())}
		}
	}()
	result, err := engine.answer(r)
	var invalid *playground.InvalidScenarioError
	switch {
	case errors.As(err, &invalid):
		return answer{Invalid: invalid}
	case err != nil:
		return answer{Failure: err.Error()}
	}
	return result
}

func (e Engine) answer(r request) (answer, error) {
	switch {
	case r.Scenario != nil:
		report, err := e.Evaluate(context.Background(), *r.Scenario)
		if err != nil {
			return answer{}, err
		}
		data, err := encode(report)
		return answer{Report: data}, err
	case r.Question != nil:
		question, err := decode[playground.Question](r.Question)
		if err != nil {
			return answer{}, err
		}
		help, err := e.Help(context.Background(), question)
		if err != nil {
			return answer{}, err
		}
		data, err := encode(help)
		return answer{Help: data}, err
	}
	return answer{}, errors.New("the request is empty")
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
