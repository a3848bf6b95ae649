package main

import (
	"slices"
	"strings"

	templ "github.com/a-h/templ/parser/v2"
)

// visibleAttributes are the attributes that browsers show or read aloud.
var visibleAttributes = []string{"alt", "aria-label", "aria-description", "content", "placeholder", "title"}

// inlineElements are parts of the sentence around them.
var inlineElements = []string{"a", "b", "code", "em", "kbd", "small", "span", "strong"}

// readTemplate returns the text, the visible attributes and the literals in the expressions
// of a templ file.
func readTemplate(content []byte) ([]visible, error) {
	file, err := templ.ParseString(string(content))
	if err != nil {
		return nil, err
	}
	t := &template{}
	for _, node := range file.Nodes {
		switch n := node.(type) {
		case *templ.HTMLTemplate:
			t.addBlock(n.Children)
		case *templ.TemplateFileGoExpression:
			t.addGo(n)
		}
	}
	return t.found, nil
}

type template struct {
	found []visible
}

// addGo adds the literals of declarations between the templates.
func (t *template) addGo(code *templ.TemplateFileGoExpression) {
	const head = "package p\n"
	found, err := readGo([]byte(head + code.Expression.Value))
	if err != nil {
		return // It only has comments.
	}
	for _, v := range found {
		v.Line += int(code.Expression.Range.From.Line) - strings.Count(head, "\n")
		t.found = append(t.found, v)
	}
}

// addBlock adds the sentences of the nodes: adjacent text, expressions and inline elements.
func (t *template) addBlock(nodes []templ.Node) {
	var sentence strings.Builder
	line := 0
	end := func() {
		if text := strings.Join(strings.Fields(sentence.String()), " "); hasLetter(text) {
			t.found = append(t.found, visible{Line: line, Text: text})
		}
		sentence.Reset()
		line = 0
	}
	var add func(nodes []templ.Node)
	add = func(nodes []templ.Node) {
		for _, node := range nodes {
			switch n := node.(type) {
			case *templ.Text:
				if line == 0 {
					line = int(n.Range.From.Line) + 1
				}
				sentence.WriteString(n.Value + string(n.TrailingSpace))
			case *templ.StringExpression:
				t.addExpression(n.Expression)
				sentence.WriteString("…" + string(n.TrailingSpace))
			case *templ.Whitespace:
				sentence.WriteString(" ")
			case *templ.Element:
				t.addAttributes(n.Attributes, n.Range)
				if slices.Contains(inlineElements, n.Name) {
					if len(n.Children) == 0 {
						sentence.WriteString("…") // The page's script fills it in.
					}
					add(n.Children)
					sentence.WriteString(string(n.TrailingSpace))
					continue
				}
				end()
				t.addBlock(n.Children)
			default:
				end()
				t.addOther(n)
			}
		}
	}
	add(nodes)
	end()
}

// addOther adds the strings of conditions, loops, calls and Go code.
func (t *template) addOther(node templ.Node) {
	switch n := node.(type) {
	case *templ.TemplElementExpression:
		t.addExpression(n.Expression)
	case *templ.CallTemplateExpression:
		t.addExpression(n.Expression)
	}
	if parent, ok := node.(templ.CompositeNode); ok {
		t.addBlock(parent.ChildNodes())
	}
}

func (t *template) addAttributes(attributes []templ.Attribute, element templ.Range) {
	for _, attribute := range attributes {
		switch a := attribute.(type) {
		case *templ.ConstantAttribute:
			if slices.Contains(visibleAttributes, a.Key.String()) && hasLetter(a.Value) {
				t.found = append(t.found, visible{Line: int(element.From.Line) + 1, Text: a.Value})
			}
		case *templ.ExpressionAttribute:
			if slices.Contains(visibleAttributes, a.Key.String()) {
				t.addExpression(a.Expression)
			}
		case *templ.ConditionalAttribute:
			t.addAttributes(a.Then, element)
			t.addAttributes(a.Else, element)
		}
	}
}

func (t *template) addExpression(expression templ.Expression) {
	t.found = append(t.found, readExpression(expression.Value, int(expression.Range.From.Line)+1)...)
}
