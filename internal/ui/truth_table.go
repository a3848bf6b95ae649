package ui

import (
	"cmp"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// maxTruthColumns and maxTruthRows limit the table of rules and objects.
const maxTruthColumns, maxTruthRows = 25, 100

// truthRow is a rule with its outcome for each object.
type truthRow struct {
	rule  playground.Rule
	cells []truthCell
}

// truthCell is the worst outcome of a rule for an object; empty if the rule
// belongs to another version.
type truthCell struct {
	outcome playground.Outcome
	// at locates the value with this outcome in the object's document, or is
	// nil.
	at *playground.Range
}

// newTruthTable returns a row for each rule that applies to any object, sorted
// by the worst outcome.
func newTruthTable(report playground.Report) []truthRow {
	var rows []truthRow
	for _, rule := range report.CRD.Rules {
		row := truthRow{rule: rule, cells: make([]truthCell, len(report.Objects))}
		used := false
		for i, object := range report.Objects {
			row.cells[i] = worstResult(rule.ID, object.Rules)
			used = used || row.cells[i].outcome != ""
		}
		if used {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b truthRow) int { return cmp.Compare(a.rank(), b.rank()) })
	return rows
}

func worstResult(id string, results []playground.RuleResult) truthCell {
	var cell truthCell
	for _, result := range results {
		if result.ID == id && outcomeOrder[result.Outcome] < outcomeOrder[cell.outcome] {
			cell = truthCell{outcome: result.Outcome, at: result.Range}
		}
	}
	return cell
}

// rank returns the rank of the worst outcome, see outcomeOrder.
func (r truthRow) rank() int {
	worst := outcomeOrder[""]
	for _, cell := range r.cells {
		worst = min(worst, outcomeOrder[cell.outcome])
	}
	return worst
}

// symbol returns the visible content of a cell. Screen readers read the outcome
// instead.
func (c truthCell) symbol() string {
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
