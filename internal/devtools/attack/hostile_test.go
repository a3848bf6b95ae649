//go:build linux

package attack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// errRefused is the error of a hostile request that the server refused.
var errRefused = errors.New("refused")

// attack runs hostile connections.
type attack struct {
	connections           sync.WaitGroup
	numbers               atomic.Int64
	done, refused, broken atomic.Int64
}

// startAttack runs n hostile connections until the context is done.
func startAttack(ctx context.Context, n int, connection func(ctx context.Context, number int) error) *attack {
	a := &attack{}
	for range n {
		a.connections.Go(func() {
			for ctx.Err() == nil {
				a.count(ctx, connection(ctx, int(a.numbers.Add(1))))
			}
		})
	}
	return a
}

// refusalPause is the time that a hostile client waits after a refusal. Without it,
// this program would need the processors that the server should have.
const refusalPause = 20 * time.Millisecond

func (a *attack) count(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err == nil:
		a.done.Add(1)
	case errors.Is(err, errRefused):
		a.refused.Add(1)
		pause(ctx, refusalPause)
	default:
		a.broken.Add(1)
		pause(ctx, refusalPause)
	}
}

func (a *attack) wait() { a.connections.Wait() }

func (a *attack) String() string {
	return fmt.Sprintf("%d done, %d refused, %d broken off", a.done.Load(), a.refused.Load(), a.broken.Load())
}

// posting returns a connection that posts bodies to a path.
func posting(c *client, url string, body func(number int) []byte) func(context.Context, int) error {
	return func(ctx context.Context, number int) error {
		status, _, err := c.post(ctx, url, body(number))
		return outcome(status, err)
	}
}

// getting returns a connection that gets the addresses in turn.
func getting(c *client, urls []string) func(context.Context, int) error {
	return func(ctx context.Context, number int) error {
		status, _, err := c.get(ctx, urls[number%len(urls)])
		return outcome(status, err)
	}
}

func outcome(status int, err error) error {
	if err == nil && status >= 400 {
		return errRefused
	}
	return err
}

// pause waits until the context is done.
func pause(ctx context.Context, duration time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(duration):
	}
}
