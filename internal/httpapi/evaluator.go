package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// waitingPerEvaluation is how many scenarios may wait for each one that is
// being evaluated.
const waitingPerEvaluation = 4

// evaluator runs the engine, so many scenarios at a time and none for longer
// than the timeout.
type evaluator struct {
	evaluate Evaluate
	asJSON   EvaluateJSON
	timeout  time.Duration
	running  chan struct{}
	admitted chan struct{}
	// last is when an evaluation ended well, in Unix nanoseconds.
	last atomic.Int64
}

func newEvaluator(config Config) *evaluator {
	limit, timeout := config.Evaluations, config.EvaluationTimeout
	if limit <= 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	if timeout <= 0 {
		timeout = EvaluationTimeout
	}
	return &evaluator{
		evaluate: config.Evaluate,
		asJSON:   config.EvaluateJSON,
		timeout:  timeout,
		running:  make(chan struct{}, limit),
		admitted: make(chan struct{}, limit*(1+waitingPerEvaluation)),
	}
}

// run evaluates the scenario.
func (e *evaluator) run(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
	return await(e, ctx, func(ctx context.Context) (playground.Report, error) {
		report, err := e.evaluate(ctx, scenario)
		return report, e.noted(err)
	})
}

// runJSON evaluates the scenario in a request's body and returns the report as
// JSON. What the engine does not read by itself is decoded, or refused, here.
func (e *evaluator) runJSON(ctx context.Context, body []byte) (json.RawMessage, error) {
	if e.asJSON != nil {
		report, err := await(e, ctx, func(ctx context.Context) (json.RawMessage, error) {
			report, err := e.asJSON(ctx, body)
			return report, e.noted(err)
		})
		if !errors.Is(err, playground.ErrUnreadable) {
			return report, err
		}
	}
	var scenario playground.Scenario
	if err := decodeBody(body, "scenario", &scenario); err != nil {
		return nil, err
	}
	report, err := e.run(ctx, scenario)
	if err != nil {
		return nil, err
	}
	return encoded(report)
}

// noted is err; without one, the evaluation ended well.
func (e *evaluator) noted(err error) error {
	if err == nil {
		e.last.Store(time.Now().UnixNano())
	}
	return err
}

// await has the engine work when its turn has come. Work that does not end in
// time is answered as a problem, but keeps its place until the engine returns.
func await[Answer any](e *evaluator, ctx context.Context, work func(context.Context) (Answer, error)) (Answer, error) {
	var none Answer
	select {
	case e.admitted <- struct{}{}:
	default:
		return none, busy()
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	select {
	case e.running <- struct{}{}:
	case <-ctx.Done():
		<-e.admitted
		if ctx.Err() == context.DeadlineExceeded {
			return none, busy()
		}
		return none, ctx.Err()
	}

	type result struct {
		answer Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-e.running; <-e.admitted }()
		answer, err := guarded(ctx, work)
		done <- result{answer, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil {
			return none, ended(ctx, start)
		}
		return r.answer, r.err
	case <-ctx.Done():
		return none, ended(ctx, start)
	}
}

// sinceLast is how long ago an evaluation ended well.
func (e *evaluator) sinceLast() time.Duration {
	return time.Since(time.Unix(0, e.last.Load()))
}

func busy() error {
	return &problem{kind: kindBusy, detail: "The server is busy with other evaluations. Try again in a moment."}
}

// guarded turns a panic of the engine into an error.
func guarded[Answer any](ctx context.Context, work func(context.Context) (Answer, error)) (answer Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the engine panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	return work(ctx)
}

// ended is the error for an evaluation, begun at start, whose context is done.
func ended(ctx context.Context, start time.Time) error {
	if ctx.Err() != context.DeadlineExceeded {
		return ctx.Err()
	}
	deadline, _ := ctx.Deadline()
	seconds := deadline.Sub(start).Round(10 * time.Millisecond).Seconds()
	return &problem{
		kind:   kindEvalTimedOut,
		detail: fmt.Sprintf("The evaluation did not end within %g s and was given up.", seconds),
		cause:  &playground.StoppedError{Reason: fmt.Sprintf("it took more than %g s", seconds)},
	}
}
