package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// kind is the machine-readable code of a problem.
type kind string

const (
	kindMalformed      kind = "malformed_request"
	kindUnauthorized   kind = "unauthorized"
	kindForbidden      kind = "forbidden"
	kindNotFound       kind = "not_found"
	kindMethod         kind = "method_not_allowed"
	kindRequestTimeout kind = "request_timeout"
	kindTooLarge       kind = "request_too_large"
	kindMediaType      kind = "unsupported_media_type"
	kindInternal       kind = "internal_error"
	kindRateLimited    kind = "too_many_requests"
	kindBusy           kind = "busy"
	kindNotReady       kind = "not_ready"
	kindStopped        kind = "evaluation_stopped"
	kindEvalTimedOut   kind = "evaluation_timed_out"
	kindStore          kind = "store_unavailable"
	kindStoreFull      kind = "store_full"
)

// statuses maps each kind of problem to its HTTP status code.
var statuses = map[kind]int{
	kindMalformed:      http.StatusBadRequest,
	kindUnauthorized:   http.StatusUnauthorized,
	kindForbidden:      http.StatusForbidden,
	kindNotFound:       http.StatusNotFound,
	kindMethod:         http.StatusMethodNotAllowed,
	kindRequestTimeout: http.StatusRequestTimeout,
	kindTooLarge:       http.StatusRequestEntityTooLarge,
	kindMediaType:      http.StatusUnsupportedMediaType,
	kindStopped:        http.StatusUnprocessableEntity,
	kindInternal:       http.StatusInternalServerError,
	kindRateLimited:    http.StatusTooManyRequests,
	kindBusy:           http.StatusTooManyRequests,
	kindNotReady:       http.StatusServiceUnavailable,
	kindStore:          http.StatusServiceUnavailable,
	kindEvalTimedOut:   http.StatusGatewayTimeout,
	kindStoreFull:      http.StatusInsufficientStorage,
}

// problem is an error with a detail for the client. The cause appears only in the log.
type problem struct {
	kind   kind
	detail string
	cause  error
}

func (p *problem) Error() string {
	if p.cause != nil {
		return p.detail + ": " + p.cause.Error()
	}
	return p.detail
}

func (p *problem) Unwrap() error { return p.cause }

// problemType is the media type of RFC 9457.
const problemType = "application/problem+json"

// problemDocument is the body of an error response, a problem detail as defined
// by RFC 9457. Its extension member code identifies the kind of problem.
type problemDocument struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   kind   `json:"code"`
}

// handler converts a function that returns an error into a handler.
func (s *Server) handler(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := serve(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// fail writes the problem in the chain of err. Other errors become internal
// errors, whose messages never leave the server.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil || errors.Is(err, errResponseRefused) {
		return
	}
	p := asProblem(err)
	if p.isFault() {
		s.log.ErrorContext(r.Context(), "request failed", "route", route(r), "error", err)
	}
	writeProblem(w, p)
}

// isFault reports whether the operator must know of the problem. The store itself logs that
// it is unavailable, and a problem without a cause is the client's.
func (p *problem) isFault() bool {
	switch p.kind {
	case kindInternal:
		return true
	case kindStore, kindStoreFull:
		return p.cause != nil && !errors.Is(p.cause, share.ErrUnavailable)
	}
	return false
}

func asProblem(err error) *problem {
	var (
		p       *problem
		invalid *playground.InvalidScenarioError
		stopped *playground.StoppedError
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &invalid):
		return &problem{kind: kindMalformed, detail: fmt.Sprintf("%q: %s", invalid.Parameter, invalid.Message), cause: err}
	case errors.As(err, &stopped):
		return &problem{kind: kindStopped, detail: "The evaluation was stopped: " + stopped.Reason + ".", cause: err}
	}
	return &problem{kind: kindInternal, detail: "The server failed to process the request because of an internal error.", cause: err}
}

func writeProblem(w http.ResponseWriter, p *problem) {
	status := statuses[p.kind]
	header := w.Header()
	header.Set("Content-Type", problemType)
	header.Set("Cache-Control", "no-store")
	isTemporary := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
	if isTemporary && header.Get("Retry-After") == "" {
		header.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problemDocument{
		Type:   "about:blank",
		Title:  http.StatusText(status),
		Status: status,
		Detail: p.detail,
		Code:   p.kind,
	})
}

func notFound(http.ResponseWriter, *http.Request) error {
	return &problem{kind: kindNotFound, detail: "There is nothing at this address."}
}

func methodNotAllowed(_ http.ResponseWriter, r *http.Request) error {
	return &problem{kind: kindMethod, detail: "This address does not support the method " + r.Method + "."}
}
