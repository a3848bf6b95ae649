package gotypes

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// lint returns the mistakes in the packages that controller-tools does not report.
func (p *places) lint() []manifest.Finding {
	var all []manifest.Finding
	p.eachMarker(func(o origin, comment *ast.Comment) {
		all = append(all, p.markerProblem(o, comment)...)
		all = append(all, p.quotedEnum(o, comment)...)
		all = append(all, p.spacedValue(o, comment)...)
		all = append(all, p.singleQuoted(o, comment)...)
		all = append(all, p.typographicQuote(o, comment)...)
	})
	for _, pkg := range p.roots {
		for node, list := range p.commentsOf(pkg).of {
			all = append(all, p.repeated(origin{pkg, node}, list)...)
		}
	}
	for ident, info := range p.parser.Types {
		if !p.isRoot(ident.Package) {
			continue
		}
		for _, field := range info.Fields {
			all = append(all, p.fieldProblem(ident.Package, field)...)
			all = append(all, p.requirement(ident.Package, field, p.parser.Schemata[ident])...)
			all = append(all, p.durations(ident.Package, field)...)
		}
		all = append(all, p.sameNames(ident, info)...)
		all = append(all, p.clientProblems(ident, info)...)
	}
	all = append(all, p.nestedDefaults()...)
	return append(all, p.plainComments()...)
}

// eachMarker calls a function for each marker in the packages. The node of a marker that
// belongs to no field or type is nil.
func (p *places) eachMarker(visit func(o origin, comment *ast.Comment)) {
	for _, pkg := range p.roots {
		comments := p.commentsOf(pkg)
		for node, list := range comments.of {
			for _, comment := range list {
				visit(origin{pkg, node}, comment)
			}
		}
		for _, comment := range comments.others {
			visit(origin{pkg, nil}, comment)
		}
	}
}

// hideInvalidMarkers hides the markers whose arguments are not valid from controller-tools, which otherwise ignores
// all types of their package. It returns an error for each, and the function that shows them again.
func (p *places) hideInvalidMarkers() (problems []manifest.Finding, restore func()) {
	hidden := map[*ast.Comment]string{}
	p.eachMarker(func(o origin, comment *ast.Comment) {
		definition := p.registry.Lookup(markerText(comment), target(o.node))
		if definition == nil {
			return
		}
		_, err := definition.Parse(markerText(comment))
		if err == nil {
			return
		}
		explained := p.parseAdvice(o, comment, definition)
		problems = append(problems, manifest.Finding{
			Place: p.marker(o, comment), Severity: playground.SeverityError,
			Message: fmt.Sprintf("+%s: %s", definition.Name, parseErrors(err)), Hint: explained.hint, Fixes: explained.fix,
		})
		hidden[comment] = comment.Text
	})
	for comment := range hidden {
		comment.Text = "// +" // a marker without a name, which describes nothing
	}
	return problems, func() {
		for comment, text := range hidden {
			comment.Text = text
		}
	}
}

// typeOf returns the type of an expression, or the type to which a pointer leads.
func typeOf(pkg *loader.Package, expr ast.Expr) types.Type {
	pkg.NeedTypesInfo()
	t := pkg.TypesInfo.TypeOf(expr)
	if t == nil {
		return types.Typ[types.Invalid]
	}
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

// schemaType returns the type in a schema of the values of a Go type. It reports false for types
// that controller-tools refuses, such as floats.
func schemaType(t types.Type) (name string, ok bool) {
	switch t := t.Underlying().(type) {
	case *types.Struct, *types.Map:
		return "object", true
	case *types.Slice:
		if types.Identical(t.Elem(), types.Typ[types.Byte]) {
			return "string", true
		}
		return "array", true
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return "string", true
		case t.Info()&types.IsInteger != 0:
			return "integer", true
		case t.Info()&types.IsBoolean != 0:
			return "boolean", true
		}
	}
	return "", false
}

// parseErrors returns the first message of a parser of markers, without its position. The
// others follow from it.
func parseErrors(err error) string {
	if list := (loader.ErrList)(nil); errors.As(err, &list) && len(list) > 0 {
		err = list[0]
	}
	if scanned := (*markers.ScannerError)(nil); errors.As(err, &scanned) {
		return strings.ReplaceAll(scanned.Msg, `missing argument ""`, "the value is missing") // A single value has no name.
	}
	return err.Error()
}

