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

// queuedPerEvaluation limits the number of waiting requests per concurrent evaluation.
const queuedPerEvaluation = 4

// evaluator runs the engine with limited concurrency, a bounded queue and a timeout.
type evaluator struct {
	evaluate Evaluate
	asJSON   EvaluateJSON
	timeout  time.Duration
	running  chan struct{}
	admitted chan struct{}
	// lastSuccess is the time of the last successful evaluation in Unix nanoseconds.
	lastSuccess atomic.Int64
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
		admitted: make(chan struct{}, limit*(1+queuedPerEvaluation)),
	}
}

// run evaluates the scenario.
func (e *evaluator) run(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
	return await(e, ctx, func(ctx context.Context) (playground.Report, error) {
		report, err := e.evaluate(ctx, scenario)
		e.recordSuccess(err)
		return report, err
	})
}

// runJSON evaluates the scenario in a request body and returns the report as
// JSON. If the engine's strict decoder rejects the body, runJSON decodes it with
// encoding/json, which accepts more or explains the error better.
func (e *evaluator) runJSON(ctx context.Context, body []byte) (json.RawMessage, error) {
	if e.asJSON != nil {
		report, err := await(e, ctx, func(ctx context.Context) (json.RawMessage, error) {
			report, err := e.asJSON(ctx, body)
			e.recordSuccess(err)
			return report, err
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
	return encodeJSON(report)
}

// recordSuccess stores the current time if an evaluation returned no error.
func (e *evaluator) recordSuccess(err error) {
	if err == nil {
		e.lastSuccess.Store(time.Now().UnixNano())
	}
}

// await queues work, runs it and returns its result. It fails with a busy problem
// if the queue is full. Work that exceeds the timeout fails with a problem, but
// occupies its slot until the engine returns.
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
		answer, err := callRecovering(ctx, work)
		done <- result{answer, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil {
			return none, contextProblem(ctx, start)
		}
		return r.answer, r.err
	case <-ctx.Done():
		return none, contextProblem(ctx, start)
	}
}

// sinceSuccess returns the time since the last successful evaluation.
func (e *evaluator) sinceSuccess() time.Duration {
	return time.Since(time.Unix(0, e.lastSuccess.Load()))
}

func busy() error {
	return &problem{kind: kindBusy, detail: "The server is busy with other evaluations. Try again in a moment."}
}

// callRecovering calls work and converts a panic of the engine into an error.
func callRecovering[Answer any](ctx context.Context, work func(context.Context) (Answer, error)) (answer Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the engine panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	return work(ctx)
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
