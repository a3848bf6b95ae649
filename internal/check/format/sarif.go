package format

import (
	"cmp"
	"io"
	"maps"
	"net/url"
	"slices"

	"github.com/crdlab/crdlab/internal/check"
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
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// ruleWithoutReason is the rule of findings to which the API server gives no reason.
const ruleWithoutReason = "Rejected"

func writeSARIF(w io.Writer, r *check.Result, o Options) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"crdlab", o.Version, "https://github.com/crdlab/crdlab", []sarifRule{}}},
		ColumnKind:  "utf16CodeUnits",
		Invocations: []sarifInvocation{{ExecutionSuccessful: len(r.Problems) == 0}},
		Results:     []sarifResult{},
	}
	for _, p := range r.Problems {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"error", sarifMessage{p.Path + ": " + p.Message}})
	}
	rules := map[string]bool{}
	for _, d := range r.Documents {
		for _, g := range groups(d) {
			for _, f := range g.visible() {
				result := sarifFinding(f, g)
				rules[result.RuleID] = true
				run.Results = append(run.Results, result)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id})
	}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifFinding(f check.Finding, g group) sarifResult {
	result := sarifResult{
		RuleID: cmp.Or(f.Reason, ruleWithoutReason), Level: "error",
		Message:   sarifMessage{annotation(f, g)},
		Locations: []sarifLocation{{Physical: sarifPlace(f.Place)}},
	}
	if f.Severity == playground.SeverityWarning {
		result.Level = "warning"
	}
	for i, r := range f.Related {
		result.Related = append(result.Related, sarifLocation{i + 1, sarifPlace(r.Place), &sarifMessage{r.Message}})
	}
	return result
}

func sarifPlace(p check.Place) sarifPhysical {
	return sarifPhysical{sarifArtifact{(&url.URL{Path: p.Path}).String()}, sarifRegion{p.Line, p.Column, p.EndLine, p.EndColumn}}
}

// annotation returns a finding as a message of its own.
func annotation(f check.Finding, g group) string {
	message := f.Text()
	if len(g.releases) > 0 {
		message = "[Kubernetes " + g.names() + "] " + message
	}
	if f.Hint != "" {
		message += "\n" + f.Hint
	}
	return message
}
