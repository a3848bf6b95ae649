package httpapi

import (
	"context"
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
)

// complete answers a cursor with what may stand there.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) error {
	help, err := askFor(s, w, r, func(cursor *playground.Cursor) playground.Question { return playground.Question{Complete: cursor} })
	if err != nil {
		return err
	}
	return writeJSON(w, help.Completion)
}

// hover answers a cursor with what is known of what stands there.
func (s *Server) hover(w http.ResponseWriter, r *http.Request) error {
	help, err := askFor(s, w, r, func(cursor *playground.Cursor) playground.Question { return playground.Question{Hover: cursor} })
	if err != nil {
		return err
	}
	return writeJSON(w, help.Hover)
}

// sample answers a CRD with an object of it.
func (s *Server) sample(w http.ResponseWriter, r *http.Request) error {
	help, err := askFor(s, w, r, func(request *playground.SampleRequest) playground.Question {
		return playground.Question{Sample: request}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Sample)
}

// format answers a text with the same text, formatted.
func (s *Server) format(w http.ResponseWriter, r *http.Request) error {
	help, err := askFor(s, w, r, func(request *playground.FormatRequest) playground.Question {
		return playground.Question{Format: request}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Formatted)
}

// try answers an expression with what it is worth at a node of an object.
func (s *Server) try(w http.ResponseWriter, r *http.Request) error {
	help, err := askFor(s, w, r, func(request *playground.TryRequest) playground.Question {
		return playground.Question{Try: request}
	})
	if err != nil {
		return err
	}
	return writeJSON(w, help.Tried)
}

// askFor decodes the body and asks the engine the question that it is part of.
func askFor[Part any](s *Server, w http.ResponseWriter, r *http.Request, question func(*Part) playground.Question) (playground.Help, error) {
	var part Part
	if err := readBody(w, r, MaxBody, "question", &part); err != nil {
		return playground.Help{}, err
	}
	return await(s.evaluator, r.Context(), func(ctx context.Context) (playground.Help, error) {
		return s.help(ctx, question(&part))
	})
}
