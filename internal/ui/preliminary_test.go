package ui

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// TestPreliminaryAnswer requires a neutral verdict before the rules are validated,
// because the CRD may still be rejected.
func TestPreliminaryAnswer(t *testing.T) {
	report := playground.Report{
		Preliminary: true,
		CRD:         playground.CRD{Name: "crontabs.stable.example.com", Accepted: true, Status: playground.Status{Code: http.StatusCreated}},
		Objects:     []playground.Object{{Kind: "CronTab", Name: "a", Accepted: true, Status: playground.Status{Code: http.StatusCreated}}},
	}
	answer, err := PreliminaryAnswer(report, []string{PanelOutcome, PanelBrief, PanelAnnouncement})
	if err != nil {
		t.Fatal(err)
	}
	for name, html := range answer.Panels {
		if !strings.Contains(html, "Checking rules…") || strings.Contains(html, "ccepted") {
			t.Errorf("panel %s is not neutral:\n%s", name, html)
		}
	}
	if len(answer.Panels) != 2 {
		t.Errorf("%d panels, want 2: screen readers must not announce a preliminary result", len(answer.Panels))
	}
}
