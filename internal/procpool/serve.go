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
	// MemoryLimit is the memory in bytes at which a child exits. The largest public
	// CRDs need a tenth of it.
	MemoryLimit = 1 << 30

	// gcPercent makes a child collect garbage less often than by default, because
	// most of its memory is long-lived compiled CRDs. The memory limit bounds the heap.
	gcPercent = 400

	// exitMemory is the exit code of a child that exceeded MemoryLimit.
	exitMemory = 42

	// memoryInterval is the interval between memory checks. It is much shorter than
	// the time needed to fill MemoryLimit.
	memoryInterval = 10 * time.Millisecond
)

// Engine holds the functions that a child executes.
type Engine struct {
	Evaluate func(context.Context, playground.Scenario) (playground.Report, error)
	Help     func(context.Context, playground.AssistRequest) (playground.AssistResponse, error)
}

// Serve runs a child process: it reads requests and writes replies. When the input
// is closed, it exits the process immediately, even during an evaluation. It returns
// only if a write fails.
func Serve(input, output *os.File, engine Engine) error {
	debug.SetMemoryLimit(MemoryLimit / 4 * 3)
	debug.SetGCPercent(gcPercent)
	requests, replies := make(chan frame), newFrameWriter(output)
	go readRequests(newFrameReader(useOneThread(input)), requests)
	s := server{engine, newScenarioReader(), newReportWriter()}
	for request := range requests {
		stop := watchMemory()
		reply := s.reply(request)
		stop()
		if err := reply.write(replies); err != nil {
			return fmt.Errorf("write a reply: %w", err)
		}
	}
	return nil
}

// readRequests exits the process at the end of the input.
func readRequests(input *bufio.Reader, requests chan<- frame) {
	for {
		request, err := readFrame(input)
		if err != nil {
			os.Exit(0)
		}
		requests <- request
	}
}

// server handles requests sequentially.
type server struct {
	engine    Engine
	scenarios *scenarioReader
	reports   *reportWriter
}

// reply handles a request and converts errors and panics into replies.
func (s server) reply(request frame) (reply frame) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = frame{replyFailure, fmt.Appendf(nil, "the engine panicked: %v\n%s", cause, debug.Stack())}
		}
	}()
	reply, err := s.handle(request)
	if invalid, ok := errors.AsType[*playground.InvalidScenarioError](err); ok {
		reply.kind = replyInvalid
		reply.data, err = encode(invalid)
	}
	switch {
	case errors.Is(err, playground.ErrUnreadable):
		return frame{kind: replyUnreadable}
	case err != nil:
		return frame{replyFailure, []byte(err.Error())}
	}
	return reply
}

func (s server) handle(request frame) (frame, error) {
	switch request.kind {
	case requestEvaluation:
		report, err := s.evaluate(request.data)
		return frame{replyReport, report}, err
	case requestAssist:
		help, err := s.help(request.data)
		return frame{replyHelp, help}, err
	}
	return frame{}, fmt.Errorf("unknown request kind %d", request.kind)
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
	question, err := decode[playground.AssistRequest](data)
	if err != nil {
		return nil, err
	}
	help, err := s.engine.Help(context.Background(), question)
	if err != nil {
		return nil, err
	}
	return encode(help)
}

// watchMemory exits the process when it exceeds MemoryLimit, until stop is called.
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

// memoryInUse returns the memory in bytes that the Go runtime holds.
func memoryInUse() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
