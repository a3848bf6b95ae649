package procpool

import (
	"bufio"
	"context"
	"encoding/json"
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
	requests *bufio.Writer // to the input
	answers  *bufio.Reader
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
	widen(input)
	widen(output)
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start an evaluating process: %w", err)
	}
	return &child{command: command, input: input, requests: newFrameWriter(input), answers: newFrameReader(output)}, nil
}

// ask returns the data of an answer of the kind that is wanted.
func (c *child) ask(ctx context.Context, request frame, wanted kind) ([]byte, error) {
	stopKilling := context.AfterFunc(ctx, func() { _ = c.command.Process.Kill() })
	answer, err := c.exchange(request)
	if !stopKilling() {
		_ = c.end()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, c.failure(err)
	}
	switch answer.kind {
	case wanted:
		return answer.data, nil
	case tellInvalid:
		var invalid playground.InvalidScenarioError
		if err := json.Unmarshal(answer.data, &invalid); err != nil {
			return nil, fmt.Errorf("decode what another process says: %w", err)
		}
		return nil, &invalid
	case tellUnreadable:
		return nil, playground.ErrUnreadable
	}
	return nil, errors.New(string(answer.data))
}

func (c *child) exchange(request frame) (frame, error) {
	if err := request.write(c.requests); err != nil {
		return frame{}, err
	}
	return readFrame(c.answers)
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
