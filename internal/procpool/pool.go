// Package procpool runs the engine in child processes, so that an evaluation can be
// killed when it exceeds its time or memory limit. Go offers no other way to stop a
// CEL expression or a regular expression that allocates gigabytes.
package procpool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"sync"

	"github.com/crdlab/crdlab/internal/playground"
)

// Pool holds idle child processes. It starts a child for each concurrent call, so its
// callers must limit concurrency.
type Pool struct {
	command func() *exec.Cmd
	size    int
	log     *slog.Logger
	warn    sync.Once
	answer  Call

	mu      sync.Mutex
	idle    []*child // the one that was used last is at the end
	running int      // children that are not idle
	closed  bool
}

// New returns a pool of children that command starts. A child must call [Serve] with
// its standard input and output. A client that has no child gets a new one while the
// pool has fewer than size children.
func New(command func() *exec.Cmd, size int) *Pool {
	return &Pool{command: command, size: size, log: slog.New(slog.DiscardHandler), answer: func(context.Context, string, []byte) ([]byte, error) {
		return nil, errors.New("the pool answers no calls")
	}}
}

// LogTo sets the log for a warning if the kernel cannot confine the children. It must
// precede the requests.
func (p *Pool) LogTo(log *slog.Logger) { p.log = log }

// AnswerCalls sets the function for the calls of the children. It must precede the
// requests.
func (p *Pool) AnswerCalls(answer Call) { p.answer = answer }

// Render returns the body for a request from a child. When the context is done, it kills
// the child and returns the context's error. If the child exhausts its memory, the error
// is a [playground.StoppedError]. It passes on the errors of the function in [Serve].
func (p *Pool) Render(ctx context.Context, request playground.Request) ([]byte, error) {
	f := frame{kind: kind(request.Task), data: request.Body}
	if request.Stopped != nil {
		note, err := json.Marshal(request.Stopped)
		if err != nil {
			return nil, fmt.Errorf("encode a frame: %w", err)
		}
		f.note = note
	}
	child, err := p.take(request.Client)
	if err != nil {
		return nil, err
	}
	body, err := child.call(ctx, f, p.answer)
	if child.unconfined != "" {
		p.warn.Do(func() {
			p.log.WarnContext(ctx, "the child processes have more rights than necessary, because the kernel lacks mechanisms", "missing", child.unconfined)
		})
	}
	p.put(child)
	return body, err
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

// take returns a child for the client.
func (p *Pool) take(client string) (*child, error) {
	taken := p.takeIdle(client)
	if taken == nil {
		started, err := startChild(p.command())
		if err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.running--
			return nil, err
		}
		taken = started
	}
	taken.client = client
	return taken, nil
}

// takeIdle returns the child that last served the client, because it most likely has
// the compiled CRD in its cache. If there is no such child, takeIdle returns nil, or, in
// a full pool, the child that has been idle for the longest time. So the caches of
// the other clients remain.
func (p *Pool) takeIdle(client string) *child {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, (*child).hasEnded)
	i := slices.IndexFunc(p.idle, func(c *child) bool { return c.client == client })
	if i < 0 && len(p.idle) > 0 && len(p.idle)+p.running >= p.size {
		i = 0
	}
	p.running++
	if i < 0 {
		return nil
	}
	taken := p.idle[i]
	p.idle = slices.Delete(p.idle, i, i+1)
	return taken
}

func (p *Pool) put(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	if c.ended {
		return
	}
	if p.closed {
		_ = c.end()
		return
	}
	p.idle = append(p.idle, c)
}
