package format

import (
	"io"
	"maps"
	"net/url"
	"slices"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// The types follow the Static Analysis Results Interchange Format 2.1.0.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

// sarifLevels maps severities to levels.
var sarifLevels = map[playground.Severity]string{
	playground.SeverityError: "error", playground.SeverityWarning: "warning", playground.SeverityInfo: "note",
}

func (r Report) writeSARIF(w io.Writer, version string) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"crdlab", version, "https://github.com/crdlab/crdlab", []sarifRule{}}},
		ColumnKind:  "utf16CodeUnits",
		Invocations: []sarifInvocation{{ExecutionSuccessful: len(r.problems) == 0}},
		Results:     []sarifResult{},
	}
	for _, notice := range r.notices {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"note", sarifMessage{notice}})
	}
	for _, p := range r.problems {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"error", sarifMessage{p.Path + ": " + p.Message}})
	}
	rules := map[string]bool{}
	for _, a := range r.annotations {
		rules[a.rule] = true
		run.Results = append(run.Results, a.sarif())
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id})
	}
	return WriteJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func (a annotation) sarif() sarifResult {
	result := sarifResult{
		RuleID: a.rule, Level: sarifLevels[a.severity], Message: sarifMessage{a.message},
		Locations: []sarifLocation{{Physical: sarifPlace(a.Printed)}},
	}
	for i, r := range a.related {
		result.Related = append(result.Related, sarifLocation{i + 1, sarifPlace(r.Printed()), &sarifMessage{r.Message}})
	}
	return result
}

func sarifPlace(p manifest.Printed) sarifPhysical {
	return sarifPhysical{sarifArtifact{(&url.URL{Path: p.Path}).String()}, sarifRegion{p.Line, p.Column, p.EndLine, p.EndColumn}}
}
