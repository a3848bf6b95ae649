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
	data, err := p.EvaluateJSON(ctx, scenario)
	if err != nil {
		return playground.Report{}, err
	}
	return decode[playground.Report](data)
}

// EvaluateJSON does the same and returns the report as JSON, as the child wrote
// it.
func (p *Pool) EvaluateJSON(ctx context.Context, scenario playground.Scenario) (json.RawMessage, error) {
	got, err := p.ask(ctx, request{Scenario: &scenario})
	return got.Report, err
}

// Help has a child answer the question, as Evaluate does.
func (p *Pool) Help(ctx context.Context, question playground.Question) (playground.Help, error) {
	data, err := encode(question)
	if err != nil {
		return playground.Help{}, err
	}
	got, err := p.ask(ctx, request{Question: data})
	if err != nil {
		return playground.Help{}, err
	}
	return decode[playground.Help](got.Help)
}

// ask returns an answer with the field for what was asked.
func (p *Pool) ask(ctx context.Context, r request) (answer, error) {
	child, err := p.take()
	if err != nil {
		return answer{}, err
	}
	got, err := child.ask(ctx, r)
	p.put(child)
	return got, err
}

// Close ends the idle children, and the others as soon as they have answered.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, child := range p.idle {
		child.end()
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
		c.end()
		return
	}
	p.idle = append(p.idle, c)
}

// request is what a child reads, in the encoding of package gob, which leaves
// large texts as they are; one of its fields is set.
type request struct {
	Scenario *playground.Scenario
	Question json.RawMessage
}

// answer is what a child writes for each request; one of its fields is set.
// Only JSON keeps apart all that is in a report; the parent mostly hands it on.
type answer struct {
	Report, Help json.RawMessage
	Invalid      *playground.InvalidScenarioError
	Failure      string
}

// encode is a value as JSON, with a line break behind it.
func encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode for another process: %w", err)
	}
	return out.Bytes(), nil
}

func decode[Value any](data json.RawMessage) (value Value, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	// Table cells are of any type: as json.Number they keep all their digits.
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return value, fmt.Errorf("decode what another process says: %w", err)
	}
	return value, nil
}
