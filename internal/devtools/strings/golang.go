package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// readGo returns the literals of a Go file that users may see.
func readGo(content []byte) ([]visible, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return literals(file, files, 0), nil
}

// readExpression returns the literals of a Go expression in a template, which begins at a
// line.
func readExpression(source string, line int) []visible {
	files := token.NewFileSet()
	expression, err := parser.ParseExprFrom(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil // It is a part of an expression, such as the head of a loop.
	}
	return literals(expression, files, line-1)
}

// titleFields are the names of the fields whose values users see, even single words.
var titleFields = []string{"title", "label", "word", "hint", "about", "legend", "summary", "detail", "message", "text", "does"}

// machineCalls are the functions whose arguments are patterns or names for programs.
var machineCalls = []string{"pattern", "MustCompile", "Handle", "HandleFunc", "Getenv", "Contains", "HasPrefix", "HasSuffix", "TrimPrefix", "TrimSuffix", "Cut", "CutPrefix", "CutSuffix", "Index", "Split", "Join", "panic"}

// literals returns the strings below a node. Concatenated strings are one string, with "…"
// for the parts that are not literals.
func literals(root ast.Node, files *token.FileSet, before int) []visible {
	var found []visible
	add := func(node ast.Node, text string) {
		found = append(found, visible{Line: before + files.Position(node.Pos()).Line, Text: text})
	}
	var visit func(ast.Node) bool
	visit = func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ImportSpec, *ast.CaseClause:
			if clause, ok := n.(*ast.CaseClause); ok {
				for _, statement := range clause.Body {
					ast.Inspect(statement, visit)
				}
			}
			return false
		case *ast.Field: // Its tag is not a string for users.
			return n.Tag == nil
		case *ast.CallExpr:
			return !slices.Contains(machineCalls, nameOf(n.Fun))
		case *ast.KeyValueExpr:
			if text, ok := textOf(n.Value); ok && slices.Contains(titleFields, strings.ToLower(nameOf(n.Key))) && hasLetter(text) {
				add(n.Value, text)
				return false
			}
		case *ast.BinaryExpr:
			if text, ok := textOf(n); ok {
				if hasWords(text) {
					add(n, text)
				}
				return false
			}
		case *ast.BasicLit:
			if text, ok := textOf(n); ok && hasWords(text) {
				add(n, text)
			}
		}
		return true
	}
	ast.Inspect(root, visit)
	return found
}

// nameOf returns the last name of an expression such as fmt.Sprintf.
func nameOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// textOf returns the string of a literal or of a concatenation that has one.
func textOf(expression ast.Expr) (text string, ok bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, isLeft := textOf(e.X)
		right, isRight := textOf(e.Y)
		switch {
		case !isLeft && !isRight:
			return "", false
		case !isLeft:
			left = "…"
		case !isRight:
			right = "…"
		}
		return left + right, true
	}
	return "", false
}

func hasLetter(text string) bool {
	return strings.ContainsFunc(text, unicode.IsLetter)
}

// hasWords reports whether a string has two words, one of them of letters.
func hasWords(text string) bool {
	words := strings.Fields(text)
	isWord := func(word string) bool {
		word = strings.Trim(word, `.,:;()"'`)
		return len(word) > 1 && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	}
	return len(words) > 1 && slices.ContainsFunc(words, isWord)
}
