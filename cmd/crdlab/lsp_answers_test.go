package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// print prints an answer as YAML, with the names of files instead of their addresses.
func (s *session) print(line string, answer json.RawMessage) {
	if m := tokenData.FindSubmatch(answer); m != nil {
		fmt.Fprintf(&s.out, "%s\n%s\n", line, tokens(string(m[1])))
		return
	}
	text, err := yaml.JSONToYAML(bytes.ReplaceAll(answer, []byte(s.uri("")), nil))
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(&s.out, "%s\n%s\n", line, positions(timestamp.ReplaceAllString(string(text), `"(now)"`)))
}

// tokenData matches semantic tokens.
var tokenData = regexp.MustCompile(`^\{"data":\[([\d,]+)\]\}$`)

// tokens writes a line for each semantic token: the distances from the one before, the length
// and the type.
func tokens(data string) string {
	numbers := strings.Split(data, ",")
	var b strings.Builder
	for i := 0; i+4 < len(numbers); i += 5 {
		b.WriteString(strings.Join(numbers[i:i+4], " ") + "\n")
	}
	return b.String()
}

var timestamp = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)

// inner matches a range as YAML.
var inner = regexp.MustCompile(`(?m)^( *(?:- )*)(\w+):\n +end:\n +character: (\d+)\n +line: (\d+)\n +start:\n +character: (\d+)\n +line: (\d+)$`)

// positions writes each range in one line, counted from 1 as editors show it.
func positions(text string) string {
	return inner.ReplaceAllStringFunc(text, func(found string) string {
		m := inner.FindStringSubmatch(found)
		number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n + 1 }
		return fmt.Sprintf("%s%s: %d:%d-%d:%d", m[1], m[2], number(6), number(5), number(4), number(3))
	})
}
