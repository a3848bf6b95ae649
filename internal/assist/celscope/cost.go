package celscope

import (
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// Cost estimates the maximum cost of one evaluation in CEL cost units. It reports false if
// cel-go cannot estimate it.
func (s *Scope) Cost(checked *celgo.Ast) (uint64, bool) {
	estimate, err := s.env.EstimateCost(checked, &library.CostEstimator{SizeEstimator: sizeEstimator{s}})
	return estimate.Max, err == nil
}

// TrackCost returns the option of [Scope.Program] to measure the cost of an evaluation.
func (s *Scope) TrackCost() celgo.ProgramOption {
	return celgo.CostTracking(&library.CostEstimator{SizeEstimator: sizeEstimator{s}})
}

// sizeEstimator estimates sizes by the limits of the schema, like the type of the same
// name in k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.
type sizeEstimator struct{ scope *Scope }

// EstimateSize returns the maximum size of the element, or nil if its type is unknown.
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

// EstimateCallCost leaves all functions to the library's estimator.
func (e sizeEstimator) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// variableType returns the type of a variable, which may belong to a macro. Like upstream,
// it returns the type of self for other names, such as names of types.
func (s *Scope) variableType(name string) *apiservercel.DeclType {
	if root, ok := s.roots[name]; ok {
		return root.Type
	}
	if typ := s.typeOf(name); typ != nil && typ.Kind() != types.TypeKind {
		return s.types[typ.TypeName()]
	}
	return s.roots[cel.ScopedVarName].Type
}
