package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/lru"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crddiff"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/quickfix"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// Library is the release of the Kubernetes libraries that decide. Its minor
// version is playground.NewestMinor.
const Library = "1.37.2"

// cachedCRDs is how many CRDs stay compiled. A page needs the one being
// edited and those that undo brings back; a server serves a few at a time.
const cachedCRDs = 16

// Engine evaluates scenarios. It is safe for concurrent use.
type Engine struct {
	Features    feature.Set
	evaluator   *crd.Evaluator
	crds        *lru.Cache // of *crd by crdKey
	lastCRD     atomic.Pointer[keyedCRD]
	plugins     *lru.Cache // of Plugins by pluginsKey
	policyTypes *lru.Cache // of []playground.Finding by typesKey
	// early is the CRD of the last preliminary answer.
	preliminary atomic.Pointer[earlyCRD]
	// fewRules is how many rules Preliminary has validated, too.
	immediateRules int
	// types are built when somebody writes.
	types struct {
		sync.Once
		built *crdschema.Types
	}
}

// New returns an engine that has the given parts, with an empty cache.
func New(parts feature.Set) *Engine {
	return &Engine{
		Features: parts, evaluator: crd.NewEvaluator(parts), immediateRules: crd.MaxImmediateRules,
		crds: lru.New(cachedCRDs), plugins: lru.New(cachedCRDs), policyTypes: lru.New(cachedCRDs),
	}
}

// Evaluate answers s. Whatever is wrong with the texts of s is told in the
// report; an error means that ctx ended or that the engine itself failed.
func (e *Engine) Evaluate(ctx context.Context, s playground.Scenario) (playground.Report, error) {
	return e.evaluate(ctx, s, e.EvaluateCRD)
}

// evaluate answers s, judging its CRD with the given function.
func (e *Engine) evaluate(ctx context.Context, s playground.Scenario, judge func(context.Context, playground.Scenario) *crd.CRD) (report playground.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("evaluate: panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return report, err
	}
	now, err := ParseNow(s.Now)
	if err != nil {
		return report, err
	}
	if s, err = SetDefaults(s); err != nil {
		return report, err
	}
	restore, err := release.Emulate(s)
	if err != nil {
		return report, err
	}
	defer restore()
	if report, err = e.report(ctx, s, now, judge); err != nil {
		return report, err
	}
	return report, ctx.Err()
}

// report takes a complete scenario through all stages, at the time now, while
// its release is emulated.
func (e *Engine) report(ctx context.Context, s playground.Scenario, now time.Time, judge func(context.Context, playground.Scenario) *crd.CRD) (report playground.Report, err error) {
	start := time.Now()
	crd := judge(ctx, s)
	crdDone := time.Now()
	conv, err := object.NewConversion(e.Features, crd, s.Conversion, true)
	if err != nil {
		return report, err
	}
	plugins, err := e.AdmissionPlugins(s)
	if err != nil {
		return report, err
	}
	objects := object.Evaluate(ctx, e.Features, crd, conv, plugins, s, now)
	report = playground.Report{
		Kubernetes: playground.Kubernetes{Library: Library, Emulated: s.Kubernetes},
		CRD:        crd.Report,
		Objects:    explainObjects(crd, objects),
		Conversion: playground.Conversion{Findings: conv.Findings},
		Schemas:    []playground.Schema{},
		Missing:    e.Features.Missing(s, crd.ConvertsByWebhook()),
	}
	if report.StoredObjects, err = crddiff.CompareStoredObjects(ctx, e.Features, crd, s, now); err != nil {
		return report, err
	}
	if s.Schemas && e.Features.Schema != nil {
		if report.Schemas, err = crd.PublishedSchemas(e.Features); err != nil {
			return report, err
		}
	}
	if report.Admission, err = e.admission(s, crd, plugins); err != nil {
		return report, err
	}
	report.Tables = object.Tables(crd, objects, now)
	report.Timing = playground.Timing{CRD: milliseconds(crdDone.Sub(start)), Object: milliseconds(time.Since(crdDone))}
	return report, nil
}

func ParseNow(now string) (time.Time, error) {
	if now == "" {
		return time.Now().UTC().Truncate(time.Second), nil
	}
	t, err := time.Parse(time.RFC3339, now)
	if err != nil {
		return time.Time{}, &playground.InvalidScenarioError{Parameter: "now", Message: "must be an RFC 3339 time such as 2006-01-02T15:04:05Z"}
	}
	return t.UTC().Truncate(time.Second), nil
}

// Complete sets the defaults of a scenario and refuses unknown parameters.
func SetDefaults(s playground.Scenario) (playground.Scenario, error) {
	if s.Kubernetes == "" {
		s.Kubernetes = release.Name(playground.NewestMinor)
	}
	switch s.FieldValidation {
	case "":
		s.FieldValidation = playground.FieldValidationStrict
	case playground.FieldValidationStrict, playground.FieldValidationWarn, playground.FieldValidationIgnore:
	default:
		return s, &playground.InvalidScenarioError{Parameter: "fieldValidation", Message: "must be Strict, Warn or Ignore"}
	}
	switch s.Operation {
	case "":
		s.Operation = playground.OperationCreate
		if strings.TrimSpace(s.OldObject) != "" {
			s.Operation = playground.OperationUpdate
		}
	case playground.OperationCreate, playground.OperationUpdate, playground.OperationUpdateStatus, playground.OperationApply, playground.OperationDelete, playground.OperationScale:
	default:
		return s, &playground.InvalidScenarioError{Parameter: "operation", Message: "must be create, update, updateStatus, apply, delete or scale"}
	}
	if s.Replicas < 0 {
		return s, &playground.InvalidScenarioError{Parameter: "replicas", Message: "must not be negative"}
	}
	if s.FieldManager == "" {
		s.FieldManager = defaultFieldManager
	}
	return s, nil
}

