package httpapi

import (
	"io"
	"net/http"

	"github.com/crdlab/crdlab/internal/examples"
)

// healthz says that the process answers requests.
func healthz(w http.ResponseWriter, _ *http.Request) {
	writeText(w, "ok\n")
}

// readyz says that the engine works: it evaluates the default example like any
// other scenario, in its turn. Without an engine there is nothing to wait for.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if s.evaluator == nil {
		writeText(w, "ready\n")
		return nil
	}
	report, err := s.evaluator.run(r.Context(), examples.Default().Scenario)
	if err != nil {
		return &problem{kind: kindNotReady, detail: "The engine cannot evaluate the default example at the moment.", cause: err}
	}
	if !report.CRD.Accepted {
		return &problem{kind: kindNotReady, detail: "The engine refuses the default example."}
	}
	writeText(w, "ready\n")
	return nil
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text)
}
