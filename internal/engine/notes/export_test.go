package notes

// Codes returns the codes of the kinds of notes.
func Codes() (codes []string) {
	for _, kind := range kinds {
		codes = append(codes, kind.code)
	}
	return codes
}