// defaultFieldManager is what `kubectl apply --server-side` calls itself.
const defaultFieldManager = "kubectl"

// CRD returns what depends on the CRD's texts alone, from the cache if it was
// asked for lately.
func (e *Engine) EvaluateCRD(ctx context.Context, s playground.Scenario) *crd.CRD {
	key := keyOfCRD(s)
	if known, ok := e.knownCRD(key); ok {
		return known
	}
	c, ok := e.confirmed(ctx, key)
	if !ok {
		c = e.explain(e.evaluator.NewRequest(ctx, s, math.MaxInt).Evaluate())
	}
	if ctx.Err() == nil {
		e.crds.Add(key, c)
	}
	return c
}

// explain adds hints, fixes and the comparison with the old CRD to the report of
// an evaluated CRD.
func (e *Engine) explain(c *crd.CRD) *crd.CRD {
	quickfix.SuggestForCRD(c)
	// What cannot be compared has been refused with upstream's own errors.
	_ = upstream.Guard(playground.StageCRDValidate, func() error { return crddiff.Compare(c) })
	return c
}

// explainObjects returns the reports of objects with hints and fixes.
func explainObjects(c *crd.CRD, objects []object.Evaluated) []playground.Object {
	reports := []playground.Object{}
	for _, o := range objects {
		if o.Doc != nil {
			quickfix.SuggestForObject(o.Report.Findings, quickfix.Subject{Doc: o.Doc, CRD: c, Schema: o.Schema, Old: o.Old})
		}
		reports = append(reports, o.Report)
	}
	return reports
}

// keyedCRD is a CRD with all that it depends on.
type keyedCRD struct {
	key crdKey
	crd *crd.CRD
}

// knownCRD looks at the last one first: while the object is edited the texts are
// the same strings, and to compare those takes no time, but to hash them does.
func (e *Engine) knownCRD(key crdKey) (*crd.CRD, bool) {
	if last := e.lastCRD.Load(); last != nil && last.key == key {
		return last.crd, true
	}
	known, ok := e.crds.Get(key)
	if !ok {
		return nil, false
	}
	e.lastCRD.Store(&keyedCRD{key, known.(*crd.CRD)})
	return known.(*crd.CRD), true
}

// AdmissionPlugins returns those of a scenario, or nil if it has none or the
// engine lacks them.
func (e *Engine) AdmissionPlugins(s playground.Scenario) (feature.Plugins, error) {
	if strings.TrimSpace(s.Admission) == "" || e.Features.Admission == nil {
		return nil, nil
	}
	key := keyOfPlugins(s)
	if cached, ok := e.plugins.Get(key); ok {
		return cached.(feature.Plugins), nil
	}
	plugins, err := e.Features.Admission(s.Admission)
	if err != nil {
		return nil, err
	}
	e.plugins.Add(key, plugins)
	return plugins, nil
}

// typeFindings are those of the plugins with the types of an accepted CRD.
func (e *Engine) typeFindings(s playground.Scenario, c *crd.CRD, plugins feature.Plugins) ([]playground.Finding, error) {
	served := c.ServedByPriority()
	if !c.Report.Accepted || len(served) == 0 {
		return nil, nil
	}
	key := typesKey{keyOfCRD(s), keyOfPlugins(s)}
	if cached, ok := e.policyTypes.Get(key); ok {
		return cached.([]playground.Finding), nil
	}
	findings, err := plugins.TypeFindings(c.V1, served)
	if err != nil {
		return nil, fmt.Errorf("check the types of the policies: %w", err)
	}
	e.policyTypes.Add(key, findings)
	return findings, nil
}

// admission is what is wrong with the text of the plugins, or nil without them.
func (e *Engine) admission(s playground.Scenario, c *crd.CRD, plugins feature.Plugins) (*playground.Admission, error) {
	if plugins == nil {
		return nil, nil
	}
	types, err := e.typeFindings(s, c, plugins)
	if err != nil {
		return nil, err
	}
	findings := append(slices.Clone(plugins.Findings()), types...)
	return &playground.Admission{Findings: withRemedies(s.Admission, findings)}, nil
}

// withRemedies says of findings in the admission text what to do about them.
func withRemedies(text string, findings []playground.Finding) []playground.Finding {
	findings = slices.Clone(findings)
	if len(findings) == 0 {
		return findings
	}
	// What is wrong with the text as a whole is one of the findings.
	file, _ := source.Parse(text, finding.ObjectText)
	quickfix.SuggestForAdmission(findings, file)
	return findings
}

// crdKey is all that a crd depends on, the texts as they are: to hash a large
// one well takes longer than to judge an object.
type crdKey struct {
	kubernetes, fieldValidation string
	text, old                   string
}

func keyOfCRD(s playground.Scenario) crdKey {
	return crdKey{s.Kubernetes, s.FieldValidation, s.CRD, s.OldCRD}
}

// typesKey is all that the types in policies depend on.
type typesKey struct {
	crd     crdKey
	plugins pluginsKey
}

// pluginsKey is all that Plugins depend on.
type pluginsKey struct {
	kubernetes string
	text       string
}

func keyOfPlugins(s playground.Scenario) pluginsKey {
	return pluginsKey{s.Kubernetes, s.Admission}
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

// KubernetesTypes builds the types when they are first asked for.
func (e *Engine) KubernetesTypes() *crdschema.Types {
	e.types.Do(func() {
		e.types.built = crdschema.NewTypes(e.Features.Definitions)
	})
	return e.types.built
}
