package procpool

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"

	"github.com/crdlab/crdlab/internal/confine"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// MemoryLimit is the memory in bytes that the kernel permits a child; more ends the
	// child. The largest public CRDs need a tenth of it.
	MemoryLimit = 1 << 30

	// gcPercent makes a child collect garbage less often than by default, because
	// most of its memory is long-lived compiled CRDs. The memory limit bounds the heap.
	gcPercent = 400

	// maxStack limits the stack of each goroutine in bytes.
	maxStack = 256 << 20

	// maxKept is the memory in bytes above which a child ends after its reply. The
	// rest up to MemoryLimit is for the next request.
	maxKept = 700 << 20
)

// Render returns the body for a request.
type Render func(context.Context, playground.Request) ([]byte, error)

// Call calls the parent process during a request. name selects the operation, and body
// is its argument. Errors keep their type as in [Pool.Render].
type Call func(ctx context.Context, name string, body []byte) ([]byte, error)

// Serve runs a child process: it confines the process, reads requests and writes
// replies. Only with network may the process connect to other hosts. When the input is
// closed, it exits the process immediately, even during an evaluation. It returns after
// the last reply, or if a write fails.
func Serve(input, output *os.File, network bool, newRender func(Call) Render) error {
	missing, err := confine.Process(confine.Options{Memory: MemoryLimit, Network: network})
	if err != nil {
		return fmt.Errorf("confine the process: %w", err)
	}
	return serve(input, output, missing, newRender)
}

// serve is Serve in a process that is confined except for the missing mechanisms.
func serve(input, output *os.File, missing []string, newRender func(Call) Render) error {
	debug.SetMemoryLimit(MemoryLimit / 4 * 3)
	debug.SetGCPercent(gcPercent)
	debug.SetMaxStack(maxStack)
	requests, replies := make(chan frame), newFrameWriter(output)
	go readRequests(newFrameReader(useOneThread(input)), requests)
	if err := readyReply(missing).write(replies); err != nil {
		return fmt.Errorf("write a reply: %w", err)
	}
	render := newRender(func(_ context.Context, name string, body []byte) ([]byte, error) {
		if err := (frame{kind: replyCall, note: []byte(name), data: body}).write(replies); err != nil {
			return nil, fmt.Errorf("call the parent: %w", err)
		}
		return (<-requests).result()
	})
	for request := range requests {
		reply := render.reply(request)
		reply.isLast = reply.isLast || memoryInUse() > maxKept
		if err := reply.write(replies); err != nil {
			return fmt.Errorf("write a reply: %w", err)
		}
		if reply.isLast {
			return nil
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

// reply handles a request and converts errors and panics into replies. The reply to a
// panic is the last one, because the panic may have left data half-changed.
func (r Render) reply(request frame) (reply frame) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = failureReply(fmt.Sprintf("the engine panicked: %v\n%s", cause, debug.Stack()))
			reply.isLast = true
		}
	}()
	return replyWith(r.body(request))
}

func (r Render) body(f frame) ([]byte, error) {
	request := playground.Request{Task: playground.Task(f.kind), Body: f.data}
	if len(f.note) > 0 {
		request.Stopped = &playground.Stopped{}
		if err := json.Unmarshal(f.note, request.Stopped); err != nil {
			return nil, fmt.Errorf("decode a frame: %w", err)
		}
	}
	return r(context.Background(), request)
}

// readyReply returns the first reply of a child.
func readyReply(missing []string) frame {
	return frame{kind: replyReady, data: []byte(strings.Join(missing, ", "))}
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
