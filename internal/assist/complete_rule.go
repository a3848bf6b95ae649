package assist

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
)

// complete lists what may stand at the end of the expression before the cursor.
func (s *celScope) complete(p *cursorContext) playground.Completion {
	before := p.Before
	word := before[len(strings.TrimRight(before, celWordCharacters)):]
	completion := playground.Completion{Range: celWordRange(p, word), Items: []playground.CompletionItem{}}
	tokens, isOpen := celTokens(before)
	if isOpen || word != "" && word[0] <= '9' {
		return completion
	}
	if word != "" {
		tokens = tokens[:len(tokens)-1]
	}
	inner := s.within(before, tokens)
	end := len(tokens)
	if end > 1 && tokens[end-1].text == "?" {
		end--
	}
	if end > 0 && tokens[end-1].text == "." {
		operand := celText(before, tokens[celOperand(tokens, end-1):end-1])
		completion.Items = inner.members(operand)
	} else {
		completion.Items = inner.globals(p, word)
	}
	if p.NeedsBlank {
		for i := range completion.Items {
			completion.Items[i].Insert = " " + completion.Items[i].Insert
			for j := range completion.Items[i].Stops {
				completion.Items[i].Stops[j]++
			}
		}
	}
	return completion
}

const celWordCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// celWordRange is the range of the word before the cursor, which no line break
// divides.
func celWordRange(p *cursorContext, word string) playground.Range {
	at := p.position
	start := at
	start.Character = max(0, start.Character-len(word))
	return playground.Range{Start: start, End: at}
}

// members are the fields, functions and macros of an operand.
func (s *celScope) members(operand string) []playground.CompletionItem {
	items := s.qualified(operand)
	for _, name := range s.declared[operand] {
		items = append(items, playground.CompletionItem{Label: name, Kind: playground.ItemVariable, Detail: s.celTypeName(s.typeOf(operand + "." + name)), Insert: name, Stops: []int{}})
	}
	of := s.typeOf(operand)
	if of == nil {
		return items
	}
	if isOptional(of) && len(of.Parameters()) == 1 {
		items = append(items, s.fieldItems(of.Parameters()[0].TypeName())...)
	}
	items = append(items, s.fieldItems(of.TypeName())...)
	items = append(items, s.macroItems(of)...)
	return append(items, s.functionItems(of)...)
}

func (s *celScope) fieldItems(typeName string) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	schema := s.schemaOf(typeName)
	for _, name := range s.fieldNames(typeName) {
		item := playground.CompletionItem{
			Label: name, Kind: playground.ItemField, Insert: name, Stops: []int{},
			Detail: s.celTypeName(s.types[typeName].Fields[name].Type.CelType()),
		}
		property := schema.At(typePath(name))
		if schema.Schema != nil && property.Schema != nil {
			item.Description = property.Documentation()
		}
		items = append(items, item)
	}
	return items
}

// celMacros are those for lists and maps, and what they take.
var celMacros = []struct {
	name, takes, insert string
	stop                int
}{
	{"all", "(x, condition) -> bool", "all(x, )", 7},
	{"exists", "(x, condition) -> bool", "exists(x, )", 10},
	{"exists_one", "(x, condition) -> bool", "exists_one(x, )", 14},
	{"filter", "(x, condition) -> list", "filter(x, )", 10},
	{"map", "(x, value) -> list", "map(x, )", 7},
}

func (s *celScope) macroItems(of *types.Type) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	if of.Kind() != types.ListKind && of.Kind() != types.MapKind {
		return items
	}
	for _, macro := range celMacros {
		if of.Kind() == types.MapKind && (macro.name == "filter" || macro.name == "map") {
			continue
		}
		items = append(items, playground.CompletionItem{
			Label: macro.name, Kind: playground.ItemMacro, Detail: macro.takes, Description: s.macroDescription(macro.name),
			Insert: macro.insert, Stops: []int{macro.stop},
		})
	}
	return items
}

func (s *celScope) macroDescription(name string) string {
	for _, macro := range s.env.Macros() {
		if documented, ok := macro.(common.Documentor); ok && macro.Function() == name {
			if doc := documented.Documentation(); doc != nil && doc.Description != "" {
				return doc.Description
			}
		}
	}
	return ""
}

// functionItems are the member functions that take a type.
func (s *celScope) functionItems(of *types.Type) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	functions := s.env.Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if !isFunctionName(name) || of.Kind() == types.DynKind {
			continue
		}
		signatures, takesMore := s.signatures(functions[name], func(overload *decls.OverloadDecl) bool {
			return overload.IsMemberFunction() && takes(overload.ArgTypes()[0], of)
		})
		if len(signatures) > 0 {
			items = append(items, functionItem(name, signatures, takesMore, functionDescription(functions[name])))
		}
	}
	return items
}

