package lsp

import (
	"context"
	"fmt"
	"strconv"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/playground"
)

// methodInlayHint and the types of its messages are newer than the library's.
const methodInlayHint = "textDocument/inlayHint"

type inlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

type inlayHint struct {
	Position    protocol.Position `json:"position"`
	Label       string            `json:"label"`
	Tooltip     string            `json:"tooltip,omitempty"`
	PaddingLeft bool              `json:"paddingLeft"`
}

// inlayHints returns the defaults that the API server adds to objects, and the cost of the rules
// of CRDs.
func (s snapshot) inlayHints(ctx context.Context, f *file, p inlayHintParams) ([]inlayHint, error) {
	all := []inlayHint{}
	judged, err := f.judge(ctx, s)
	if err != nil {
		return all, err
	}
	for _, t := range s.targets(ctx, f) {
		if t.crd == nil || !overlaps(s.rangeIn(t.document.File, t.document.Range), p.Range) {
			continue
		}
		report := judged.reports[t.document]
		hints := s.costs(t, report)
		if t.document != t.crd {
			hints = s.defaults(t, report)
		}
		for _, h := range hints {
			if at := (protocol.Range{Start: h.Position, End: h.Position}); overlaps(at, p.Range) {
				all = append(all, h)
			}
		}
	}
	return all, nil
}

// defaults returns a hint for each value that lacks fields with defaults, after its key.
func (s snapshot) defaults(t target, report playground.Report) []inlayHint {
	var all []inlayHint
	if len(report.Objects) == 0 {
		return nil
	}
	for _, stage := range report.Objects[0].Stages {
		for _, c := range stage.Changes {
			if c.Cause != playground.CauseDefaulted || len(c.Steps) < 2 {
				continue
			}
			parent := make([]any, len(c.Steps)-1)
			for i := range parent {
				parent[i] = c.Steps[i]
				if n, err := strconv.Atoi(c.Steps[i]); err == nil {
					parent[i] = n
				}
			}
			at := s.rangeIn(t.document.File, t.document.InFile(t.document.At(parent...)))
			label := fmt.Sprintf("%s: %s", c.Steps[len(c.Steps)-1], shortened(string(c.Value)))
			end := s.lineEnd(t, at.End)
			if last := len(all) - 1; last >= 0 && all[last].Position == end {
				all[last].Label += ", " + label
				continue
			}
			all = append(all, inlayHint{Position: end, Label: "+ " + label, Tooltip: "The API server sets the default.", PaddingLeft: true})
		}
	}
	return all
}

// costs returns a hint for each rule, after its first line.
func (s snapshot) costs(t target, report playground.Report) []inlayHint {
	var all []inlayHint
	for _, r := range report.CRD.Rules {
		if r.Error != "" || t.document.Origin != nil {
			continue
		}
		at := s.rangeIn(t.document.File, t.document.InFile(r.Range))
		all = append(all, inlayHint{Position: s.lineEnd(t, at.Start), Label: costOf(r), Tooltip: "The estimated cost of the rule.", PaddingLeft: true})
	}
	return all
}

// lineEnd returns the end of the line of a position.
func (s snapshot) lineEnd(t target, p protocol.Position) protocol.Position {
	line := t.document.File.Line(int(p.Line))
	return s.positionIn(t.document.File, playground.Position{Line: int(p.Line), Character: unitsOf(line)})
}
