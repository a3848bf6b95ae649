package ui

// The page is rendered at every keystroke, so the panels show a limited part of
// a large report and count the omitted items.
const (
	// maxShownLines is shared among the objects of a report.
	maxShownLines    = 3000
	maxShownChanges  = 300
	maxWitnessLines  = 12
	maxShownProblems = 500
	// maxShownResults is the limit for one rule; the first openResults are
	// unfolded.
	maxShownResults = 60
	openResults     = 3
)

// lineLimit returns the number of lines to show for each of several objects.
func lineLimit(objects int) int {
	return max(100, maxShownLines/max(1, objects))
}

// limitItems returns the first items up to a limit and the number of omitted
// ones.
func limitItems[T any](items []T, limit int) (shown []T, hidden int) {
	shown = items[:min(len(items), limit)]
	return shown, len(items) - len(shown)
}
