package assist

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// celScope is what an expression may use at the cursor.
type celScope struct {
	env *celgo.Env
	// types are those of objects, by their CEL name.
	types map[string]*apiservercel.DeclType
	// roots are the variables that have the type of a schema.
	roots map[string]celRoot
	// declared are members of variables whose type says nothing of them.
	declared map[string][]string
}

// celRoot is a variable whose fields a schema describes.
type celRoot struct {
	declType *apiservercel.DeclType
	schema   crdschema.Schema
}

// The expressions that are looked into: longer ones take long to check, and the
// memory that a pattern in one takes grows with the square of its groups.
const (
	maxExpression       = 1 << 16
	maxExpressionGroups = 500
)

func isTooLong(expression string) bool {
	return len(expression) > maxExpression || strings.Count(expression, "(") > maxExpressionGroups
}

// celScope returns nil if the cursor is in no expression.
func (p *cursorContext) celScope() *celScope {
	if p.trial != nil {
		return p.trial
	}
	n := len(p.Path)
	if p.Role != tolerant.AtValue && p.Role != tolerant.AtStart || n < 1 {
		return nil
	}
	field, _ := p.Path[n-1].(string)
	if isTooLong(p.Text) {
		return nil
	}
	switch p.document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
		isRule := n >= 3 && p.Path[n-3] == "x-kubernetes-validations" && (field == "rule" || field == "messageExpression")
		if !isRule || n-1 >= len(p.Nodes) {
			return nil
		}
		return ruleScope(p.types, p.Nodes[n-3], n >= 4 && p.Path[n-4] == "openAPIV3Schema", p.Nodes[n-1].Scalar("optionalOldSelf") == "true")
	case playground.DocumentAdmission:
		if policyExpressions[field] && p.policies != nil {
			return p.admissionScope()
		}
	}
	return nil
}

// policyExpressions are the fields of admission policies that hold CEL.
var policyExpressions = map[string]bool{"expression": true, "messageExpression": true, "valueExpression": true}

// ruleScope is the scope of the rules of a schema, as it stands in the text.
func ruleScope(known *crdschema.Types, node *tolerant.Node, root, optionalOldSelf bool) *celScope {
	props, ok := typedProps(node)
	if !ok {
		return nil
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil
	}
	root = root || structural.XEmbeddedResource
	declType := model.SchemaDeclType(structural, root)
	if declType == nil {
		return nil
	}
	schema := &spec.Schema{}
	if err := validation.ConvertJSONSchemaProps(props, schema); err != nil {
		return nil
	}
	if root {
		schema = known.WithTypeMeta(schema)
	}
	return selfScope(declType, crdschema.Schema{Schema: schema, Types: known}, optionalOldSelf)
}

// selfScope is the scope of the rules on values of a type, which a schema
// describes.
func selfScope(of *apiservercel.DeclType, schema crdschema.Schema, optionalOldSelf bool) *celScope {
	self := celRoot{of.MaybeAssignTypeName("selfType"), schema}
	old := self.declType.CelType()
	if optionalOldSelf {
		old = types.NewOptionalType(old)
	}
	return newCELScope(map[string]celRoot{cel.ScopedVarName: self, cel.OldScopedVarName: self},
		celgo.Variable(cel.ScopedVarName, self.declType.CelType()), celgo.Variable(cel.OldScopedVarName, old))
}

// newCELScope is the scope of new expressions with some variables, of which the
// roots are those that have the type of a schema. It returns nil if there can be
// none.
func newCELScope(roots map[string]celRoot, variables ...celgo.EnvOption) *celScope {
	scope := &celScope{types: map[string]*apiservercel.DeclType{}, roots: roots}
	var declTypes []*apiservercel.DeclType
	for name, root := range roots {
		if !slices.Contains(declTypes, root.declType) {
			declTypes = append(declTypes, root.declType)
		}
		for typeName, declType := range apiservercel.FieldTypeMap(name, root.declType) {
			scope.types[typeName] = declType
		}
	}
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: release.Version(0), EnvOptions: variables, DeclTypes: declTypes,
	})
	if err != nil {
		return nil
	}
	scope.env = set.NewExpressionsEnv()
	return scope
}

// typedProps decodes a schema of the text. What is not complete yet and cannot
// be decoded is left out where it is known to be of no use.
func typedProps(node *tolerant.Node) (*apiextensions.JSONSchemaProps, bool) {
	data, err := json.Marshal(node.Plain())
	if err != nil {
		return nil, false
	}
	v1, props := apiextensionsv1.JSONSchemaProps{}, &apiextensions.JSONSchemaProps{}
	if err := json.Unmarshal(data, &v1); err != nil {
		return nil, false
	}
	v1.XValidations = nil
	if apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, props, nil) != nil {
		return nil, false
	}
	return props, true
}

// within is the scope in an expression's loops: with their variables.
func (s *celScope) within(expression string, tokens []celToken) *celScope {
	inner := *s
	for _, loop := range celLoops(expression, tokens) {
		inner.declare(loop)
	}
	return &inner
}

func (s *celScope) declare(loop celLoop) {
	names := loop.variables()
	if len(names) == 0 {
		return
	}
	variables := map[string]*types.Type{}
	if loop.operand == "cel" && loop.macro == "bind" {
		if len(loop.arguments) > 2 {
			variables[names[0]] = s.typeOf(celSource(loop.arguments[1]))
		}
	} else {
		elementVariables(s.typeOf(loop.operand), names, variables)
	}
	var options []celgo.EnvOption
	for name, kind := range variables {
		if kind != nil {
			options = append(options, celgo.Variable(name, kind))
		}
	}
	if env, err := s.env.Extend(options...); err == nil {
		s.env = env
	}
}

