package ui

import "unicode"

// keyLess orders the keys of a mapping as kubectl prints them: digits before
// letters and runs of digits by their number, so that "a2" comes before "a10".
func keyLess(a, b string) bool {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	if i == len(x) || i == len(y) {
		return len(x) < len(y)
	}
	if unicode.IsLetter(x[i]) || unicode.IsLetter(y[i]) {
		return unicode.IsLetter(y[i]) && (!unicode.IsLetter(x[i]) || x[i] < y[i])
	}
	start := i
	for start > 0 && unicode.IsDigit(x[start-1]) {
		start--
	}
	m, mDigits := leadingNumber(x[start:])
	n, nDigits := leadingNumber(y[start:])
	switch {
	case m != n:
		return m < n
	case mDigits != nDigits:
		return mDigits < nDigits
	}
	return x[i] < y[i]
}

func leadingNumber(text []rune) (value int64, digits int) {
	for digits < len(text) && unicode.IsDigit(text[digits]) {
		value = value*10 + int64(text[digits]-'0')
		digits++
	}
	return value, digits
}
