package httpapi

import (
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// panels evaluates a scenario and responds with rendered panels, as the engine in
// the page does.
func (s *Server) panels(w http.ResponseWriter, r *http.Request) error {
	var view playground.View
	if err := readBody(r, "view", &view); err != nil {
		return err
	}
	report, _, err := s.evaluateScenario(r, view.Scenario)
	if err != nil {
		return err
	}
	answer, err := ui.Answer(report, view.Panels)
	if err != nil {
		return err
	}
	return writeJSON(w, answer)
}