// elementVariables are the types of the variables of a loop over a value.
func elementVariables(of *types.Type, names []string, variables map[string]*types.Type) {
	if of == nil {
		return
	}
	parameters := of.Parameters()
	switch {
	case of.Kind() == types.ListKind && len(names) == 1:
		variables[names[0]] = parameters[0]
	case of.Kind() == types.ListKind:
		variables[names[0]], variables[names[1]] = types.IntType, parameters[0]
	case of.Kind() == types.MapKind && len(names) == 1:
		variables[names[0]] = parameters[0]
	case of.Kind() == types.MapKind:
		variables[names[0]], variables[names[1]] = parameters[0], parameters[1]
	case isOptional(of):
		variables[names[0]] = parameters[0]
	default:
		for _, name := range names {
			variables[name] = types.DynType
		}
	}
}

// celSource writes tokens as an expression again.
func celSource(tokens []celToken) string {
	var b strings.Builder
	for i, token := range tokens {
		if i > 0 && token.start > tokens[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(token.text)
	}
	return b.String()
}

// typeOf is the type of a complete expression, or nil.
func (s *celScope) typeOf(expression string) *types.Type {
	checked := s.check(expression)
	if checked == nil {
		return nil
	}
	return checked.OutputType()
}

func (s *celScope) check(expression string) *celgo.Ast {
	if strings.TrimSpace(expression) == "" {
		return nil
	}
	checked, issues := s.env.Compile(expression)
	if issues.Err() != nil {
		return nil
	}
	return checked
}

// cost is what evaluating a complete expression costs at most, each time.
func (s *celScope) cost(checked *celgo.Ast) (uint64, bool) {
	estimate, err := s.env.EstimateCost(checked, &library.CostEstimator{SizeEstimator: sizeEstimator{s}})
	return estimate.Max, err == nil
}

// sizeEstimator tells the sizes that the schema allows, as that of the same
// name in k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.
type sizeEstimator struct{ scope *celScope }

func (e sizeEstimator) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 {
		return nil
	}
	at := e.scope.variableType(path[0])
	for _, name := range path[1:] {
		if at == nil {
			return nil
		}
		switch name {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			field, ok := at.Fields[name]
			if !ok {
				return nil
			}
			at = field.Type
		}
	}
	if at == nil {
		return nil
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (e sizeEstimator) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// variableType is the schema's type of a variable, which may be a loop's. In a
// rule any other name, such as that of a type, has the size of self, as upstream
// reckons.
func (s *celScope) variableType(name string) *apiservercel.DeclType {
	if root, ok := s.roots[name]; ok {
		return root.declType
	}
	if of := s.typeOf(name); of != nil && of.Kind() != types.TypeKind {
		return s.types[of.TypeName()]
	}
	return s.roots[cel.ScopedVarName].declType
}

// schemaOf is the schema of the objects of a type: the names of types are the
// paths that lead to them. Its Schema is nil if it is unknown.
func (s *celScope) schemaOf(typeName string) crdschema.Schema {
	for _, root := range s.roots {
		name := root.declType.TypeName()
		rest, ok := strings.CutPrefix(typeName, name)
		if !ok || rest != "" && rest[0] != '.' {
			continue
		}
		return root.schema.At(typePath(rest))
	}
	return crdschema.Schema{}
}

// typePath is the path of a schema in the name of a type.
func typePath(name string) []any {
	path := []any{}
	for step := range strings.SplitSeq(strings.TrimPrefix(name, "."), ".") {
		switch step {
		case "":
		case "@idx":
			path = append(path, 0)
		case "@elem":
			path = append(path, "")
		default:
			if unescaped, ok := apiservercel.Unescape(step); ok {
				step = unescaped
			}
			path = append(path, step)
		}
	}
	return path
}

// fieldNames are the fields of the objects of a type.
func (s *celScope) fieldNames(typeName string) []string {
	declType := s.types[typeName]
	if declType == nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(declType.Fields))
	schema := s.schemaOf(typeName)
	slices.SortStableFunc(names, func(a, b string) int { return fieldRank(schema, a) - fieldRank(schema, b) })
	return names
}

func fieldRank(schema crdschema.Schema, name string) int {
	if schema.Schema != nil && slices.Contains(schema.Required, name) {
		return 0
	}
	return 1
}

// celTypeName is a type as its users know it: objects of the schema are just
// objects.
func (s *celScope) celTypeName(of *types.Type) string {
	if of == nil {
		return ""
	}
	if _, isObject := s.types[of.TypeName()]; isObject {
		return "object"
	}
	var parameters []string
	for _, parameter := range of.Parameters() {
		parameters = append(parameters, s.celTypeName(parameter))
	}
	name := of.TypeName()
	switch {
	case isOptional(of):
		name = "optional"
	case of.Kind() == types.TypeParamKind:
		return strings.TrimPrefix(name, "@")
	case name == "google.protobuf.Timestamp", name == "google.protobuf.Duration":
		name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	default:
		name = strings.TrimPrefix(name, "kubernetes.")
	}
	if len(parameters) == 0 {
		return name
	}
	return name + "(" + strings.Join(parameters, ", ") + ")"
}

func isOptional(of *types.Type) bool { return of.TypeName() == "optional_type" }
