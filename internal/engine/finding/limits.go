package finding

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// What texts may be handed to the API server's code. Deep nesting overflows
// the stack of WebAssembly at about 2,000 levels, which cannot be recovered
// from; the memory that a regular expression takes grows with the square of
// its groups. The sizes are what a server takes (1.5 MiB for an object in
// etcd) or more than any CRD in the wild has.
var (
	CRDText    = source.Limits{MaxBytes: 4 << 20, MaxDocuments: 100, MaxDepth: 200, MaxNodes: 500_000, MaxAliases: 1_000}
	ObjectText = source.Limits{MaxBytes: 3 << 19, MaxDocuments: 100, MaxDepth: 200, MaxNodes: 200_000, MaxAliases: 1_000}
)

const (
	maxRules         = 2000
	maxPatternLength = 4096
	maxPatternGroups = 500
)

// limitError says that a text exceeds a limit of this package.
type limitError struct {
	message string
	at      playground.Range
}

func (e *limitError) Error() string { return e.message }

// celKeys are the fields of CRDs and admission policies that hold CEL.
var celKeys = map[string]bool{"rule": true, "messageExpression": true, "expression": true, "valueExpression": true}

// CheckText finds what in a CRD or an admission policy would cost too much time or memory.
func CheckText(doc *source.Document) error {
	c := textCheck{doc: doc}
	return c.walk(doc.Root().Node(), nil)
}

type textCheck struct {
	doc   *source.Document
	rules int
}

// textStep is a step of the way to a node, and the steps before it.
type textStep struct {
	before *textStep
	key    string
	index  int // of an item, which has no key; else -1
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
		return c.exceeded(step, "the text has more than %d rules", maxRules)
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

// LimitRange is the place at which err, if it is about a limit, was passed.
func LimitRange(err error) (playground.Range, bool) {
	var text *source.LimitError
	var own *limitError
	switch {
	case errors.As(err, &text):
		return text.Range, true
	case errors.As(err, &own):
		return own.at, true
	}
	return playground.Range{}, false
}

// OfLimit reports a text that is not handed to the API server's code.
func OfLimit(document playground.Document, stage string, err error) playground.Finding {
	at, _ := LimitRange(err)
	return playground.Finding{
		Severity: playground.SeverityError,
		Stage:    stage,
		Reason:   playground.ReasonLimit,
		Message:  err.Error(),
		Document: document,
		Range:    at,
		Hint:     "This is a limit of the playground, not of Kubernetes: it keeps hostile texts from stalling it.",
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
}
