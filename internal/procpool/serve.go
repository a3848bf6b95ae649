package procpool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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
func Serve(input, output *os.File, engine Engine) error {
	debug.SetMemoryLimit(MemoryLimit / 4 * 3)
	debug.SetGCPercent(gcPercent)
	requests, answers := make(chan frame), newFrameWriter(output)
	go read(newFrameReader(onOneThread(input)), requests)
	s := server{engine, newScenarios(), newReports()}
	for request := range requests {
		stop := watchMemory()
		answer := s.guarded(request)
		stop()
		if err := answer.write(answers); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
	return nil
}

func read(input *bufio.Reader, requests chan<- frame) {
	for {
		request, err := readFrame(input)
		if err != nil {
			os.Exit(0)
		}
		requests <- request
	}
}

// server answers one request after another.
type server struct {
	engine    Engine
	scenarios *scenarios
	reports   *reports
}

func (s server) guarded(request frame) (answer frame) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = frame{tellFailure, fmt.Appendf(nil, "the engine panicked: %v\n%s", cause, debug.Stack())}
		}
	}()
	answer, err := s.answer(request)
	if invalid, ok := errors.AsType[*playground.InvalidScenarioError](err); ok {
		answer.kind = tellInvalid
		answer.data, err = encode(invalid)
	}
	switch {
	case errors.Is(err, playground.ErrUnreadable):
		return frame{kind: tellUnreadable}
	case err != nil:
		return frame{tellFailure, []byte(err.Error())}
	}
	return answer
}

func (s server) answer(request frame) (frame, error) {
	switch request.kind {
	case askScenario:
		report, err := s.evaluate(request.data)
		return frame{tellReport, report}, err
	case askQuestion:
		help, err := s.help(request.data)
		return frame{tellHelp, help}, err
	}
	return frame{}, fmt.Errorf("a request of the unknown kind %d", request.kind)
}

func (s server) evaluate(data []byte) ([]byte, error) {
	scenario, err := s.scenarios.read(data)
	if err != nil {
		return nil, err
	}
	report, err := s.engine.Evaluate(context.Background(), scenario)
	if err != nil {
		return nil, err
	}
	return s.reports.write(report)
}

func (s server) help(data []byte) ([]byte, error) {
	question, err := decode[playground.Question](data)
	if err != nil {
		return nil, err
	}
	help, err := s.engine.Help(context.Background(), question)
	if err != nil {
		return nil, err
	}
	return encode(help)
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
