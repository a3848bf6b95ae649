// Package ui renders the page and the panels that show a report, as HTML. The
// server and the WebAssembly module use the same code.
package ui

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

// Answer is what the page shows of a report: with the panels of the given
// names, or without names with all.
func Answer(report playground.Report, names []string) (playground.Answer, error) {
	rendered, err := Panels(report, names...)
	if err != nil {
		return playground.Answer{}, err
	}
	outputs := []string{report.CRD.Output}
	for _, object := range report.Objects {
		outputs = append(outputs, object.Output)
	}
	return playground.Answer{Findings: findings(report), Outputs: outputs, Missing: report.Missing, Panels: rendered}, nil
}

// PreliminaryAnswer is what the page shows of a report while more problems may be
// found. It is not announced to those who do not see that it is preliminary.
func PreliminaryAnswer(report playground.Report, names []string) (playground.Answer, error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == PanelAnnouncement })
	answer, err := Answer(report, names)
	answer.Preliminary = true
	return answer, err
}

// Panels renders those parts of the page that show a report which are named, or
// without names all, by their names. The texts of the report come out inert,
// whatever they hold.
func Panels(report playground.Report, names ...string) (map[string]string, error) {
	all := panels(report)
	if len(names) == 0 {
		names = slices.Collect(maps.Keys(all))
	}
	rendered := map[string]string{}
	for _, name := range names {
		panel, known := all[name]
		if !known {
			return nil, &playground.InvalidScenarioError{Parameter: "panels", Message: fmt.Sprintf("there is no panel %q", name)}
		}
		var html strings.Builder
		if err := panel.Render(context.Background(), &html); err != nil {
			return nil, fmt.Errorf("panel %s: %w", name, err)
		}
		rendered[name] = html.String()
	}
	return rendered, nil
}
