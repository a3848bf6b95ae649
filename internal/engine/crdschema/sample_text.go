package crdschema

import (
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// formatSamples holds a string for each validated format.
var formatSamples = map[string]string{
	"date-time": "2026-01-02T15:04:05Z", "datetime": "2026-01-02T15:04:05Z", "date": "2026-01-02", "duration": "1h",
	"byte": "ZXhhbXBsZQ==", "uri": "https://example.com/", "hostname": "example.com", "email": "someone@example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "cidr": "192.0.2.0/24", "mac": "00:00:5e:00:53:01",
	"uuid": "123e4567-e89b-42d3-a456-426614174000", "uuid3": "123e4567-e89b-32d3-a456-426614174000",
	"uuid4": "123e4567-e89b-42d3-a456-426614174000", "uuid5": "123e4567-e89b-52d3-a456-426614174000",
	"bsonobjectid": "507f1f77bcf86cd799439011", "isbn": "978-0321751041", "isbn10": "0321751043", "isbn13": "978-0321751041",
	"creditcard": "4111111111111111", "ssn": "123-45-6789", "hexcolor": "#ffffff", "rgbcolor": "rgb(255,255,255)",
	"k8s-short-name": "example", "k8s-long-name": "example.com",
}

// StringFormats returns the names of the formats of strings that the API server knows.
func StringFormats() []string { return slices.Sorted(maps.Keys(formatSamples)) }

// FormatSample returns a string of a format that the API server knows, or an empty string.
func FormatSample(format string) string { return formatSamples[format] }

// plainSamples lists readable strings. A sample is one of these if it matches the
// pattern.
var plainSamples = []string{"example", "example.com", "Example", "v1", "1", "1h", "https://example.com/", "/example", "example.com/example", "a", "100m", "10.0.0.0/8", "192.0.2.1"}

// StringSamples returns different strings that schema accepts, as far as its length,
// format and pattern are concerned.
func StringSamples(schema Schema) []string {
	var pattern *regexp.Regexp
	if schema.Pattern != "" {
		var err error
		if pattern, err = regexp.Compile(schema.Pattern); err != nil {
			return nil
		}
	}
	candidates := append([]string{(&sampler{}).stringValue(schema), ""}, plainSamples...)
	for _, variant := range []int{0, 26, 36, readableCount, readableCount + 1} {
		for _, repeats := range []int{0, 1, 2, 8} {
			if sample, ok := matchPattern(schema.Pattern, repeats, variant); ok {
				candidates = append(candidates, sample)
			}
		}
	}
	var samples []string
	for _, candidate := range candidates {
		if fits(schema, candidate, pattern) && !slices.Contains(samples, candidate) {
			samples = append(samples, candidate)
		}
	}
	return samples
}

// maxSampleLength limits the length of a string in bytes.
const maxSampleLength = 4096

// stringValue returns a string with the required length, format and pattern, if it finds
// one.
func (s *sampler) stringValue(schema Schema) string {
	if sample, ok := formatSamples[schema.Format]; ok && s.variant == 0 && fits(schema, sample, nil) {
		return sample
	}
	var pattern *regexp.Regexp
	if schema.Pattern != "" {
		var err error
		if pattern, err = regexp.Compile(schema.Pattern); err != nil {
			return "example"
		}
	}
	for _, plain := range plainSamples {
		if sample := s.vary(plain); fits(schema, sample, pattern) {
			return sample
		}
	}
	if pattern == nil {
		return s.resize(schema)
	}
	for repeats := range 40 {
		if sample, ok := matchPattern(schema.Pattern, repeats, s.variant); ok && fits(schema, sample, pattern) {
			return sample
		}
	}
	return s.vary("example")
}

// vary appends the variant to a sample.
func (s *sampler) vary(sample string) string {
	if s.variant == 0 {
		return sample
	}
	return fmt.Sprintf("%s%d", sample, s.variant)
}

// resize returns a string of a permitted length.
func (s *sampler) resize(schema Schema) string {
	sample := s.vary("example")
	if schema.MinLength != nil && int64(len(sample)) < *schema.MinLength {
		sample += strings.Repeat("e", int(min(*schema.MinLength, maxSampleLength))-len(sample))
	}
	if schema.MaxLength != nil && int64(len(sample)) > *schema.MaxLength {
		sample = sample[len(sample)-int(max(*schema.MaxLength, 0)):]
	}
	return sample
}

// fits reports whether a string has the required length, pattern and format. pattern
// may be nil.
func fits(schema Schema, sample string, pattern *regexp.Regexp) bool {
	length := int64(utf8.RuneCountInString(sample))
	switch {
	case schema.MinLength != nil && length < *schema.MinLength,
		schema.MaxLength != nil && length > *schema.MaxLength,
		pattern != nil && !pattern.MatchString(sample):
		return false
	}
	return schema.Format == "" || schema.Pattern == "" || accepts(schema, sample)
}

// matchPattern returns a string that matches a pattern without anchors and boundaries.
// Each repetition exceeds its minimum by repeats, within its maximum.
func matchPattern(pattern string, repeats, variant int) (string, bool) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	m := patternWriter{repeats: repeats, variant: variant}
	m.write(tree.Simplify())
	return m.b.String(), m.b.Len() < maxSampleLength
}

// A patternWriter writes a string that matches a regular expression.
type patternWriter struct {
	b                strings.Builder
	repeats, variant int
}

func (m *patternWriter) write(tree *syntax.Regexp) {
	if m.b.Len() >= maxSampleLength {
		return
	}
	switch tree.Op {
	case syntax.OpLiteral:
		m.b.WriteString(string(tree.Rune))
	case syntax.OpCharClass:
		m.b.WriteRune(readableRune(tree.Rune, m.variant))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		m.b.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range tree.Sub {
			m.write(part)
		}
	case syntax.OpAlternate:
		m.write(tree.Sub[m.variant%len(tree.Sub)])
	case syntax.OpStar, syntax.OpQuest:
		m.repeat(tree, 0)
	case syntax.OpPlus:
		m.repeat(tree, 1)
	case syntax.OpRepeat:
		m.repeat(tree, tree.Min)
	}
}

func (m *patternWriter) repeat(tree *syntax.Regexp, minimum int) {
	count := minimum + m.repeats
	if tree.Op == syntax.OpQuest {
		count = min(count, 1)
	}
	if tree.Op == syntax.OpRepeat && tree.Max >= 0 {
		count = min(count, tree.Max)
	}
	for range count {
		m.write(tree.Sub[0])
	}
}

const (
	readable      = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	readableCount = len(readable)
)

// readableRune returns a letter, a digit or a blank of a character class if it has one.
// From the variant readableCount on, it returns the bounds of the class.
func readableRune(class []rune, variant int) rune {
	if variant >= readableCount && len(class) > 0 {
		return class[(variant-readableCount)%len(class)]
	}
	for i := range readable {
		r := rune(readable[(i+variant)%len(readable)])
		if isInClass(class, r) {
			return r
		}
	}
	switch {
	case len(class) == 0:
		return 'x'
	case isInClass(class, ' '):
		return ' '
	}
	return class[0]
}

// isInClass reports whether a character class, a list of ranges, contains a rune.
func isInClass(class []rune, r rune) bool {
	for i := 0; i+1 < len(class); i += 2 {
		if class[i] <= r && r <= class[i+1] {
			return true
		}
	}
	return false
}
