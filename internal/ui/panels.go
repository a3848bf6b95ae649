// Package ui renders the page and the panels that show a report, as HTML. The
// server and the WebAssembly module use the same code.
package ui

import (
	"context"
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/playground"
)

// Names of the panels: the keys of [playground.Answer]'s Panels and the values
// of the data-panel attributes in the page. Each document has one more, see
// countPanel.
const (
	PanelOutcome      = "outcome"
	PanelRules        = "rules"
	PanelKubectl      = "kubectl"
	PanelVersions     = "versions"
	PanelSchema       = "schema"
	PanelBrief        = "brief"
	PanelProblems     = "problems"
	PanelAnnouncement = "announcement"
	PanelTiming       = "timing"
	PanelLibrary      = "library"
)

func panels(report playground.Report) map[string]templ.Component {
	all := map[string]templ.Component{
		PanelOutcome:      outcome(report),
		PanelRules:        rules(report),
		PanelKubectl:      kubectl(report),
		PanelVersions:     versions(report),
		PanelSchema:       schemas(report),
		PanelBrief:        brief(report),
		PanelProblems:     problems(report),
		PanelAnnouncement: text(announcement(report)),
		PanelTiming:       text(timing(report)),
		PanelLibrary:      text(libraryText(report.Kubernetes)),
	}
	for _, kind := range documents {
		all[countPanel(kind.Document)] = errorCount(report, kind.Document)
	}
	return all
}

// Panels renders the parts of the page that show a report, by their names.
// The texts of the report come out inert, whatever they hold.
func Panels(report playground.Report) (map[string]string, error) {
	rendered := map[string]string{}
	for name, panel := range panels(report) {
		var html strings.Builder
		if err := panel.Render(context.Background(), &html); err != nil {
			return nil, fmt.Errorf("panel %s: %w", name, err)
		}
		rendered[name] = html.String()
	}
	return rendered, nil
}
