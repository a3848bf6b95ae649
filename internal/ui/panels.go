// Package ui renders the page and the panels that show a report, as HTML. The
// server and the WebAssembly module use the same code.
package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/playground"
)

// Names of the panels: the keys of [playground.Answer]'s Panels and the values
// of the data-panel attributes in the page. Each document has another panel, see
// errorCountPanel.
const (
	PanelOutcome      = "outcome"
	PanelRules        = "rules"
	PanelKubectl      = "kubectl"
	PanelVersions     = "versions"
	PanelSchema       = "schema"
	PanelReleases     = "releases"
	PanelCRDs         = "crds"
	PanelChanges      = "changes"
	PanelTests        = "tests"
	PanelBrief        = "brief"
	PanelProblems     = "problems"
	PanelAnnouncement = "announcement"
	PanelTiming       = "timing"
	PanelLibrary      = "library"
)

// panel is a part of the page that shows a part of the report. Panels with a
// title have a tab.
type panel struct {
	name, title string
	render      func(playground.Report) templ.Component
}

// panels lists all panels, those with a tab in the order of the tabs.
var panels = append([]panel{
	{PanelOutcome, "Outcome", outcome},
	{PanelRules, "Rules & cost", rules},
	{PanelKubectl, "kubectl", kubectl},
	{PanelVersions, "Versions", versions},
	{PanelSchema, "Schema", schemas},
	{PanelReleases, "Releases", releases},
	{PanelChanges, "CRD changes", crdChanges},
	{PanelTests, "Tests", plainTextPanel(noText)},
	{PanelCRDs, "", crds},
	{PanelBrief, "", brief},
	{PanelProblems, "", problems},
	{PanelAnnouncement, "", plainTextPanel(announcement)},
	{PanelTiming, "", plainTextPanel(timing)},
	{PanelLibrary, "", plainTextPanel(libraryText)},
}, errorCountPanels()...)

func plainTextPanel(describe func(playground.Report) string) func(playground.Report) templ.Component {
	return func(report playground.Report) templ.Component { return plainText(describe(report)) }
}

// noText is the content of the panel that the script fills.
func noText(playground.Report) string { return "" }

func errorCountPanels() []panel {
	var counts []panel
	for _, kind := range documents {
		if kind.Document == playground.DocumentGo {
			continue // The generator finds its problems, not the engine.
		}
		counts = append(counts, panel{name: errorCountPanel(kind.Document), render: func(report playground.Report) templ.Component {
			return errorCount(report, kind.Document)
		}})
	}
	return counts
}

// tabbedPanels returns the panels with a tab.
func tabbedPanels() []panel {
	return slices.DeleteFunc(slices.Clone(panels), func(p panel) bool { return p.title == "" })
}

func findPanel(name string) (panel, error) {
	i := slices.IndexFunc(panels, func(p panel) bool { return p.name == name })
	if i < 0 {
		return panel{}, &playground.InvalidScenarioError{Parameter: "panels", Message: fmt.Sprintf("there is no panel %q", name)}
	}
	return panels[i], nil
}

// Answer renders the named panels of a report, or all panels without names.
func Answer(report playground.Report, names []string) (playground.Answer, error) {
	rendered, err := Panels(report, names...)
	if err != nil {
		return playground.Answer{}, err
	}
	outputs := []string{report.CRD.Output}
	for _, object := range report.Objects {
		outputs = append(outputs, object.Output)
	}
	return playground.Answer{Findings: findings(report), Outputs: outputs, Panels: rendered}, nil
}

// Panels renders the named panels of a report, or all panels without names. All
// strings of the report are escaped. An unknown name is an
// InvalidScenarioError.
func Panels(report playground.Report, names ...string) (map[string]string, error) {
	if len(names) == 0 {
		for _, p := range panels {
			names = append(names, p.name)
		}
	}
	rendered := map[string]string{}
	for _, name := range names {
		p, err := findPanel(name)
		if err != nil {
			return nil, err
		}
		var html strings.Builder
		if err := p.render(report).Render(context.Background(), &html); err != nil {
			return nil, fmt.Errorf("panel %s: %w", name, err)
		}
		rendered[name] = html.String()
	}
	return rendered, nil
}
