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

// child is a process that handles one request at a time.
type child struct {
	command  *exec.Cmd
	input    io.WriteCloser
	requests *bufio.Writer // writes to input
	replies  *bufio.Reader
	ended    bool
}

func startChild(command *exec.Cmd) (*child, error) {
	input, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a child process: %w", err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a child process: %w", err)
	}
	growPipe(input)
	growPipe(output)
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start a child process: %w", err)
	}
	return &child{command: command, input: input, requests: newFrameWriter(input), replies: newFrameReader(output)}, nil
}

// call sends a request and returns the data of a reply of the wanted kind. It kills
// the child when the context is done.
func (c *child) call(ctx context.Context, request frame, wanted kind) ([]byte, error) {
	stopKilling := context.AfterFunc(ctx, func() { _ = c.command.Process.Kill() })
	reply, err := c.exchange(request)
	if !stopKilling() {
		_ = c.end()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, c.failure(err)
	}
	switch reply.kind {
	case wanted:
		return reply.data, nil
	case replyInvalid:
		var invalid playground.InvalidScenarioError
		if err := json.Unmarshal(reply.data, &invalid); err != nil {
			return nil, fmt.Errorf("decode a frame: %w", err)
		}
		return nil, &invalid
	case replyUnreadable:
		return nil, playground.ErrUnreadable
	}
	return nil, errors.New(string(reply.data))
}

func (c *child) exchange(request frame) (frame, error) {
	if err := request.write(c.requests); err != nil {
		return frame{}, err
	}
	return readFrame(c.replies)
}

// failure ends a child that did not reply and returns the reason.
func (c *child) failure(cause error) error {
	_ = c.command.Process.Kill()
	exitErr := c.end()
	var exit *exec.ExitError
	if errors.As(exitErr, &exit) && exit.ExitCode() == exitMemory {
		return &playground.StoppedError{Reason: fmt.Sprintf("it took more than %d MiB of memory", MemoryLimit>>20)}
	}
	return fmt.Errorf("the child process ended (%v): %w", exitErr, cause)
}

// end closes the child's input, which makes it exit, and waits for it.
func (c *child) end() error {
	c.ended = true
	_ = c.input.Close()
	return c.command.Wait()
}