// isFunctionName tells functions from operators, such as _==_ and @in.
func isFunctionName(name string) bool {
	return name != "" && name != operators.OldIn && !strings.ContainsAny(name, "_@")
}

// takes says whether a parameter takes values of a type.
func takes(parameter, of *types.Type) bool {
	switch {
	case parameter.Kind() == types.TypeParamKind:
		return true
	case parameter.Kind() == types.DynKind:
		return of.Kind() != types.StructKind
	case parameter.Kind() != of.Kind() || len(parameter.Parameters()) != len(of.Parameters()):
		return false
	case len(parameter.Parameters()) == 0:
		return parameter.TypeName() == of.TypeName()
	}
	if parameter.TypeName() != of.TypeName() {
		return false
	}
	for i, inner := range parameter.Parameters() {
		if !takes(inner, of.Parameters()[i]) && of.Parameters()[i].Kind() != types.DynKind {
			return false
		}
	}
	return true
}

// signatures are the overloads of a function that fit, without the operand, and
// whether one of them takes more than that.
func (s *celScope) signatures(function *decls.FunctionDecl, fits func(*decls.OverloadDecl) bool) (signatures []string, takesMore bool) {
	for _, overload := range function.OverloadDecls() {
		if !fits(overload) {
			continue
		}
		arguments := overload.ArgTypes()
		if overload.IsMemberFunction() {
			arguments = arguments[1:]
		}
		takesMore = takesMore || len(arguments) > 0
		var names []string
		for _, argument := range arguments {
			names = append(names, s.celTypeName(argument))
		}
		signature := "(" + strings.Join(names, ", ") + ") -> " + s.celTypeName(overload.ResultType())
		if !slices.Contains(signatures, signature) {
			signatures = append(signatures, signature)
		}
	}
	return signatures, takesMore
}

func functionItem(name string, signatures []string, takesMore bool, description string) playground.CompletionItem {
	item := playground.CompletionItem{
		Label: name, Kind: playground.ItemFunction, Detail: signatures[0], Description: description,
		Insert: name + "()", Stops: []int{},
	}
	if takesMore {
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

// globals are the variables and the functions that are no members.
func (s *celScope) globals(p *cursorContext, word string) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	for _, variable := range s.env.Variables() {
		name := variable.Name()
		if strings.ContainsAny(name, ".@") || variable.Type().Kind() == types.TypeKind {
			continue
		}
		items = append(items, playground.CompletionItem{
			Label: name, Kind: playground.ItemVariable, Detail: s.celTypeName(variable.Type()),
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
	functions := s.env.Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if !isFunctionName(name) || strings.Contains(name, ".") {
			continue
		}
		signatures, takesMore := s.signatures(functions[name], func(overload *decls.OverloadDecl) bool { return !overload.IsMemberFunction() })
		if len(signatures) > 0 {
			items = append(items, functionItem(name, signatures, takesMore, functionDescription(functions[name])))
		}
	}
	return append(items, s.namespaces()...)
}

func variableRank(name string) int {
	if name == "self" || name == "object" {
		return 0
	}
	return 1
}

var variableDescriptions = map[string]string{
	"self":            "The value that the rule's schema describes.",
	"oldSelf":         "The same value before the update. Without optionalOldSelf the rule is skipped where there is none.",
	"object":          "The object of the request; null on DELETE.",
	"oldObject":       "The object before; null on CREATE.",
	"request":         "The AdmissionRequest.",
	"params":          "The object that the binding's paramRef names.",
	"namespaceObject": "The namespace of the object; null if it is in none.",
	"variables":       "The policy's spec.variables.",
	"authorizer":      "Asks what the user may do.",
}

// namespaces are what the names of functions such as math.greatest begin with.
func (s *celScope) namespaces() []playground.CompletionItem {
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

// qualified are the functions such as math.greatest whose names begin with what
// is before a dot.
func (s *celScope) qualified(space string) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	functions := s.env.Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		rest, ok := strings.CutPrefix(name, space+".")
		if !ok || !isFunctionName(rest) || space == "" {
			continue
		}
		signatures, takesMore := s.signatures(functions[name], func(overload *decls.OverloadDecl) bool { return !overload.IsMemberFunction() })
		if len(signatures) > 0 {
			items = append(items, functionItem(rest, signatures, takesMore, functionDescription(functions[name])))
		}
	}
	return items
}
