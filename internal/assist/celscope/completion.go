package celscope

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// Cursor is a position in an expression.
type Cursor struct {
	// Expression is the whole expression, and Before the part before the cursor.
	Expression, Before string
	// Position is the cursor's position in the document.
	Position playground.Position
	// Word is the range of a hover that describes nothing.
	Word playground.Range
	// NeedsBlank reports that YAML requires a blank before an insertion.
	NeedsBlank bool
}

// Complete lists the completion items at the cursor.
func (s *Scope) Complete(c Cursor) playground.Completion {
	before := c.Before
	word := before[len(strings.TrimRight(before, wordCharacters)):]
	completion := playground.Completion{Range: wordRange(c, word), Items: []playground.CompletionItem{}}
	tokens, isOpen := celtoken.Tokenize(before)
	if isOpen || word != "" && word[0] <= '9' {
		return completion
	}
	if word != "" {
		tokens = tokens[:len(tokens)-1]
	}
	inner := s.withMacroVariables(before, tokens)
	end := len(tokens)
	if end > 1 && tokens[end-1].Text == "?" {
		end--
	}
	if end > 0 && tokens[end-1].Text == "." {
		operand := sourceOf(before, tokens[operandStart(tokens, end-1):end-1])
		completion.Items = inner.memberItems(operand)
	} else {
		completion.Items = inner.globalItems(word)
	}
	if c.NeedsBlank {
		for i := range completion.Items {
			completion.Items[i].Insert = " " + completion.Items[i].Insert
			for j := range completion.Items[i].Stops {
				completion.Items[i].Stops[j]++
			}
		}
	}
	return completion
}

const wordCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// wordRange returns the range of the word before the cursor. A word does not span lines.
func wordRange(c Cursor, word string) playground.Range {
	at := c.Position
	start := at
	start.Character = max(0, start.Character-len(word))
	return playground.Range{Start: start, End: at}
}

// memberItems lists the fields, functions and macros of an operand.
func (s *Scope) memberItems(operand string) []playground.CompletionItem {
	items := append([]playground.CompletionItem{}, s.qualifiedItems(operand)...)
	for _, name := range s.declared[operand] {
		items = append(items, playground.CompletionItem{
			Label: name, Kind: playground.ItemVariable, Detail: s.TypeName(s.typeOf(operand + "." + name)),
			Insert: name, Stops: []int{},
		})
	}
	typ := s.typeOf(operand)
	if typ == nil {
		return items
	}
	if isOptional(typ) && len(typ.Parameters()) == 1 {
		items = append(items, s.fieldItems(typ.Parameters()[0].TypeName())...)
	}
	items = append(items, s.fieldItems(typ.TypeName())...)
	items = append(items, s.macroItems(typ)...)
	return append(items, s.functionItems(typ)...)
}

func (s *Scope) fieldItems(typeName string) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	schema := s.schemaOf(typeName)
	for _, name := range s.fieldNames(typeName) {
		item := playground.CompletionItem{
			Label: name, Kind: playground.ItemField, Insert: name, Stops: []int{},
			Detail: s.TypeName(s.types[typeName].Fields[name].Type.CelType()),
		}
		property := schema.At(typePath(name))
		if schema.Schema != nil && property.Schema != nil {
			item.Description = property.Documentation()
		}
		items = append(items, item)
	}
	return items
}

// listMacros lists the macros of lists and maps with their signatures.
var listMacros = []struct {
	name, signature, insert string
	stop                    int
}{
	{"all", "(x, condition) -> bool", "all(x, )", 7},
	{"exists", "(x, condition) -> bool", "exists(x, )", 10},
	{"exists_one", "(x, condition) -> bool", "exists_one(x, )", 14},
	{"filter", "(x, condition) -> list", "filter(x, )", 10},
	{"map", "(x, value) -> list", "map(x, )", 7},
}

func (s *Scope) macroItems(typ *types.Type) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	if typ.Kind() != types.ListKind && typ.Kind() != types.MapKind {
		return items
	}
	for _, macro := range listMacros {
		if typ.Kind() == types.MapKind && (macro.name == "filter" || macro.name == "map") {
			continue
		}
		items = append(items, playground.CompletionItem{
			Label: macro.name, Kind: playground.ItemMacro, Detail: macro.signature, Description: s.macroDescription(macro.name),
			Insert: macro.insert, Stops: []int{macro.stop},
		})
	}
	return items
}

func (s *Scope) macroDescription(name string) string {
	for _, macro := range s.env.Macros() {
		if documented, ok := macro.(common.Documentor); ok && macro.Function() == name {
			if doc := documented.Documentation(); doc != nil && doc.Description != "" {
				return doc.Description
			}
		}
	}
	return ""
}

// functionItems lists the member functions of a type.
func (s *Scope) functionItems(typ *types.Type) []playground.CompletionItem {
	if typ.Kind() == types.DynKind {
		return nil
	}
	anyName := func(name string) (string, bool) { return name, true }
	return s.listFunctions(anyName, func(overload *decls.OverloadDecl) bool {
		return overload.IsMemberFunction() && accepts(overload.ArgTypes()[0], typ)
	})
}

