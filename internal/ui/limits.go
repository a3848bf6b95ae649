package ui

// A report may hold more than a page can show at every keystroke. These are how
// much of it is shown; what is left out is counted.
const (
	// maxShownLines is shared among the objects of a report.
	maxShownLines    = 3000
	maxShownChanges  = 300
	maxShownProblems = 500
	// maxShownResults is per rule; openResults of them are not folded.
	maxShownResults = 60
	openResults     = 3
)

// lineLimit is how many lines each of some objects may show.
func lineLimit(objects int) int {
	return max(100, maxShownLines/max(1, objects))
}

// capped splits off the items to show and counts the others.
func capped[T any](items []T, limit int) (shown []T, hidden int) {
	shown = items[:min(len(items), limit)]
	return shown, len(items) - len(shown)
}
