package httpapi

import (
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
)

// panels evaluates a scenario and responds with rendered panels, as the engine in
// the page does.
func (s *Server) panels(w http.ResponseWriter, r *http.Request) error {
	return s.respond(w, r, playground.TaskPanels, "view", &playground.View{})
}
