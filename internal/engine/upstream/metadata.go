package upstream

import (
	"crypto/sha256"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// FirstResourceVersion is the resourceVersion of an object that was just created.
const FirstResourceVersion = "1"

// GenerateName appends a suffix of five characters to base. The suffix has the
// length and the alphabet of the API server's random suffixes, but depends on base
// only, so that reports are reproducible.
func GenerateName(base string) string {
	const alphabet, maxLength, suffixLength = "bcdfghjklmnpqrstvwxz2456789", 63, 5
	if len(base) > maxLength-suffixLength {
		base = base[:maxLength-suffixLength]
	}
	sum := sha256.Sum256([]byte(base))
	suffix := make([]byte, suffixLength)
	for i := range suffix {
		suffix[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return base + string(suffix)
}

// ValidatePathSegment returns the reasons why name cannot be a segment of a URL
// path, or the start of a segment if prefix is set.
func ValidatePathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}
