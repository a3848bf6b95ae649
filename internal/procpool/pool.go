// Package procpool runs the engine in child processes, so that an evaluation can be
// killed when it exceeds its time or memory limit. Go offers no other way to stop a
// CEL expression or a regular expression that allocates gigabytes.
package procpool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"sync"

	"github.com/crdlab/crdlab/internal/playground"
)

// Pool holds idle child processes. It starts a child for each concurrent call, so its
// callers must limit concurrency.
type Pool struct {
	command func() *exec.Cmd

	mu     sync.Mutex
	idle   []*child
	closed bool
}

// New returns a pool of children that command starts. A child must call [Serve] with
// its standard input and output.
func New(command func() *exec.Cmd) *Pool {
	return &Pool{command: command}
}

// Evaluate evaluates the scenario in a child. When the context is done, it kills the
// child and returns the context's error. If the child exceeds [MemoryLimit], the
// error is a [playground.StoppedError].
func (p *Pool) Evaluate(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
	data, err := encode(scenario)
	if err != nil {
		return playground.Report{}, err
	}
	if data, err = p.EvaluateJSON(ctx, data); err != nil {
		return playground.Report{}, err
	}
	return decode[playground.Report](data)
}

// EvaluateJSON evaluates a scenario in JSON and returns the report in JSON, without
// decoding either in this process. The child is stricter than encoding/json: for JSON
// that it rejects, the error is [playground.ErrUnreadable].
func (p *Pool) EvaluateJSON(ctx context.Context, scenario []byte) (json.RawMessage, error) {
	return p.call(ctx, frame{requestEvaluation, scenario}, replyReport)
}

// Help handles an assist request in a child, with the same errors as Evaluate.
func (p *Pool) Help(ctx context.Context, question playground.AssistRequest) (playground.AssistResponse, error) {
	data, err := encode(question)
	if err != nil {
		return playground.AssistResponse{}, err
	}
	if data, err = p.call(ctx, frame{requestAssist, data}, replyHelp); err != nil {
		return playground.AssistResponse{}, err
	}
	return decode[playground.AssistResponse](data)
}

func (p *Pool) call(ctx context.Context, request frame, wanted kind) ([]byte, error) {
	child, err := p.take()
	if err != nil {
		return nil, err
	}
	reply, err := child.call(ctx, request, wanted)
	p.put(child)
	return reply, err
}

// Close ends the idle children immediately and busy children after their reply.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, child := range p.idle {
		_ = child.end()
	}
	p.idle = nil
}

// take prefers the most recently used child, which most likely has the compiled CRD
// in its cache.
func (p *Pool) take() (*child, error) {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		child := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		return child, nil
	}
	p.mu.Unlock()
	return startChild(p.command())
}

func (p *Pool) put(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.ended {
		return
	}
	if p.closed {
		_ = c.end()
		return
	}
	p.idle = append(p.idle, c)
}

// encode encodes a value without HTML escapes and appends a line feed.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode a frame: %w", err)
	}
	return out.Bytes(), nil
}

func decode[Value any](data []byte) (value Value, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	// Table cells have any type. json.Number preserves all digits of their numbers.
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return value, fmt.Errorf("decode a frame: %w", err)
	}
	return value, nil
}