// listFunctions lists the functions that have a label and an overload that fits, by name.
func (s *Scope) listFunctions(label func(name string) (string, bool), fits func(*decls.OverloadDecl) bool) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	functions := s.env.Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		label, ok := label(name)
		if !ok || !isFunctionName(label) {
			continue
		}
		signatures, hasParameters := s.signatures(functions[name], fits)
		if len(signatures) > 0 {
			items = append(items, functionItem(label, signatures, hasParameters, functionDescription(functions[name])))
		}
	}
	return items
}

func isGlobalFunction(overload *decls.OverloadDecl) bool { return !overload.IsMemberFunction() }

// isFunctionName reports whether a name belongs to a function, not to an operator such as
// _==_ or @in.
func isFunctionName(name string) bool {
	return name != "" && name != operators.OldIn && !strings.ContainsAny(name, "_@")
}

// accepts reports whether a parameter accepts values of a type.
func accepts(parameter, typ *types.Type) bool {
	switch {
	case parameter.Kind() == types.TypeParamKind:
		return true
	case parameter.Kind() == types.DynKind:
		return typ.Kind() != types.StructKind
	case parameter.Kind() != typ.Kind() || len(parameter.Parameters()) != len(typ.Parameters()):
		return false
	case len(parameter.Parameters()) == 0:
		return parameter.TypeName() == typ.TypeName()
	}
	if parameter.TypeName() != typ.TypeName() {
		return false
	}
	for i, inner := range parameter.Parameters() {
		if !accepts(inner, typ.Parameters()[i]) && typ.Parameters()[i].Kind() != types.DynKind {
			return false
		}
	}
	return true
}

// signatures returns the distinct signatures of a function's overloads that fit, without
// the receiver, and reports whether any has parameters.
func (s *Scope) signatures(function *decls.FunctionDecl, fits func(*decls.OverloadDecl) bool) (signatures []string, hasParameters bool) {
	for _, overload := range function.OverloadDecls() {
		if !fits(overload) {
			continue
		}
		arguments := overload.ArgTypes()
		if overload.IsMemberFunction() {
			arguments = arguments[1:]
		}
		hasParameters = hasParameters || len(arguments) > 0
		var names []string
		for _, argument := range arguments {
			names = append(names, s.TypeName(argument))
		}
		signature := "(" + strings.Join(names, ", ") + ") -> " + s.TypeName(overload.ResultType())
		if !slices.Contains(signatures, signature) {
			signatures = append(signatures, signature)
		}
	}
	return signatures, hasParameters
}

func functionItem(name string, signatures []string, hasParameters bool, description string) playground.CompletionItem {
	item := playground.CompletionItem{
		Label: name, Kind: playground.ItemFunction, Detail: signatures[0], Description: description,
		Insert: name + "()", Stops: []int{},
	}
	if hasParameters {
		item.Stops = []int{utf8.RuneCountInString(name) + 1}
	}
	if len(signatures) > 1 {
		item.Description = strings.TrimSpace(item.Description + "\n" + strings.Join(signatures[1:], "\n"))
	}
	return item
}

func functionDescription(function *decls.FunctionDecl) string {
	if description := function.Description(); description != "" {
		return description
	}
	return libraryDescriptions[function.Name()]
}

// globalItems lists the variables and the functions without a receiver.
func (s *Scope) globalItems(word string) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	for _, variable := range s.env.Variables() {
		name := variable.Name()
		if strings.ContainsAny(name, ".@") || variable.Type().Kind() == types.TypeKind {
			continue
		}
		items = append(items, playground.CompletionItem{
			Label: name, Kind: playground.ItemVariable, Detail: s.TypeName(variable.Type()),
			Description: variableDescriptions[name], Insert: name, Stops: []int{},
		})
	}
	slices.SortStableFunc(items, func(a, b playground.CompletionItem) int { return variableRank(a.Label) - variableRank(b.Label) })
	items = append(items, playground.CompletionItem{
		Label: "has", Kind: playground.ItemMacro, Detail: "(object.field) -> bool", Description: s.macroDescription("has"), Insert: "has()", Stops: []int{4},
	})
	if word == "" {
		return items
	}
	unqualified := func(name string) (string, bool) { return name, !strings.Contains(name, ".") }
	items = append(items, s.listFunctions(unqualified, isGlobalFunction)...)
	return append(items, s.namespaceItems()...)
}

func variableRank(name string) int {
	if name == "self" || name == "object" {
		return 0
	}
	return 1
}

// namespaceItems lists the namespaces of functions, such as math for math.greatest.
func (s *Scope) namespaceItems() []playground.CompletionItem {
	items := []playground.CompletionItem{}
	var seen []string
	for _, name := range slices.Sorted(maps.Keys(s.env.Functions())) {
		space, _, qualified := strings.Cut(name, ".")
		if qualified && isFunctionName(space) && !slices.Contains(seen, space) && !s.env.HasFunction(space) {
			seen = append(seen, space)
			items = append(items, playground.CompletionItem{
				Label: space, Kind: playground.ItemFunction, Detail: "functions", Insert: space + ".", Stops: []int{},
			})
		}
	}
	return items
}

// qualifiedItems lists the functions of a namespace, such as math.greatest.
func (s *Scope) qualifiedItems(space string) []playground.CompletionItem {
	if space == "" {
		return nil
	}
	qualified := func(name string) (string, bool) { return strings.CutPrefix(name, space+".") }
	return s.listFunctions(qualified, isGlobalFunction)
}
