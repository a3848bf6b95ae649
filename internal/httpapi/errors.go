package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
)

// kind is what went wrong with a request, as the problem's code names it.
type kind string

const (
	kindMalformed    kind = "malformed_request"
	kindUnauthorized kind = "unauthorized"
	kindForbidden    kind = "forbidden"
	kindNotFound     kind = "not_found"
	kindMethod       kind = "method_not_allowed"
	kindTooSlow      kind = "request_timeout"
	kindTooLarge     kind = "request_too_large"
	kindMediaType    kind = "unsupported_media_type"
	kindInternal     kind = "internal_error"
	kindTooMany      kind = "too_many_requests"
	kindBusy         kind = "busy"
	kindNotReady     kind = "not_ready"
	kindStopped      kind = "evaluation_stopped"
	kindEvalTimedOut kind = "evaluation_timed_out"
	kindStore        kind = "store_unavailable"
	kindStoreFull    kind = "store_full"
)

// statuses is the one place where a kind of problem gets its status code.
var statuses = map[kind]int{
	kindMalformed:    http.StatusBadRequest,
	kindUnauthorized: http.StatusUnauthorized,
	kindForbidden:    http.StatusForbidden,
	kindNotFound:     http.StatusNotFound,
	kindMethod:       http.StatusMethodNotAllowed,
	kindTooSlow:      http.StatusRequestTimeout,
	kindTooLarge:     http.StatusRequestEntityTooLarge,
	kindMediaType:    http.StatusUnsupportedMediaType,
	kindStopped:      http.StatusUnprocessableEntity,
	kindInternal:     http.StatusInternalServerError,
	kindTooMany:      http.StatusTooManyRequests,
	kindBusy:         http.StatusTooManyRequests,
	kindNotReady:     http.StatusServiceUnavailable,
	kindStore:        http.StatusServiceUnavailable,
	kindEvalTimedOut: http.StatusGatewayTimeout,
	kindStoreFull:    http.StatusInsufficientStorage,
}

// problem is an error with a sentence for the client. The cause is for the
// log only.
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

// problemDocument is the body of an error answer, as RFC 9457 describes it.
// Code is an extension member: the kind of problem for programs to look at.
type problemDocument struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   kind   `json:"code"`
}

// handler makes a handler of a function that may fail.
func (s *Server) handler(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := serve(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// fail answers with the problem that err is or wraps; an error of another type
// is an internal one, and its text does not leave the server.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return
	}
	p := asProblem(err)
	switch p.kind {
	case kindInternal, kindStore, kindStoreFull:
		s.log.ErrorContext(r.Context(), "request failed", "route", route(r), "error", err)
	}
	writeProblem(w, p)
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
		return &problem{kind: kindStopped, detail: "The evaluation was ended: " + stopped.Reason + ".", cause: err}
	}
	return &problem{kind: kindInternal, detail: "The server failed to answer this request. The fault is not yours.", cause: err}
}

func writeProblem(w http.ResponseWriter, p *problem) {
	status := statuses[p.kind]
	header := w.Header()
	header.Set("Content-Type", problemType)
	header.Set("Cache-Control", "no-store")
	again := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
	if again && header.Get("Retry-After") == "" {
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
	return &problem{kind: kindMethod, detail: "This address does not answer " + r.Method + " requests."}
}
