package crdschema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// formatSamples are texts of the formats that are validated.
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

// plainTexts are tried before one is made for a pattern, since they tell more.
var plainTexts = []string{"example", "example.com", "Example", "v1", "1", "1h", "https://example.com/", "/example", "example.com/example", "a", "100m", "10.0.0.0/8", "192.0.2.1"}

// maxSampleText is the length of the longest text that is made.
const maxSampleText = 4096

// text is within the lengths, and of the format and the pattern, if one is
// found.
func (s *sampler) text(schema Schema) string {
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
	for _, plain := range plainTexts {
		if text := s.varied(plain); fits(schema, text, pattern) {
			return text
		}
	}
	if pattern == nil {
		return s.resized(schema)
	}
	for repeats := range 40 {
		if text, ok := patternText(schema.Pattern, repeats, s.variant); ok && fits(schema, text, pattern) {
			return text
		}
	}
	return s.varied("example")
}

func (s *sampler) varied(text string) string {
	if s.variant == 0 {
		return text
	}
	return fmt.Sprintf("%s%d", text, s.variant)
}

// resized is a text of an allowed length.
func (s *sampler) resized(schema Schema) string {
	text := s.varied("example")
	if schema.MinLength != nil && int64(len(text)) < *schema.MinLength {
		text += strings.Repeat("e", int(min(*schema.MinLength, maxSampleText))-len(text))
	}
	if schema.MaxLength != nil && int64(len(text)) > *schema.MaxLength {
		text = text[len(text)-int(max(*schema.MaxLength, 0)):]
	}
	return text
}

func fits(schema Schema, text string, pattern *regexp.Regexp) bool {
	length := int64(utf8.RuneCountInString(text))
	switch {
	case schema.MinLength != nil && length < *schema.MinLength,
		schema.MaxLength != nil && length > *schema.MaxLength,
		pattern != nil && !pattern.MatchString(text):
		return false
	}
	return schema.Format == "" || schema.Pattern == "" || accepts(schema, text)
}

// patternText is a text for a pattern in which each repetition has so many times
// more than it must.
func patternText(pattern string, repeats, variant int) (string, bool) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	m := matcher{repeats: repeats, variant: variant}
	m.write(tree.Simplify())
	return m.b.String(), m.b.Len() < maxSampleText
}

type matcher struct {
	b                strings.Builder
	repeats, variant int
}

func (m *matcher) write(tree *syntax.Regexp) {
	if m.b.Len() >= maxSampleText {
		return
	}
	switch tree.Op {
	case syntax.OpLiteral:
		m.b.WriteString(string(tree.Rune))
	case syntax.OpCharClass:
		m.b.WriteRune(niceRune(tree.Rune, m.variant))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		m.b.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range tree.Sub {
			m.write(part)
		}
	case syntax.OpAlternate:
		m.write(tree.Sub[m.variant%len(tree.Sub)])
	case syntax.OpStar, syntax.OpQuest:
		m.times(tree, 0)
	case syntax.OpPlus:
		m.times(tree, 1)
	case syntax.OpRepeat:
		m.times(tree, tree.Min)
	}
}

func (m *matcher) times(tree *syntax.Regexp, least int) {
	most := least + m.repeats
	if tree.Op == syntax.OpQuest {
		most = min(most, 1)
	}
	if tree.Op == syntax.OpRepeat && tree.Max >= 0 {
		most = min(most, tree.Max)
	}
	for range most {
		m.write(tree.Sub[0])
	}
}

// niceRune is a letter or a digit of a class if it has one.
func niceRune(class []rune, variant int) rune {
	const nice = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for i := range nice {
		r := rune(nice[(i+variant)%len(nice)])
		for j := 0; j+1 < len(class); j += 2 {
			if class[j] <= r && r <= class[j+1] {
				return r
			}
		}
	}
	if len(class) == 0 {
		return 'x'
	}
	return class[0]
}
