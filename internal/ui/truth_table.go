package ui

import (
	"cmp"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// maxTruthColumns and maxTruthRows bound the table of all rules by all objects.
const maxTruthColumns, maxTruthRows = 25, 100

// truthRow is a rule with its outcome for each object.
type truthRow struct {
	rule  playground.Rule
	cells []truthCell
}

// truthCell is the worst outcome of a rule in an object; empty if the rule is
// not of the object's version.
type truthCell struct {
	outcome playground.Outcome
	// at is where it came to the outcome in the object's text, or nil.
	at *playground.Range
}

// truthTable tells of each rule what it says of each object, the rules that
// tell objects apart first.
func truthTable(report playground.Report) []truthRow {
	var rows []truthRow
	for _, rule := range report.CRD.Rules {
		row := truthRow{rule: rule, cells: make([]truthCell, len(report.Objects))}
		used := false
		for i, object := range report.Objects {
			row.cells[i] = worstOf(rule.ID, object.Rules)
			used = used || row.cells[i].outcome != ""
		}
		if used {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b truthRow) int { return cmp.Compare(a.rank(), b.rank()) })
	return rows
}

func worstOf(id string, results []playground.RuleResult) truthCell {
	var cell truthCell
	for _, result := range results {
		if result.ID == id && severityOrder[result.Outcome] < severityOrder[cell.outcome] {
			cell = truthCell{outcome: result.Outcome, at: result.Range}
		}
	}
	return cell
}

// rank is that of the worst outcome.
func (r truthRow) rank() int {
	worst := severityOrder[""]
	for _, cell := range r.cells {
		worst = min(worst, severityOrder[cell.outcome])
	}
	return worst
}

// sign is how a cell looks; its words are there for screen readers.
func (c truthCell) sign() string {
	switch c.outcome {
	case playground.OutcomePass:
		return "✓"
	case playground.OutcomeFail:
		return "✗"
	case playground.OutcomeError:
		return "!"
	case playground.OutcomeSkipped:
		return "–"
	}
	return ""
}
