package httpapi

import (
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
)

// assist returns the handler of a kind of assist request. It decodes the body, and responds with
// the engine's JSON.
func (s *Server) assist(kind playground.AssistKind) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		request, part := kind.NewRequest()
		if err := readBody(r, "request", part); err != nil {
			return err
		}
		body, err := encodeJSON(request)
		if err != nil {
			return err
		}
		response, err := s.evaluator.run(r.Context(), job{request: playground.Request{Task: playground.TaskAssist, Body: body}})
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		return writeEncoded(w, http.StatusOK, response)
	}
}
