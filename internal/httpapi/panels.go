package httpapi

import (
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// panels answers a view as the engine in the page does: with what the page
// shows of the report.
func (s *Server) panels(w http.ResponseWriter, r *http.Request) error {
	var view playground.View
	if err := readBody(w, r, MaxBody, "view", &view); err != nil {
		return err
	}
	report, _, err := s.evaluated(r, view.Scenario)
	if err != nil {
		return err
	}
	answer, err := ui.Answer(report, view.Panels)
	if err != nil {
		return err
	}
	return writeJSON(w, answer)
}
