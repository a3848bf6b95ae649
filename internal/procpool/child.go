package procpool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// child is a process that handles one request at a time.
type child struct {
	client   string // that it served last
	command  *exec.Cmd
	input    io.WriteCloser
	requests *bufio.Writer // writes to input
	replies  *bufio.Reader
	stderr   *stderr
	isReady  bool
	// unconfined names the mechanisms that the kernel lacks to confine the child.
	unconfined string
	ended      bool
}

// exitTimeout limits the wait for the rest of a child's output after its end.
const exitTimeout = 5 * time.Second

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
	messages := &stderr{}
	command.Stderr = messages
	command.WaitDelay = exitTimeout
	endWithParent(command)
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start a child process: %w", err)
	}
	return &child{command: command, input: input, requests: newFrameWriter(input), replies: newFrameReader(output), stderr: messages}, nil
}

// call sends a request and returns the body of the reply. It kills the child when the
// context is done. The calls of the child go to answer.
func (c *child) call(ctx context.Context, request frame, answer Call) ([]byte, error) {
	stopKilling := context.AfterFunc(ctx, func() { _ = c.command.Process.Kill() })
	reply, err := c.exchange(ctx, request, answer)
	if !stopKilling() {
		_ = c.end()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, c.failure(err)
	}
	if reply.isLast {
		c.ended = true
		// A large process exits slowly.
		go func() { _ = c.release() }()
	}
	return reply.result()
}

func (c *child) exchange(ctx context.Context, request frame, answer Call) (frame, error) {
	if err := request.write(c.requests); err != nil {
		return frame{}, err
	}
	if !c.isReady {
		ready, err := readFrame(c.replies)
		if err != nil {
			return frame{}, err
		}
		c.isReady, c.unconfined = true, string(ready.data)
	}
	for {
		reply, err := readFrame(c.replies)
		if err != nil || reply.kind != replyCall {
			return reply, err
		}
		if err := replyWith(answer(ctx, string(reply.note), reply.data)).write(c.requests); err != nil {
			return frame{}, err
		}
	}
}

// failure ends a child that did not reply and returns the reason.
func (c *child) failure(cause error) error {
	exitErr := c.end()
	hasEnded := errors.Is(cause, io.EOF) || errors.Is(cause, io.ErrUnexpectedEOF) || errors.Is(cause, syscall.EPIPE)
	if reason := c.stderr.exhausted(); reason != "" {
		return &playground.StoppedError{Reason: reason}
	}
	if hasEnded && isKilled(c.command.ProcessState) {
		return &playground.StoppedError{Reason: "the server ran out of memory"}
	}
	return fmt.Errorf("the child process ended (%v): %w\n%s", exitErr, cause, c.stderr.contents())
}

// hasEnded reports whether an idle child has ended, for example because the kernel
// killed it, and releases its resources.
func (c *child) hasEnded() bool {
	if hasExited(c.command.Process) {
		_ = c.end()
	}
	return c.ended
}

// end ends the child, waits for it, and returns its exit status as an error.
func (c *child) end() error {
	c.ended = true
	return c.release()
}

// release kills the child and waits for it. A child that has ended keeps its status.
func (c *child) release() error {
	_ = c.command.Process.Kill()
	_ = c.input.Close()
	return c.command.Wait()
}