// argumentsHint lists the arguments of a marker; empty for a marker with a single value.
func argumentsHint(definition *markers.Definition) string {
	if definition.AnonymousField() || definition.Empty() {
		return ""
	}
	var required, optional []string
	for name, argument := range definition.Fields {
		if argument.Optional {
			optional = append(optional, name)
		} else {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	slices.Sort(optional)
	for i, name := range optional {
		optional[i] = name + " (optional)"
	}
	return "Its arguments are " + strings.Join(append(required, optional...), ", ") + "."
}

// foreign lists the prefixes of markers for other generators.
var foreign = []string{
	"kubebuilder:object", "kubebuilder:rbac", "kubebuilder:webhook", "kubebuilder:webhookconfiguration",
	"kubebuilder:scaffold", "kubebuilder:docs-gen", "kubebuilder:ac", "kubebuilder:docs",
}

// markerProblem reports a kubebuilder marker that has no effect at its node.
func (p *places) markerProblem(o origin, comment *ast.Comment) []manifest.Finding {
	text, name := markerText(comment), markerName(comment)
	if !strings.HasPrefix(name, "kubebuilder:") || p.registry.Lookup(text, target(o.node)) != nil {
		return nil
	}
	if slices.ContainsFunc(foreign, func(prefix string) bool { return name == prefix || strings.HasPrefix(name, prefix+":") }) {
		return nil
	}
	problem := manifest.Finding{Place: p.marker(o, comment), Severity: playground.SeverityWarning}
	if where := p.placesOf(text); where != "" {
		problem.Message = fmt.Sprintf("The marker +%s applies to %s, so it has no effect on %s.", p.definedName(text), where, targetNames[target(o.node)])
		return []manifest.Finding{problem}
	}
	problem.Message = fmt.Sprintf("The marker +%s does not exist, so controller-gen ignores it.", name)
	if explained, ok := p.colonAdvice(o, comment); ok {
		problem.Hint, problem.Fixes = explained.hint, explained.fix
		return []manifest.Finding{problem}
	}
	switch similar := p.similar(name, target(o.node)); {
	case strings.HasSuffix(similar, "UniqueItems"): // The API server refuses it.
		problem.Hint = "For a list with unique items, write +listType=set."
	case similar != "":
		problem.Hint = fmt.Sprintf("Did you mean +%s?", similar)
		problem.Fixes = p.renameFix(o, comment, name, similar)
	}
	return []manifest.Finding{problem}
}

// The targets of markers.
var (
	targets     = []markers.TargetType{markers.DescribesPackage, markers.DescribesType, markers.DescribesField}
	targetNames = map[markers.TargetType]string{
		markers.DescribesPackage: "a package", markers.DescribesType: "a type", markers.DescribesField: "a field",
	}
)

// placesOf returns the targets that a marker describes: "a field or a type". It is empty if
// the marker does not exist.
func (p *places) placesOf(text string) string {
	var all []string
	for _, t := range targets {
		if p.registry.Lookup(text, t) != nil {
			all = append(all, targetNames[t])
		}
	}
	return strings.Join(all, " or ")
}

// definedName returns the name of a marker without its arguments.
func (p *places) definedName(text string) string {
	for _, t := range targets {
		if definition := p.registry.Lookup(text, t); definition != nil {
			return definition.Name
		}
	}
	return text
}

// similar returns the name of the marker that is most similar to a name, or an empty string.
func (p *places) similar(name string, t markers.TargetType) string {
	best, least := "", len(name)/similarPart+1
	for _, definition := range p.registry.AllDefinitions() {
		if definition.Target != t {
			continue
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(definition.Name)); d < least || d == least && definition.Name < best {
			best, least = definition.Name, d
		}
	}
	return best
}

// similarPart is the number of characters for which a similar name may differ in one.
const similarPart = 5

// fieldProblem reports a field whose Go type contradicts its tag or its markers.
func (p *places) fieldProblem(pkg *loader.Package, field markers.FieldInfo) []manifest.Finding {
	tag, hasTag := field.Tag.Lookup("json")
	_, inline := jsonName(field)
	if !hasTag || tag == "-" {
		return nil
	}
	at := p.nameOf(origin{pkg, field.RawField})
	switch isNamed := len(field.RawField.Names) > 0; {
	case isNamed && !ast.IsExported(field.Name):
		if p.parser.IgnoreUnexportedFields {
			return nil
		}
		return []manifest.Finding{{
			Place: at, Severity: playground.SeverityWarning,
			Message: fmt.Sprintf("The schema has %s, but Go clients neither send nor read it, because its name begins with a lowercase letter.", field.Name),
			Hint:    "Begin the name with a capital letter, or add the JSON tag \"-\".",
		}}
	case isNamed && inline:
		return []manifest.Finding{{
			Place: at, Severity: playground.SeverityWarning,
			Message: fmt.Sprintf("The schema has the fields of %[1]s, but Go clients send an object %[1]s with them, because JSON inlines only embedded structs.", field.Name),
			Hint:    fmt.Sprintf("Remove the name %s, so that the struct is embedded, or begin the JSON tag with a name.", field.Name),
		}}
	case inline:
		return nil
	}
	omits := omitsZero(field)
	hasDefault := field.Markers.Get("kubebuilder:default") != nil || field.Markers.Get("default") != nil
	if !hasDefault || omits || p.isNilable(pkg, field.RawField.Type) {
		return nil
	}
	return []manifest.Finding{{
		Place:    at,
		Severity: playground.SeverityWarning,
		Message:  fmt.Sprintf("Go clients never get the default of %s: they always send the field, with its zero value if it is not set.", field.Name),
		Hint:     "Add omitempty to the JSON tag. Use a pointer if the zero value is valid and not the default.",
		Fixes:    p.omitFix(pkg, field.RawField),
	}}
}

// omitsZero reports whether Go clients leave out a field with its zero value.
func omitsZero(field markers.FieldInfo) bool {
	_, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	return hasOption(options, "omitempty") || hasOption(options, "omitzero")
}

// withHints adds hints to the errors about the types of fields.
func (p *places) withHints(problems []manifest.Finding) []manifest.Finding {
	hints := map[manifest.Place]advice{}
	for ident, info := range p.parser.Types {
		if p.isRoot(ident.Package) {
			for _, field := range info.Fields {
				p.addHints(hints, ident.Package, field)
			}
		}
	}
	for i, problem := range problems {
		at := manifest.Place{File: problem.File, Range: playground.Range{Start: problem.Range.Start}}
		problems[i].Hint = cmp.Or(problem.Hint, hints[at].hint)
		if len(problem.Fixes) == 0 {
			problems[i].Fixes = hints[at].fix
		}
	}
	return problems
}

// advice is a hint for an error, and a fix or nil.
type advice struct {
	hint string
	fix  []manifest.Fix
}

// addHints adds hints for a field, by the start of the errors about it.
func (p *places) addHints(hints map[manifest.Place]advice, pkg *loader.Package, field markers.FieldInfo) {
	add := func(node ast.Node, hint string, fix []manifest.Fix) {
		at := p.files.tokens(pkg.Fset, node.Pos(), node.Pos())
		hints[manifest.Place{File: at.File, Range: playground.Range{Start: at.Range.Start}}] = advice{hint, fix}
	}
	if _, ok := field.Tag.Lookup("json"); !ok {
		switch names := field.RawField.Names; {
		case len(names) == 0:
			add(field.RawField, "Add the JSON tag `json:\",inline\"`, which gives the fields of the embedded struct to this one.", p.addTag(pkg, field.RawField, `json:",inline"`))
			return
		case !ast.IsExported(field.Name):
			add(field.RawField, "Add the JSON tag `json:\"-\"`, because Go clients neither send nor read a field whose name begins with a lowercase letter.", p.addTag(pkg, field.RawField, `json:"-"`))
			return
		}
		add(field.RawField, "Add a JSON tag, such as `json:\"name,omitempty\"`, or `json:\"-\"` for a field that is not part of the object.", p.tagFix(pkg, field.RawField))
		return
	}
	pkg.NeedTypesInfo()
	ast.Inspect(field.RawField.Type, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Ident:
			name, ok := pkg.TypesInfo.ObjectOf(node).(*types.TypeName)
			if ok && name.Pkg() == nil {
				addNumberHint(node, name.Type(), add)
			}
			if !ok || !name.IsAlias() {
				break
			}
			switch types.Unalias(name.Type()).(type) {
			case *types.Map, *types.Slice, *types.Struct: // controller-gen does not support it
				add(node, fmt.Sprintf("%[1]s is an alias, so its markers have no effect. Remove the = from the declaration of %[1]s.", node.Name), nil)
			}
		case *ast.IndexExpr, *ast.IndexListExpr:
			add(node, "controller-gen does not support generic types. Declare a type without type parameters.", nil)
		case *ast.ChanType, *ast.FuncType:
			add(node, "JSON has no functions or channels. Add the JSON tag \"-\" if the field is not part of the object.", nil)
		case *ast.MapType:
			add(node.Key, "Change the type of the keys to string, or use a list with +listType=map and +listMapKey.", nil)
		case *ast.ParenExpr:
			add(node, "Remove the parentheses.", nil)
		case *ast.StructType:
			add(node, "Declare a type with a name for the struct, and use it here.", nil)
		}
		return true
	})
}

// addNumberHint adds a hint to a type of numbers that controller-tools refuses.
func addNumberHint(node *ast.Ident, t types.Type, add func(ast.Node, string, []manifest.Fix)) {
	switch basic, ok := t.(*types.Basic); {
	case !ok:
	case basic.Info()&types.IsFloat != 0:
		add(node, "Use an integer of a smaller unit, resource.Quantity, or a string with a pattern.", nil)
	case basic.Info()&types.IsComplex != 0:
		add(node, "JSON has no complex numbers. Use a string, or a struct with two numbers.", nil)
	}
}

// isNilable reports whether the zero value of a field is null in JSON.
func (p *places) isNilable(pkg *loader.Package, expr ast.Expr) bool {
	pkg.NeedTypesInfo()
	switch pkg.TypesInfo.TypeOf(expr).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer, *types.Interface, *types.Struct:
		return true
	}
	return false
}
