package admission

import (
	"context"
	"sync"

	celgo "github.com/google/cel-go/cel"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// A record holds the actions of the plugins on one request. It does not influence
// their decisions.
type record struct {
	reinvocation bool
	policies     map[*admissionPolicy]*policyRecord
	webhooks     map[*admissionWebhook]*webhookRecord
	audit        map[string]string
	// mutations lists the changes to the object, in order.
	mutations []Mutation
	denials   []Denial
	// failedAt is the range, in the manifest, of the last failure. refused reports that a webhook
	// refused the object there.
	failedAt *playground.Range
	refused  bool
	// fault is the cause of the last failure of a match condition or a mutation; nil if unknown.
	fault *celrule.Fault
	// current is the latest policy invocation, and failures lists its evaluations with an error.
	current  *playground.AdmissionInvocation
	failures []failure
	used     map[*manifest.WebhookResponse]bool
	uids     map[string]string // reproducible UIDs of webhook requests by random UID
	mu       sync.Mutex        // guards audit, which a plugin changes from goroutines
}

type policyRecord struct {
	mismatch *playground.AdmissionMismatch // the reason if the policy was skipped
	bindings map[*admissionBinding]*bindingRecord
}

type bindingRecord struct {
	mismatch    *playground.AdmissionMismatch
	invocations []*playground.AdmissionInvocation
}

func newRecord() *record {
	return &record{
		policies: map[*admissionPolicy]*policyRecord{},
		webhooks: map[*admissionWebhook]*webhookRecord{},
		audit:    map[string]string{},
		used:     map[*manifest.WebhookResponse]bool{},
		uids:     map[string]string{},
	}
}

func (r *record) policy(p *admissionPolicy) *policyRecord {
	if r.policies[p] == nil {
		r.policies[p] = &policyRecord{bindings: map[*admissionBinding]*bindingRecord{}}
	}
	return r.policies[p]
}

func (r *record) binding(b *admissionBinding) *bindingRecord {
	policy := r.policy(b.policy)
	if policy.bindings[b] == nil {
		policy.bindings[b] = &bindingRecord{}
	}
	return policy.bindings[b]
}

// begin adds the invocation of a policy for a binding and a parameter.
func (r *record) begin(b *admissionBinding, param runtime.Object) *playground.AdmissionInvocation {
	invocation := &playground.AdmissionInvocation{
		Outcome:      playground.OutcomePass,
		Reinvocation: r.reinvocation,
		Expressions:  []playground.AdmissionExpression{},
		CostLimit:    celconfig.RuntimeCELCostBudget,
	}
	if param != nil {
		invocation.Param = paramName(param)
	}
	bound := r.binding(b)
	bound.invocations = append(bound.invocations, invocation)
	r.current, r.failures = invocation, nil
	return invocation
}

// fail notes the range and the cause of a failure, which may be unknown.
func (r *record) fail(at playground.Range, fault *celrule.Fault) { r.failedAt, r.fault = &at, fault }

// failToMatch notes a failure of match conditions. at is its range if the condition is unknown.
func (r *record) failToMatch(at playground.Range) {
	fault := r.matchFault()
	if fault != nil {
		at = fault.Expression.Value()
	}
	r.fail(at, fault)
}

// addEvaluation adds the evaluation of an expression to the current invocation.
func (r *record) addEvaluation(e *policyExpression, variables any, value ref.Val, details *celgo.EvalDetails, err error) {
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
		r.failures = append(r.failures, failure{e, variables, err})
	case value == celtypes.False && e.Kind == playground.ExpressionMatchCondition:
		out.Outcome = playground.OutcomeFail
	}
	if err == nil {
		if json, err := celvalue.ToJSON(value); err == nil {
			out.Value = jsonvalue.Encode(json)
		}
	}
	r.current.Expressions = append(r.current.Expressions, out)
}

type recordKey struct{}

func withRecord(ctx context.Context, r *record) context.Context {
	return context.WithValue(ctx, recordKey{}, r)
}

// recordOf returns the record of a request. The plugins run only with one.
func recordOf(ctx context.Context) *record {
	return ctx.Value(recordKey{}).(*record)
}

// recordingAttributes records the audit annotations of a request.
type recordingAttributes struct {
	admission.Attributes
	record *record
}

func (a *recordingAttributes) AddAnnotation(key, value string) error {
	return a.AddAnnotationWithLevel(key, value, auditinternal.LevelMetadata)
}

func (a *recordingAttributes) AddAnnotationWithLevel(key, value string, level auditinternal.Level) error {
	err := a.Attributes.AddAnnotationWithLevel(key, value, level)
	if err == nil {
		a.record.mu.Lock()
		defer a.record.mu.Unlock()
		a.record.audit[key] = value
	}
	return err
}
