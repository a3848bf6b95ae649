package finding

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// The limits of the documents that reach the API server's code. Nesting of about
// 2,000 levels overflows the stack of WebAssembly, a fatal error. The memory of
// a regular expression grows with the square of its groups. The sizes match the
// API server (a request body of 3 MiB) or exceed every known public CRD.
var (
	CRDText    = source.Limits{MaxBytes: 4 << 20, MaxDocuments: 100, MaxDepth: 200, MaxNodes: 500_000, MaxAliases: 1_000}
	ObjectText = source.Limits{MaxBytes: 3 << 20, MaxDocuments: 100, MaxDepth: 200, MaxNodes: 200_000, MaxAliases: 1_000}
)

const (
	maxRules         = 2000
	maxPatternLength = 4096
	maxPatternGroups = 500
)

// A limitError reports a document that exceeds a limit of this package.
type limitError struct {
	message string
	at      playground.Range
}

func (e *limitError) Error() string { return e.message }

// celKeys lists the fields of CRDs and admission policies that contain CEL.
var celKeys = map[string]bool{"rule": true, "messageExpression": true, "expression": true, "valueExpression": true}

// CheckText returns an error if the rules or patterns of a CRD or an admission
// policy would need too much time or memory.
func CheckText(doc *source.Document) error {
	c := textCheck{doc: doc}
	return c.walk(doc.Root().Node(), nil)
}

type textCheck struct {
	doc   *source.Document
	rules int
}

// A textStep is the last step of the path to a node, linked to the steps before it.
type textStep struct {
	before *textStep
	key    string
	index  int // of a sequence item; -1 for a mapping key
}

func (s *textStep) path() []any {
	if s == nil {
		return nil
	}
	if s.index >= 0 {
		return append(s.before.path(), s.index)
	}
	return append(s.before.path(), s.key)
}

func (c *textCheck) walk(node *yaml.Node, at *textStep) error {
	if node == nil {
		return nil
	}
	switch node.Kind {
	case yaml.SequenceNode:
		for i, item := range node.Content {
			if err := c.walk(item, &textStep{at, "", i}); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			step := textStep{at, node.Content[i].Value, -1}
			if err := c.checkScalar(step, node.Content[i+1]); err != nil {
				return err
			}
			if err := c.walk(node.Content[i+1], &step); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *textCheck) checkScalar(step textStep, value *yaml.Node) error {
	key := step.key
	if value.Kind != yaml.ScalarNode {
		return nil
	}
	if key != "pattern" && !celKeys[key] {
		return nil
	}
	groups := strings.Count(value.Value, "(")
	if celKeys[key] && key != "messageExpression" {
		c.rules++
	}
	switch {
	case c.rules > maxRules:
		return c.exceeded(step, "the input has more than %d rules", maxRules)
	case key == "pattern" && len(value.Value) > maxPatternLength:
		return c.exceeded(step, "a pattern is longer than %d bytes", maxPatternLength)
	case groups > maxPatternGroups:
		return c.exceeded(step, "a "+key+" has more than %d opening parentheses", maxPatternGroups)
	}
	return nil
}

func (c *textCheck) exceeded(step textStep, format string, most int) error {
	err := &limitError{message: fmt.Sprintf(format, most), at: c.doc.Range}
	if location, ok := c.doc.At(step.path()...); ok {
		err.at = location.Key()
	}
	return err
}

// LimitRange returns the range that exceeds a limit. It is false if err does not
// report a limit.
func LimitRange(err error) (playground.Range, bool) {
	var size *source.LimitError
	var own *limitError
	switch {
	case errors.As(err, &size):
		return size.Range, true
	case errors.As(err, &own):
		return own.at, true
	}
	return playground.Range{}, false
}
