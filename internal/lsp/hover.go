package lsp

import (
	"context"
	"fmt"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/playground"
)

// hover describes the element at a position: its schema or its CEL type, its facts, what the
// API server makes of its value, and the rules that read it.
func (s snapshot) hover(ctx context.Context, t target, cursor playground.Cursor, _ struct{}) (*protocol.Hover, error) {
	response, err := s.assistant.Respond(ctx, playground.AssistRequest{Hover: &cursor})
	if err != nil {
		return nil, err
	}
	explained, err := s.explain(ctx, cursor)
	if err != nil {
		return nil, err
	}
	h := response.Hover
	if h.Title == "" && len(explained.Rules) == 0 {
		return nil, nil
	}
	var text strings.Builder
	text.WriteString(description(*h))
	for _, r := range explained.Rules {
		text.WriteString("- " + ruleLine(r) + "\n")
	}
	return hoverOf(text.String(), *h, s.rangeIn(t.document.File, t.document.InFile(h.Range))), nil
}

// markerHover describes the marker at a position in a Go file, or the element of its rule.
func (s snapshot) markerHover(ctx context.Context, f *file, l cursorLine) (*protocol.Hover, error) {
	h := gotypes.Hover(playground.GoCursor{Text: f.text, Position: l.at})
	place := h.Range
	if r, ok := ruleAt(f, l); ok {
		cursor, ok, err := s.cursorInRule(ctx, r)
		if err != nil || !ok {
			return nil, err
		}
		response, err := s.assistant.Respond(ctx, playground.AssistRequest{Hover: &cursor})
		if err != nil {
			return nil, err
		}
		h, place = response.Hover, inRule(response.Hover.Range, cursor, l)
	}
	if h.Title == "" {
		return nil, nil
	}
	return hoverOf(description(*h), *h, s.rangeIn(l.File, place)), nil
}

// hoverOf returns a description of a range, which may be empty.
func hoverOf(text string, h playground.Hover, place protocol.Range) *protocol.Hover {
	hover := &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: strings.TrimRight(text, "\n")}}
	if h.Range.Start != h.Range.End {
		hover.Range = &place
	}
	return hover
}

// description describes an element in Markdown, without its rules.
func description(h playground.Hover) string {
	var text strings.Builder
	if h.Title != "" {
		fmt.Fprintf(&text, "**%s** `%s`\n\n", h.Title, h.Type)
	}
	if h.Description != "" {
		text.WriteString(h.Description + "\n\n")
	}
	for _, f := range h.Facts {
		if f.Name != "rule" { // they follow with their results
			fmt.Fprintf(&text, "- %s: %s\n", f.Name, code(f.Text))
		}
	}
	return text.String()
}

// ruleLine describes a rule with its result and its cost.
func ruleLine(r playground.ExplainedRule) string {
	line := "rule " + code(strings.Join(strings.Fields(r.Rule.Rule), " "))
	if r.Result != nil {
		line += ": " + string(r.Result.Outcome)
	}
	if r.Rule.Error != "" {
		return line + ": does not compile"
	}
	return line + fmt.Sprintf(", cost %s", costOf(r.Rule))
}

// costOf returns the estimated cost of a rule as a share of its limit.
func costOf(r playground.Rule) string {
	if r.CostLimit == 0 {
		return fmt.Sprint(r.EstimatedCost)
	}
	share := float64(r.EstimatedCost) / float64(r.CostLimit)
	switch {
	case share > 1:
		return fmt.Sprintf("%.3g times the limit", share)
	case share < 0.001:
		return "below 0.1 % of the limit"
	}
	return fmt.Sprintf("%.2g %% of the limit", 100*share)
}

// code returns a string as inline code of Markdown.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// explain relates a position to the result of the request.
func (s snapshot) explain(ctx context.Context, cursor playground.Cursor) (*playground.Explanation, error) {
	response, err := s.assistant.Respond(ctx, playground.AssistRequest{Explain: &cursor})
	return response.Explain, err
}
