package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// render returns the body for a job. isStopped reports that the evaluation exceeded its
// limits; the body then describes this, and a repeated evaluation may have another
// result.
func (s *Server) render(r *http.Request, j job) (body []byte, isStopped bool, err error) {
	start := time.Now()
	body, err = s.evaluator.run(r.Context(), j)
	stopped, ok := errors.AsType[*playground.StoppedError](err)
	if !ok {
		return body, false, err
	}
	s.log.WarnContext(r.Context(), "evaluation stopped", "route", route(r), "reason", stopped.Reason)
	request := j.request // the evaluation may still read j.request
	request.Stopped = &playground.Stopped{
		Reason:       stopped.Reason,
		Milliseconds: float64(time.Since(start).Microseconds()) / 1000,
	}
	body, failure := s.evaluator.runStopped(r.Context(), request)
	if failure != nil {
		return nil, true, errors.Join(err, failure)
	}
	return body, true, nil
}

// renderBody is render for the JSON in a request body. name names its type, such as
// "scenario", and value is a pointer to a zero value of it. If the engine's strict
// decoder rejects the body, renderBody decodes it with encoding/json, which accepts more
// or explains the error better.
func (s *Server) renderBody(r *http.Request, request playground.Request, name string, value any) ([]byte, error) {
	rendered, _, err := s.render(r, job{request: request})
	if !errors.Is(err, playground.ErrUnreadable) {
		return rendered, err
	}
	if err := decodeBody(request.Body, name, value); err != nil {
		return nil, err
	}
	if request.Body, err = encodeJSON(value); err != nil {
		return nil, err
	}
	rendered, _, err = s.render(r, job{request: request})
	return rendered, err
}
