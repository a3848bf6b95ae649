package quickfix

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// SimilarNames returns the names that differ from typed in a few letters, the
// most similar first and at most maxFixes.
func SimilarNames(typed string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var candidates []candidate
	if len(typed) > maxSimilar {
		return nil
	}
	for _, name := range names[:min(len(names), maxCompared)] {
		if len(name) > maxSimilar {
			continue
		}
		distance := levenshtein.ComputeDistance(strings.ToLower(typed), strings.ToLower(name))
		if name != typed && distance <= maxDistance(typed) {
			candidates = append(candidates, candidate{name, distance})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	similar := []string{}
	for _, c := range candidates[:min(len(candidates), maxFixes)] {
		similar = append(similar, c.name)
	}
	return similar
}

// maxSimilar is the length of the longest name that is compared with others. The
// comparison needs time proportional to the product of two lengths.
const maxSimilar = 100

// maxDistance returns the largest edit distance at which a name still counts as
// a misspelling.
func maxDistance(typed string) int {
	if len(typed) < 4 {
		return 1
	}
	return max(2, len(typed)/3)
}
