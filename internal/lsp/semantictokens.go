package lsp

import (
	"context"
	"slices"
	"unicode/utf8"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// semanticTokens returns the tokens of the CEL expressions in a file, which other servers see as
// plain strings.
func (s snapshot) semanticTokens(_ context.Context, f *file, _ struct{}) (protocol.SemanticTokens, error) {
	tokens := protocol.SemanticTokens{Data: []uint32{}}
	last := protocol.Position{}
	for _, d := range f.read().Documents {
		for _, e := range expressionsOf(d, f.outline()[d]) {
			for _, token := range e.tokens {
				r := s.rangeIn(d.File, d.InFile(token.Range))
				if r.Start.Line != r.End.Line {
					continue // a literal of several lines
				}
				if r.Start.Line != last.Line {
					last.Character = 0
				}
				tokens.Data = append(tokens.Data, r.Start.Line-last.Line, r.Start.Character-last.Character, r.End.Character-r.Start.Character, token.kind, 0)
				last = r.Start
			}
		}
	}
	return tokens, nil
}

// An expression is a CEL expression in a document.
type expression struct{ tokens []token }

type token struct {
	playground.Range
	// kind is an index in legend.
	kind uint32
}

// expressionFields are the fields with CEL expressions of admission policies.
var expressionFields = []any{"expression", "messageExpression", "valueExpression"}

// expressionsOf returns the expressions of a CRD or an admission policy, in order.
func expressionsOf(d *manifest.Document, elements []element) []expression {
	isPolicy := d.Kind.Group == "admissionregistration.k8s.io"
	if !d.IsCRD && !isPolicy {
		return nil
	}
	var all []expression
	for _, e := range elements {
		for e := range e.all() {
			n := len(e.path)
			field := e.path[n-1]
			isRule := n >= 3 && e.path[n-3] == "x-kubernetes-validations" && (field == "rule" || field == "messageExpression")
			if !isRule && !(isPolicy && slices.Contains(expressionFields, field)) {
				continue
			}
			if scalar, ok := e.at.Scalar(); ok {
				all = append(all, expression{tokensOf(e.detail, scalar)})
			}
		}
	}
	return all
}

func tokensOf(text string, scalar source.Scalar) []token {
	found, _ := celtoken.Tokenize(text)
	var all []token
	for i, t := range found {
		start := utf8.RuneCountInString(text[:t.Start])
		isCall := i+1 < len(found) && found[i+1].Text == "("
		all = append(all, token{scalar.Range(start, start+utf8.RuneCountInString(t.Text)), kindOf(t, isCall)})
	}
	return all
}

func kindOf(t celtoken.Token, isCall bool) uint32 {
	name := "operator"
	switch {
	case t.IsString():
		name = "string"
	case t.IsName() && slices.Contains([]string{"true", "false", "null", "in"}, t.Text):
		name = "keyword"
	case t.IsName() && isCall:
		name = "function"
	case t.IsName():
		name = "variable"
	case t.IsWord():
		name = "number"
	}
	return uint32(slices.Index(legend, name)) //nolint:gosec // each name is in the legend
}
