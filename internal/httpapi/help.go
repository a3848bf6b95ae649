package httpapi

import (
	"context"
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
)

// complete responds with the completions at a cursor.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) error {
	help, err := assist(s, r, func(cursor *playground.Cursor) playground.AssistRequest {
		return playground.AssistRequest{Complete: cursor}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Completion)
}

// hover responds with the documentation of the field or value at a cursor.
func (s *Server) hover(w http.ResponseWriter, r *http.Request) error {
	help, err := assist(s, r, func(cursor *playground.Cursor) playground.AssistRequest {
		return playground.AssistRequest{Hover: cursor}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Hover)
}

// sample responds with a sample object of a CRD.
func (s *Server) sample(w http.ResponseWriter, r *http.Request) error {
	help, err := assist(s, r, func(request *playground.SampleRequest) playground.AssistRequest {
		return playground.AssistRequest{Sample: request}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Sample)
}

// format responds with a document, formatted as YAML.
func (s *Server) format(w http.ResponseWriter, r *http.Request) error {
	help, err := assist(s, r, func(request *playground.FormatRequest) playground.AssistRequest {
		return playground.AssistRequest{Format: request}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Formatted)
}

// try responds with the value and the cost of a CEL expression at a node of an object.
func (s *Server) try(w http.ResponseWriter, r *http.Request) error {
	help, err := assist(s, r, func(request *playground.ExpressionRequest) playground.AssistRequest {
		return playground.AssistRequest{Try: request}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Tried)
}

// assist decodes the body of an assist request and sends it to the engine.
// question wraps the decoded body.
func assist[Part any](s *Server, r *http.Request, question func(*Part) playground.AssistRequest) (playground.AssistResponse, error) {
	var part Part
	if err := readBody(r, "request", &part); err != nil {
		return playground.AssistResponse{}, err
	}
	return await(s.evaluator, r.Context(), func(ctx context.Context) (playground.AssistResponse, error) {
		return s.help(ctx, question(&part))
	})
}
