// Package procpool runs the engine in child processes. An evaluation that
// takes too long or too much memory is ended there, without touching others:
// nothing else stops a CEL expression or a pattern that builds gigabytes.
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

// Pool keeps child processes that are ready to evaluate. It starts as many as
// are used at a time; those who use it bound that number.
type Pool struct {
	command func() *exec.Cmd

	mu     sync.Mutex
	idle   []*child
	closed bool
}

// New returns a pool whose children are started by the command, which has to
// call [Serve] with its standard input and output.
func New(command func() *exec.Cmd) *Pool {
	return &Pool{command: command}
}

// Evaluate has a child evaluate the scenario. When the context is done, the
// child is killed and the error is the context's. An evaluation that was ended
// for its memory is a [playground.StoppedError].
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

// EvaluateJSON does the same with a scenario as JSON, which it leaves to the child,
// and returns the report as the child wrote it. The child is stricter than
// encoding/json: what it does not read is [playground.ErrUnreadable].
func (p *Pool) EvaluateJSON(ctx context.Context, scenario []byte) (json.RawMessage, error) {
	return p.ask(ctx, frame{askScenario, scenario}, tellReport)
}

// Help has a child answer the question, as Evaluate does.
func (p *Pool) Help(ctx context.Context, question playground.Question) (playground.Help, error) {
	data, err := encode(question)
	if err != nil {
		return playground.Help{}, err
	}
	if data, err = p.ask(ctx, frame{askQuestion, data}, tellHelp); err != nil {
		return playground.Help{}, err
	}
	return decode[playground.Help](data)
}

func (p *Pool) ask(ctx context.Context, request frame, wanted kind) ([]byte, error) {
	child, err := p.take()
	if err != nil {
		return nil, err
	}
	answer, err := child.ask(ctx, request, wanted)
	p.put(child)
	return answer, err
}

// Close ends the idle children, and the others as soon as they have answered.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, child := range p.idle {
		_ = child.end()
	}
	p.idle = nil
}

// take prefers the child that was used last: it is the one that most probably
// has compiled the CRD before.
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

// encode is a value as JSON, with a line break behind it.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode for another process: %w", err)
	}
	return out.Bytes(), nil
}

func decode[Value any](data []byte) (value Value, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	// Table cells are of any type: as json.Number they keep all their digits.
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return value, fmt.Errorf("decode what another process says: %w", err)
	}
	return value, nil
}
