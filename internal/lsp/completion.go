package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/playground"
)

// itemKinds maps the kinds of completion items to the protocol's kinds.
var itemKinds = map[playground.ItemKind]protocol.CompletionItemKind{
	playground.ItemField:    protocol.CompletionItemKindField,
	playground.ItemValue:    protocol.CompletionItemKindValue,
	playground.ItemVariable: protocol.CompletionItemKindVariable,
	playground.ItemFunction: protocol.CompletionItemKindFunction,
	playground.ItemMacro:    protocol.CompletionItemKindKeyword,
}

// completion lists the fields, values and CEL names at a position.
func (s snapshot) completion(ctx context.Context, t target, cursor playground.Cursor, _ struct{}) (protocol.CompletionList, error) {
	response, err := s.assistant.Respond(ctx, playground.AssistRequest{Complete: &cursor})
	if err != nil {
		return protocol.CompletionList{}, err
	}
	return s.items(*response.Complete, s.rangeIn(t.document.File, t.document.InFile(response.Complete.Range))), nil
}

// markerCompletion lists the markers or arguments at a position in a Go file, or what may follow in a rule.
func (s snapshot) markerCompletion(ctx context.Context, f *file, l cursorLine) (protocol.CompletionList, error) {
	r, ok := ruleAt(f, l)
	if !ok {
		completion := gotypes.Complete(playground.GoCursor{Text: f.text, Position: l.at})
		return s.items(*completion, s.rangeIn(l.File, completion.Range)), nil
	}
	cursor, ok, err := s.cursorInRule(ctx, r)
	if err != nil || !ok {
		return s.items(playground.Completion{}, protocol.Range{}), err
	}
	response, err := s.assistant.Respond(ctx, playground.AssistRequest{Complete: &cursor})
	if err != nil {
		return protocol.CompletionList{}, err
	}
	completion := *response.Complete
	for i := range completion.Items {
		completion.Items[i].Insert, completion.Items[i].Stops = r.quoted(completion.Items[i].Insert), nil
	}
	return s.items(completion, s.rangeIn(l.File, inRule(completion.Range, cursor, l))), nil
}

// inRule returns the range in a Go file of a range in a rule of the generated CRD.
func inRule(in playground.Range, cursor playground.Cursor, l cursorLine) playground.Range {
	place := playground.Range{Start: l.at, End: l.at}
	place.Start.Character -= cursor.Position.Character - in.Start.Character
	place.End.Character += in.End.Character - cursor.Position.Character
	return place
}

// items returns completion items that replace a range.
func (s snapshot) items(completion playground.Completion, place protocol.Range) protocol.CompletionList {
	list := protocol.CompletionList{Items: []protocol.CompletionItem{}}
	for i, item := range completion.Items {
		list.Items = append(list.Items, s.item(i, item, place))
	}
	return list
}

// item returns a completion item. The editor sorts by a string, which is the index.
func (s snapshot) item(index int, item playground.CompletionItem, place protocol.Range) protocol.CompletionItem {
	made := protocol.CompletionItem{
		Label: item.Label, Kind: new(itemKinds[item.Kind]), SortText: new(fmt.Sprintf("%04d", index)),
		TextEdit: protocol.TextEdit{Range: place, NewText: item.Insert}, Data: item.Description,
	}
	if item.Detail != "" {
		made.Detail = &item.Detail
	}
	if item.Required {
		made.Detail = new(strings.TrimSpace(item.Detail + " required"))
	}
	// The lines of an item have the indentation of the document.
	made.InsertTextMode = new(protocol.InsertTextModeAsIs)
	if s.client.snippets && len(item.Stops) > 0 {
		made.InsertTextFormat = new(protocol.InsertTextFormatSnippet)
		made.TextEdit = protocol.TextEdit{Range: place, NewText: snippet(item.Insert, item.Stops)}
	}
	return made
}

// snippet returns a text with tab stops, in the syntax of the protocol.
func snippet(text string, stops []int) string {
	units := utf16.Encode([]rune(text))
	escape := strings.NewReplacer(`\`, `\\`, `$`, `\$`, `}`, `\}`)
	var b strings.Builder
	from := 0
	for i, stop := range slices.Sorted(slices.Values(stops)) {
		stop = min(stop, len(units))
		b.WriteString(escape.Replace(string(utf16.Decode(units[from:stop]))))
		fmt.Fprintf(&b, "${%d}", (i+1)%len(stops)) // the last stop is $0, the end
		from = stop
	}
	b.WriteString(escape.Replace(string(utf16.Decode(units[from:]))))
	return b.String()
}

// resolveCompletion adds the documentation of an item.
func (s snapshot) resolveCompletion(_ context.Context, raw json.RawMessage) (map[string]any, error) {
	var item map[string]any
	if err := json.Unmarshal(raw, &item); err != nil {
		return nil, err
	}
	if description, ok := item["data"].(string); ok && description != "" {
		item["documentation"] = protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: description}
	}
	return item, nil
}
