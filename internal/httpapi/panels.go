package httpapi

import (
	"net/http"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// panels answers a scenario as the engine in the page does: with the report and
// the HTML that shows it.
func (s *Server) panels(w http.ResponseWriter, r *http.Request) error {
	scenario, err := readScenario(w, r, MaxBody)
	if err != nil {
		return err
	}
	report, err := s.evaluator.run(r.Context(), scenario)
	if err != nil {
		return err
	}
	panels, err := ui.Panels(report)
	if err != nil {
		return err
	}
	return writeJSON(w, playground.Answer{Report: report, Panels: panels})
}
