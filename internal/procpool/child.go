package procpool

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/crdlab/crdlab/internal/playground"
)

// child is a process that answers one request at a time.
type child struct {
	command  *exec.Cmd
	input    io.WriteCloser
	requests *gob.Encoder // to the input
	answers  *gob.Decoder
	ended    bool
}

func startChild(command *exec.Cmd) (*child, error) {
	input, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start an evaluating process: %w", err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start an evaluating process: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start an evaluating process: %w", err)
	}
	return &child{command: command, input: input, requests: gob.NewEncoder(input), answers: gob.NewDecoder(output)}, nil
}

func (c *child) ask(ctx context.Context, r request) (answer, error) {
	stopKilling := context.AfterFunc(ctx, func() { _ = c.command.Process.Kill() })
	var got answer
	err := c.requests.Encode(r)
	if err == nil {
		err = c.answers.Decode(&got)
	}
	if !stopKilling() {
		c.end()
		return answer{}, ctx.Err()
	}
	if err != nil {
		return answer{}, c.failure(err)
	}
	switch {
	case got.Report != nil || got.Help != nil:
		return got, nil
	case got.Invalid != nil:
		return answer{}, got.Invalid
	}
	return answer{}, errors.New(got.Failure)
}

// failure is why a child did not answer. It has ended then, or is no use.
func (c *child) failure(cause error) error {
	_ = c.command.Process.Kill()
	ended := c.end()
	var exit *exec.ExitError
	if errors.As(ended, &exit) && exit.ExitCode() == exitMemory {
		return &playground.StoppedError{Reason: fmt.Sprintf("it took more than %d MiB of memory", MemoryLimit>>20)}
	}
	return fmt.Errorf("the evaluating process ended (%v): %w", ended, cause)
}

// end lets the child finish; it does when its input is closed.
func (c *child) end() error {
	c.ended = true
	_ = c.input.Close()
	return c.command.Wait()
}
