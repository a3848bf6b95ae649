package main

import (
	"math"
	"regexp"
	"strings"
)

// maxMarkerWords is the number of words in the longest marker.
const maxMarkerWords = 3

var (
	// code matches quoted code, identifiers and paths, which are not prose.
	code = regexp.MustCompile("`[^`]*`|\\S*[A-Z_./()\\[\\]]\\S*")
	word = regexp.MustCompile(`[a-z']+`)
)

// markerSet holds the phrases to count.
type markerSet map[string]bool

func newMarkerSet(list string) markerSet {
	set := markerSet{}
	for line := range strings.Lines(list) {
		if marker := strings.TrimSpace(line); marker != "" {
			set[marker] = true
		}
	}
	return set
}

// count counts overlapping markers separately.
func (set markerSet) count(text string) tally {
	words := word.FindAllString(code.ReplaceAllString(text, ""), -1)
	result := tally{words: len(words)}
	for length := 1; length <= maxMarkerWords; length++ {
		for start := 0; start+length <= len(words); start++ {
			if set[strings.Join(words[start:start+length], " ")] {
				result.markers++
			}
		}
	}
	return result
}

type tally struct {
	words, markers int
}

func (t tally) plus(other tally) tally {
	return tally{t.words + other.words, t.markers + other.markers}
}

// rate returns the markers per 10,000 words.
func (t tally) rate() float64 {
	if t.words == 0 {
		return 0
	}
	return 10_000 * float64(t.markers) / float64(t.words)
}

func (t tally) roundedRate() int {
	return int(math.RoundToEven(t.rate()))
}
