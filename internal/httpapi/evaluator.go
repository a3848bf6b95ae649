package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/crdlab/crdlab/internal/fairqueue"
	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// minSlots is the least number of concurrent evaluations. With two, one of them is
	// free for other clients when one client sends only expensive scenarios.
	minSlots = 2
	// maxWaiting limits the waiting requests of all clients together.
	maxWaiting = 256
	// maxClientWaiting limits the waiting requests of one client. A page sends one
	// evaluation and a few assist requests at a time.
	maxClientWaiting = 16
)

// DefaultEvaluations returns the number of concurrent evaluations of a server without
// the setting [Config.Evaluations].
func DefaultEvaluations() int { return max(runtime.GOMAXPROCS(0), minSlots) }

// stoppedTimeout limits the time for the description of a stopped evaluation, including
// the start of a child process.
const stoppedTimeout = 5 * time.Second

// evaluator runs the engine with limited concurrency, a bounded queue that treats
// clients fairly, and a timeout.
type evaluator struct {
	engine  Engine
	timeout time.Duration
	queue   *fairqueue.Queue[netip.Prefix]
	// rates charges clients for the time of their evaluations.
	rates *rateLimits
	// stopped limits the concurrent requests of runStopped to one.
	stopped chan struct{}
}

func newEvaluator(config Config, rates *rateLimits) *evaluator {
	slots, timeout := config.Evaluations, config.EvaluationTimeout
	if slots <= 0 {
		slots = DefaultEvaluations()
	}
	if timeout <= 0 {
		timeout = EvaluationTimeout
	}
	return &evaluator{
		engine:  config.Engine,
		timeout: timeout,
		queue:   fairqueue.New[netip.Prefix](queueLimits(max(slots, minSlots), rates != nil)),
		rates:   rates,
		stopped: make(chan struct{}, 1),
	}
}

// queueLimits returns the limits of the queue. Half of the slots are available to
// any client. Of the others, each client gets one at a time.
func queueLimits(slots int, perClient bool) fairqueue.Limits {
	if !perClient {
		return fairqueue.Limits{Slots: slots, Shared: slots, Waiting: maxWaiting, ClientWaiting: maxWaiting}
	}
	return fairqueue.Limits{Slots: slots, Shared: slots / 2, Waiting: maxWaiting, ClientWaiting: maxClientWaiting}
}

// job is a request for the engine that needs a slot.
type job struct {
	request playground.Request
	// limit is the time limit of the evaluation, and of the wait for a slot. 0 means
	// the limit of the evaluator, which is also the maximum.
	limit time.Duration
	// begin is called when the job has a slot. If it returns an error, the job ends. It
	// may be nil.
	begin func() error
}

// run waits for a slot and returns the body for a job. It fails with a busy problem if
// the queue is full, or if no slot becomes free within the limit. An evaluation that
// exceeds the limit fails with a problem, but occupies its slot until the engine returns.
// The client is charged for the time that it occupies the slot.
func (e *evaluator) run(ctx context.Context, j job) ([]byte, error) {
	limit := e.timeout
	if j.limit > 0 {
		limit = min(limit, j.limit)
	}
	release, err := e.acquire(ctx, limit)
	if err != nil {
		return nil, err
	}
	if j.begin != nil {
		if err := j.begin(); err != nil {
			release()
			return nil, err
		}
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	type result struct {
		body []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		body, err := e.call(ctx, j.request)
		// The client's next request finds the slot free and the time charged.
		release()
		done <- result{body, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil {
			return nil, contextProblem(ctx, start)
		}
		return r.body, r.err
	case <-ctx.Done():
		return nil, contextProblem(ctx, start)
	}
}

// runStopped returns the body for a request that describes the end of an evaluation. It
// is quick and does not wait in the queue again.
func (e *evaluator) runStopped(ctx context.Context, request playground.Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stoppedTimeout)
	defer cancel()
	select {
	case e.stopped <- struct{}{}:
		defer func() { <-e.stopped }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return e.call(ctx, request)
}

// call calls the engine for the client of the context.
func (e *evaluator) call(ctx context.Context, request playground.Request) ([]byte, error) {
	request.Client = clientNetwork(ctx).String()
	return callRecovering(ctx, e.engine, request)
}

// acquire waits for a slot, at most for the limit. The returned function releases it and
// charges the client.
func (e *evaluator) acquire(ctx context.Context, limit time.Duration) (release func(), err error) {
	client := clientNetwork(ctx)
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	free, err := e.queue.Acquire(waiting, client, e.rates.isHeavy(client, time.Now()))
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, busy(err)
	}
	// The body is in the child, or waits for it. At most one body per slot does.
	releaseBody(ctx)
	start := time.Now()
	return func() {
		now := time.Now()
		e.rates.charge(client, now, now.Sub(start))
		free()
	}, nil
}

// refuseWhenFull refuses requests that would find the queue full, before the server
// reads their bodies.
func (s *Server) refuseWhenFull(next http.Handler) http.Handler {
	return s.handler(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.evaluator.queue.Full(clientNetwork(r.Context())); err != nil {
			s.slowDown(r)
			return busy(err)
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// busy returns the problem for an error of the queue.
func busy(cause error) error {
	if errors.Is(cause, fairqueue.ErrClientFull) {
		return &problem{kind: kindBusy, detail: "Too many of your requests are waiting. Try again when some of them have finished.", cause: cause}
	}
	return &problem{kind: kindBusy, detail: "The server is busy with other evaluations. Try again in a moment.", cause: cause}
}

// callRecovering calls the engine and converts a panic into an error.
func callRecovering(ctx context.Context, engine Engine, request playground.Request) (body []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the engine panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	return engine(ctx, request)
}

// contextProblem returns the error for work whose context is done. A timeout
// becomes a problem that states the time limit counted from start.
func contextProblem(ctx context.Context, start time.Time) error {
	if ctx.Err() != context.DeadlineExceeded {
		return ctx.Err()
	}
	deadline, _ := ctx.Deadline()
	seconds := deadline.Sub(start).Round(10 * time.Millisecond).Seconds()
	return &problem{
		kind:   kindEvalTimedOut,
		detail: fmt.Sprintf("The evaluation exceeded the time limit of %g s.", seconds),
		cause:  &playground.StoppedError{Reason: fmt.Sprintf("it took more than %g s", seconds)},
	}
}
