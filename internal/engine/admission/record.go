package admission

import (
	"context"
	"fmt"
	"sync"

	celgo "github.com/google/cel-go/cel"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// Record notes what the plugins do with one request. The plugins
// decide; what is noted here changes nothing.
type Record struct {
	reinvocation bool
	policies     map[*admissionPolicy]*policyRecord
	webhooks     map[*admissionWebhook]*webhookRecord
	audit        map[string]string
	// mutations are the changes made to the object, in order.
	mutations []engine.Mutation
	denials   []engine.Denial
	// failedAt is the place, in the admission text, of what failed last.
	failedAt *playground.Range
	// current is the policy invocation under way, or nil.
	current *playground.AdmissionInvocation
	used    map[*webhookAnswer]bool
	uids    map[string]string // random UIDs of webhook requests to repeatable ones
	mu      sync.Mutex        // guards audit: a plugin adds to it from goroutines
}

type policyRecord struct {
	why      string // why the policy was skipped
	bindings map[*admissionBinding]*bindingRecord
}

type bindingRecord struct {
	why         string
	invocations []*playground.AdmissionInvocation
}

func newRecord() *Record {
	return &Record{
		policies: map[*admissionPolicy]*policyRecord{},
		webhooks: map[*admissionWebhook]*webhookRecord{},
		audit:    map[string]string{},
		used:     map[*webhookAnswer]bool{},
		uids:     map[string]string{},
	}
}

func (r *Record) policy(p *admissionPolicy) *policyRecord {
	if r.policies[p] == nil {
		r.policies[p] = &policyRecord{bindings: map[*admissionBinding]*bindingRecord{}}
	}
	return r.policies[p]
}

func (r *Record) binding(b *admissionBinding) *bindingRecord {
	policy := r.policy(b.policy)
	if policy.bindings[b] == nil {
		policy.bindings[b] = &bindingRecord{}
	}
	return policy.bindings[b]
}

// begin notes that a policy is invoked for a binding and a parameter.
func (r *Record) begin(b *admissionBinding, param runtime.Object) *playground.AdmissionInvocation {
	invocation := &playground.AdmissionInvocation{
		Outcome:      playground.OutcomePass,
		Reinvocation: r.reinvocation,
		Expressions:  []playground.AdmissionExpression{},
		CostLimit:    celconfig.RuntimeCELCostBudget,
	}
	if param != nil {
		invocation.Param = paramName(param)
	}
	record := r.binding(b)
	record.invocations = append(record.invocations, invocation)
	r.current = invocation
	return invocation
}

// evaluated notes the evaluation of an expression in the invocation under way.
func (r *Record) evaluated(e *policyExpression, value ref.Val, details *celgo.EvalDetails, err error) {
	if r.current == nil {
		return
	}
	out := e.AdmissionExpression
	out.Outcome = playground.OutcomePass
	out.Value = jsonvalue.Encode(nil)
	if details != nil && details.ActualCost() != nil {
		out.Cost = *details.ActualCost()
	}
	r.current.Cost += out.Cost
	switch {
	case err != nil:
		out.Outcome = playground.OutcomeError
		out.Message = err.Error()
	case value == celtypes.False && e.Kind == playground.ExpressionMatchCondition:
		out.Outcome = playground.OutcomeFail
	}
	if err == nil {
		if json, err := jsonvalue.OfCEL(value); err == nil {
			out.Value = jsonvalue.Encode(json)
		}
	}
	r.current.Expressions = append(r.current.Expressions, out)
}

type recordKey struct{}

func withRecord(ctx context.Context, r *Record) context.Context {
	return context.WithValue(ctx, recordKey{}, r)
}

func recordOf(ctx context.Context) *Record {
	r, _ := ctx.Value(recordKey{}).(*Record)
	return r
}

// recordedAttributes notes the audit annotations of a request.
type recordedAttributes struct {
	admission.Attributes
	record *Record
}

func (a *recordedAttributes) AddAnnotation(key, value string) error {
	return a.AddAnnotationWithLevel(key, value, auditinternal.LevelMetadata)
}

func (a *recordedAttributes) AddAnnotationWithLevel(key, value string, level auditinternal.Level) error {
	err := a.Attributes.AddAnnotationWithLevel(key, value, level)
	if err == nil {
		a.record.mu.Lock()
		defer a.record.mu.Unlock()
		a.record.audit[key] = value
	}
	return err
}

// policyExpression is an expression of a policy and how it is reported.
type policyExpression struct{ playground.AdmissionExpression }

// recordingCompiler makes programs that note what they evaluate to. It knows
// the expressions by the accessors that they are compiled from.
type recordingCompiler struct {
	plugincel.Compiler
	expressions map[plugincel.ExpressionAccessor]*policyExpression
}

func (c recordingCompiler) CompileCELExpression(accessor plugincel.ExpressionAccessor, options plugincel.OptionalVariableDeclarations, mode environment.Type) plugincel.CompilationResult {
	result := c.Compiler.CompileCELExpression(accessor, options, mode)
	if e := c.expressions[accessor]; e != nil && result.Program != nil {
		result.Program = recordedProgram{result.Program, e}
	}
	return result
}

// CompileCondition does what the composited compiler's own method does, which
// would not go through this compiler.
func (c recordingCompiler) CompileCondition(accessors []plugincel.ExpressionAccessor, options plugincel.OptionalVariableDeclarations, mode environment.Type) plugincel.ConditionEvaluator {
	results := make([]plugincel.CompilationResult, len(accessors))
	for i, accessor := range accessors {
		if accessor != nil {
			results[i] = c.CompileCELExpression(accessor, options, mode)
		}
	}
	return plugincel.NewCondition(results)
}

// CompileMutatingEvaluator is as CompileCondition.
func (c recordingCompiler) CompileMutatingEvaluator(accessor plugincel.ExpressionAccessor, options plugincel.OptionalVariableDeclarations, mode environment.Type) plugincel.MutatingEvaluator {
	return plugincel.NewMutatingEvaluator(c.CompileCELExpression(accessor, options, mode))
}

// newRecordingCompiler is a compiler whose programs are recorded.
func newRecordingCompiler(expressions map[plugincel.ExpressionAccessor]*policyExpression) (*plugincel.CompositedCompiler, error) {
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return nil, fmt.Errorf("prepare CEL: %w", err)
	}
	recording := recordingCompiler{compiler.Compiler, expressions}
	compiler.Compiler, compiler.ConditionCompiler, compiler.MutatingCompiler = recording, recording, recording
	return compiler, nil
}

type recordedProgram struct {
	celgo.Program
	expression *policyExpression
}

func (p recordedProgram) ContextEval(ctx context.Context, input any) (ref.Val, *celgo.EvalDetails, error) {
	value, details, err := p.Program.ContextEval(ctx, input)
	if record := recordOf(ctx); record != nil {
		record.evaluated(p.expression, value, details, err)
	}
	return value, details, err
}
