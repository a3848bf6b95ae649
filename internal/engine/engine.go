package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/lru"

	"github.com/crdlab/crdlab/internal/playground"
)

// Library is the release of the Kubernetes libraries that decide. Its minor
// version is playground.NewestMinor.
const Library = "1.37.2"

// cachedCRDs is how many CRDs stay compiled. A page needs the one being
// edited and those that undo brings back; a server serves a few at a time.
const cachedCRDs = 16

// Engine evaluates scenarios. It is safe for concurrent use.
type Engine struct {
	crds     *lru.Cache // of *crd by crdKey
	controls *lru.Cache // of *admissionControl by controlKey
	// webhooks are the conversion webhooks that may really be called.
	webhooks Webhooks
}

// New returns an engine with an empty cache.
func New() *Engine {
	return &Engine{crds: lru.New(cachedCRDs), controls: lru.New(cachedCRDs)}
}

// NewWithWebhooks returns an engine that calls the conversion webhooks that it
// is allowed to, where a scenario has nothing that stands for them.
func NewWithWebhooks(webhooks Webhooks) *Engine {
	e := New()
	e.webhooks = webhooks
	return e
}

// Evaluate answers s. Whatever is wrong with the texts of s is told in the
// report; an error means that ctx ended or that the engine itself failed.
func (e *Engine) Evaluate(ctx context.Context, s playground.Scenario) (report playground.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("evaluate: panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return report, err
	}
	now, err := requestTime(s.Now)
	if err != nil {
		return report, err
	}
	if s, err = complete(s); err != nil {
		return report, err
	}
	minor, err := parseMinor(s.Kubernetes)
	if err != nil {
		return report, err
	}
	restore, err := emulate(minor)
	if err != nil {
		return report, err
	}
	defer restore()
	start := time.Now()
	crd := e.crd(ctx, s)
	crdDone := time.Now()
	conv, err := newConversion(crd, s.Conversion, e.webhooks)
	if err != nil {
		return report, err
	}
	control, err := e.control(s)
	if err != nil {
		return report, err
	}
	report = playground.Report{
		Kubernetes: playground.Kubernetes{Library: Library, Emulated: releaseName(minor)},
		CRD:        crd.report,
		Objects:    evaluateObjects(ctx, crd, conv, control, s, now),
		Conversion: playground.Conversion{Findings: conv.findings},
	}
	if report.StoredObjects, err = storedObjects(ctx, crd, s, now); err != nil {
		return report, err
	}
	report.Schemas = []playground.Schema{}
	if s.Schemas {
		if report.Schemas, err = crd.schemas(); err != nil {
			return report, err
		}
	}
	if control != nil {
		report.Admission = &playground.Admission{Findings: control.findings}
	}
	report.Tables = tables(crd, report.Objects, now)
	report.Timing = playground.Timing{CRD: milliseconds(crdDone.Sub(start)), Object: milliseconds(time.Since(crdDone))}
	return report, ctx.Err()
}

func requestTime(now string) (time.Time, error) {
	if now == "" {
		return time.Now().UTC().Truncate(time.Second), nil
	}
	t, err := time.Parse(time.RFC3339, now)
	if err != nil {
		return time.Time{}, &playground.InvalidScenarioError{Parameter: "now", Message: "must be an RFC 3339 time such as 2006-01-02T15:04:05Z"}
	}
	return t.UTC().Truncate(time.Second), nil
}

// complete sets the defaults of a scenario and refuses unknown parameters.
func complete(s playground.Scenario) (playground.Scenario, error) {
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
	case playground.OperationCreate, playground.OperationUpdate, playground.OperationUpdateStatus, playground.OperationApply, playground.OperationDelete:
	default:
		return s, &playground.InvalidScenarioError{Parameter: "operation", Message: "must be create, update, updateStatus, apply or delete"}
	}
	if s.FieldManager == "" {
		s.FieldManager = defaultFieldManager
	}
	return s, nil
}

// defaultFieldManager is what `kubectl apply --server-side` calls itself.
const defaultFieldManager = "kubectl"

// crd returns what depends on the CRD's texts alone, from the cache if it was
// asked for lately.
func (e *Engine) crd(ctx context.Context, s playground.Scenario) *crd {
	key := crdKey{s.Kubernetes, s.FieldValidation, sha256.Sum256([]byte(s.CRD)), sha256.Sum256([]byte(s.OldCRD))}
	if cached, ok := e.crds.Get(key); ok {
		return cached.(*crd)
	}
	c := evaluateCRD(ctx, s)
	if ctx.Err() == nil {
		e.crds.Add(key, c)
	}
	return c
}

// control returns the admission plugins of a scenario, or nil if that is empty.
func (e *Engine) control(s playground.Scenario) (*admissionControl, error) {
	if isEmpty(s.Admission) {
		return nil, nil
	}
	key := controlKey{s.Kubernetes, sha256.Sum256([]byte(s.Admission))}
	if cached, ok := e.controls.Get(key); ok {
		return cached.(*admissionControl), nil
	}
	control, err := newAdmissionControl(s.Admission)
	if err != nil {
		return nil, err
	}
	e.controls.Add(key, control)
	return control, nil
}

// crdKey is all that a crd depends on.
type crdKey struct {
	kubernetes, fieldValidation string
	text, old                   [sha256.Size]byte
}

// controlKey is all that an admissionControl depends on.
type controlKey struct {
	kubernetes string
	text       [sha256.Size]byte
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
