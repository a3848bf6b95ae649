package admission

import (
	"context"
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// A recordingCompiler compiles programs that record their evaluations. It
// identifies an expression by its accessor.
type recordingCompiler struct {
	plugincel.Compiler
	expressions map[plugincel.ExpressionAccessor]*policyExpression
}

func (c recordingCompiler) CompileCELExpression(accessor plugincel.ExpressionAccessor, options plugincel.OptionalVariableDeclarations, mode environment.Type) plugincel.CompilationResult {
	result := c.Compiler.CompileCELExpression(accessor, options, mode)
	if e := c.expressions[accessor]; e != nil && result.Program != nil {
		result.Program = recordingProgram{result.Program, e}
	}
	return result
}

// CompileCondition replaces the method of the composited compiler, which would
// bypass this compiler.
func (c recordingCompiler) CompileCondition(accessors []plugincel.ExpressionAccessor, options plugincel.OptionalVariableDeclarations, mode environment.Type) plugincel.ConditionEvaluator {
	results := make([]plugincel.CompilationResult, len(accessors))
	for i, accessor := range accessors {
		if accessor != nil {
			results[i] = c.CompileCELExpression(accessor, options, mode)
		}
	}
	return plugincel.NewCondition(results)
}

// CompileMutatingEvaluator replaces the method of the composited compiler, too.
func (c recordingCompiler) CompileMutatingEvaluator(accessor plugincel.ExpressionAccessor, options plugincel.OptionalVariableDeclarations, mode environment.Type) plugincel.MutatingEvaluator {
	return plugincel.NewMutatingEvaluator(c.CompileCELExpression(accessor, options, mode))
}

// newRecordingCompiler returns a compiler whose programs record their evaluations.
func newRecordingCompiler(expressions map[plugincel.ExpressionAccessor]*policyExpression) (*plugincel.CompositedCompiler, error) {
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return nil, fmt.Errorf("prepare CEL: %w", err)
	}
	recording := recordingCompiler{compiler.Compiler, expressions}
	compiler.Compiler, compiler.ConditionCompiler, compiler.MutatingCompiler = recording, recording, recording
	return compiler, nil
}

type recordingProgram struct {
	celgo.Program
	expression *policyExpression
}

func (p recordingProgram) ContextEval(ctx context.Context, input any) (ref.Val, *celgo.EvalDetails, error) {
	value, details, err := p.Program.ContextEval(ctx, input)
	recordOf(ctx).addEvaluation(p.expression, input, value, details, err)
	return value, details, err
}
