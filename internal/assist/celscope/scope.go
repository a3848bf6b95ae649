package celscope

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// Scope declares the variables, types and functions of an expression.
type Scope struct {
	env *celgo.Env
	// types holds the object types by CEL name.
	types map[string]*apiservercel.DeclType
	// roots holds the variables whose type follows from a schema.
	roots map[string]Variable
	// declared lists members of variables of type dyn, by variable.
	declared map[string][]string
}

// Variable is the type of a variable and the schema that documents its fields.
type Variable struct {
	Type   *apiservercel.DeclType
	Schema crdschema.Schema
}

// NewRuleScope returns the scope of the rules of a schema node in the source of a CRD. If
// isRoot is set, the node is the root of a version's schema. NewRuleScope returns nil if
// the schema cannot be decoded or has no CEL type.
func NewRuleScope(known *crdschema.Types, node *tolerant.Node, isRoot, optionalOldSelf bool) *Scope {
	props, ok := decodeSchema(node)
	if !ok {
		return nil
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil
	}
	isRoot = isRoot || structural.XEmbeddedResource
	declType := model.SchemaDeclType(structural, isRoot)
	if declType == nil {
		return nil
	}
	schema := &spec.Schema{}
	if err := validation.ConvertJSONSchemaProps(props, schema); err != nil {
		return nil
	}
	if isRoot {
		schema = known.WithTypeMeta(schema)
	}
	return NewSelfScope(declType, crdschema.Schema{Schema: schema, Types: known}, optionalOldSelf)
}

// decodeSchema decodes a schema without its rules, which may be incomplete. It reports
// false if another field prevents decoding.
func decodeSchema(node *tolerant.Node) (*apiextensions.JSONSchemaProps, bool) {
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

// NewSelfScope returns the scope of the rules for values of a type, with the schema of
// that type. It returns nil if the type cannot be declared.
func NewSelfScope(typ *apiservercel.DeclType, schema crdschema.Schema, optionalOldSelf bool) *Scope {
	self := selfOf(typ, schema)
	old := self.Type.CelType()
	if optionalOldSelf {
		old = types.NewOptionalType(old)
	}
	return newScope(map[string]Variable{cel.ScopedVarName: self, cel.OldScopedVarName: self},
		celgo.Variable(cel.ScopedVarName, self.Type.CelType()), celgo.Variable(cel.OldScopedVarName, old))
}

// NewValueScope returns the scope of an expression whose only variable is self. It returns nil if
// the type cannot be declared.
func NewValueScope(typ *apiservercel.DeclType, schema crdschema.Schema) *Scope {
	self := selfOf(typ, schema)
	return newScope(map[string]Variable{cel.ScopedVarName: self}, celgo.Variable(cel.ScopedVarName, self.Type.CelType()))
}

func selfOf(typ *apiservercel.DeclType, schema crdschema.Schema) Variable {
	return Variable{typ.MaybeAssignTypeName("selfType"), schema}
}

// newScope returns a scope with Kubernetes' CEL libraries, the variables and the types of
// the roots. It returns nil if a type or variable cannot be declared.
func newScope(roots map[string]Variable, variables ...celgo.EnvOption) *Scope {
	scope := &Scope{types: map[string]*apiservercel.DeclType{}, roots: roots}
	var declTypes []*apiservercel.DeclType
	for name, root := range roots {
		if !slices.Contains(declTypes, root.Type) {
			declTypes = append(declTypes, root.Type)
		}
		maps.Copy(scope.types, apiservercel.FieldTypeMap(name, root.Type))
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

// Compile parses and type-checks a complete expression.
func (s *Scope) Compile(expression string) (*celgo.Ast, *celgo.Issues) {
	return s.env.Compile(expression)
}

// Program prepares a compiled expression for evaluation.
func (s *Scope) Program(checked *celgo.Ast, options ...celgo.ProgramOption) (celgo.Program, error) {
	return s.env.Program(checked, options...)
}

// TrackMacroCalls returns the scope with an environment that records macro calls as
// written. It returns nil if the environment cannot be extended.
func (s *Scope) TrackMacroCalls() *Scope {
	env, err := s.env.Extend(celgo.EnableMacroCallTracking())
	if err != nil {
		return nil
	}
	tracking := *s
	tracking.env = env
	return &tracking
}

// typeOf returns the type of a complete expression, or nil if it does not compile.
func (s *Scope) typeOf(expression string) *types.Type {
	checked := s.check(expression)
	if checked == nil {
		return nil
	}
	return checked.OutputType()
}

// check compiles an expression and returns nil if it is blank or has errors.
func (s *Scope) check(expression string) *celgo.Ast {
	if strings.TrimSpace(expression) == "" {
		return nil
	}
	checked, issues := s.env.Compile(expression)
	if issues.Err() != nil {
		return nil
	}
	return checked
}
