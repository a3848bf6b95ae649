package upgrade

import (
	"context"
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Plan has the steps from the first to the last of several revisions, for each CRD in the order of
// the last revision.
type Plan struct {
	CRDs []PlannedCRD `json:"crds"`
}

// A PlannedCRD has the steps for a CRD.
type PlannedCRD struct {
	Name string `json:"name"`
	// Revisions has the position of the CRD in each revision as PATH:LINE, and is empty where the CRD is
	// missing.
	Revisions []string `json:"revisions"`
	// AssumesStored reports that the first revision has no status, so that all of its versions may be
	// stored.
	AssumesStored bool `json:"assumesStored"`
	// AtOnce is the answer to the update from the first to the last revision without the other steps.
	AtOnce *Trial `json:"atOnce"`
	Steps  []Step `json:"steps"`
	// Skips lists the updates that pass over revisions and fail, although they succeed one after the other if all
	// objects are written again at each revision.
	Skips []Skip `json:"skips"`
	// Objects is the number of objects on which the steps were tried, and Made the number of those that
	// crdlab made.
	Objects int `json:"objects"`
	Made    int `json:"made"`
	// Untried lists the given objects that the first revision cannot have.
	Untried []Untried `json:"untried"`
	// Tried has these objects as they were before the first step.
	Tried []string `json:"-"`
}

// Untried is an object on which no step was tried.
type Untried struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Name string `json:"name"`
	Why  string `json:"why"`
}

// StepKind is the kind of a [Step].
type StepKind string

// The kinds of steps, in the order in which a version replaces another one.
const (
	StepCreate  StepKind = "create"  // the CRD is new
	StepUpdate  StepKind = "update"  // changes without a new storage version
	StepStore   StepKind = "store"   // another version becomes the storage version
	StepRewrite StepKind = "rewrite" // all objects are written at the storage version
	StepForget  StepKind = "forget"  // other versions leave status.storedVersions
	StepUnserve StepKind = "unserve" // versions are no longer served
	StepRemove  StepKind = "remove"  // versions are removed
	StepDelete  StepKind = "delete"  // the CRD is gone
)

// A Step is one request, or one task, on the way to a revision.
type Step struct {
	Kind  StepKind `json:"kind"`
	Title string   `json:"title"`
	// Revision is the index of the revision to which the step leads.
	Revision int `json:"revision"`
	// Manifest is the CRD to apply as YAML, and empty for a step that is no manifest. File is the name of the
	// file with it, or the position of the revision that it equals.
	Manifest string `json:"manifest"`
	File     string `json:"file"`
	// Commands lists the commands of kubectl that carry out the step.
	Commands []string `json:"commands"`
	// Waits says who has to be ready before the step.
	Waits []string `json:"waits"`
	// Notes say what else to know about the step.
	Notes []string `json:"notes"`
	// Served, Storage and Stored describe the CRD after the step. Stored is status.storedVersions.
	Served  []string `json:"served"`
	Storage string   `json:"storage"`
	Stored  []string `json:"stored"`
	// Objects is the number of objects on which the step was tried.
	Objects int `json:"objects"`
	// Conversion says whether the conversion between the versions keeps all fields; empty if the step has
	// no say in it.
	Conversion string `json:"conversion"`
	Trial
	// Rollback is the answer to the manifest before the step; nil if there is nothing to roll back.
	Rollback *Trial `json:"rollback"`
	// Ways says which tools apply the manifest.
	Ways []Way `json:"ways"`

	// Scenario is the step with the objects on which it was tried, at most as many as one request can have. It is nil for a
	// step that writes neither a manifest nor objects.
	Scenario *playground.Scenario `json:"-"`

	// versions are the versions that the step is about, and test is the file for the command test.
	versions []string
	test     string
}

// A Trial is the answer of the API server to an update of the CRD, and its effect on objects.
type Trial struct {
	// Rejected is the output of kubectl if the API server refuses the request.
	Rejected string `json:"rejected"`
	// Errors lists the errors of a refused request with their hints.
	Errors []string `json:"errors"`
	// Changes lists the changes of the CRD that break, or that may break.
	Changes []Change `json:"changes"`
	// Effects lists what happens to objects.
	Effects []Effect `json:"effects"`
}

// Severity returns the severity of a trial.
func (t Trial) Severity() Severity {
	worst := Compatible
	if t.Rejected != "" {
		return Breaks
	}
	for _, e := range t.Effects {
		worst = max(worst, e.Severity())
	}
	for _, c := range t.Changes {
		worst = max(worst, severities[c.Class])
	}
	return worst
}

// An Effect is what a step does to an object.
type Effect struct {
	// Path and Line are the place of the object, and empty for an object that crdlab made.
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Made is the object as YAML if crdlab made it.
	Made string `json:"made"`
	// Version is the version at which a client sees the effect; empty if every client does.
	Version string     `json:"version"`
	Kind    EffectKind `json:"kind"`
	// Fields lists the fields that are lost or changed.
	Fields []string `json:"fields"`
	// Errors lists the API server's errors, with their hints.
	Errors []string `json:"errors"`
}

// EffectKind is the kind of an [Effect].
type EffectKind string

// The kinds of effects.
const (
	// EffectUnreadable: reads fail.
	EffectUnreadable EffectKind = "unreadable"
	// EffectInvalid: the API server refuses the object until it is mended.
	EffectInvalid EffectKind = "invalid"
	// EffectUnappliable: the API server refuses each server-side apply to the object.
	EffectUnappliable EffectKind = "unappliable"
	// EffectDeleted: the step deletes the fields from the stored object.
	EffectDeleted EffectKind = "deleted"
	// EffectLost: the next write deletes the fields, or a write at the version if there is one.
	EffectLost EffectKind = "lost"
	// EffectChanged: reads have other values than before the step.
	EffectChanged EffectKind = "changed"
	// EffectAdded: reads have fields that they did not have before the step, such as defaults.
	EffectAdded EffectKind = "added"
	// EffectRoundTrip: a client that reads the object at the version and writes it back changes the fields.
	EffectRoundTrip EffectKind = "roundTrip"
	// EffectUnstored: the storage version lacks fields that a client writes at the version.
	EffectUnstored EffectKind = "unstored"
	// EffectLeft: the object is still stored in the version, which the step declares unused.
	EffectLeft EffectKind = "left"
	// EffectUnknown: it depends on the conversion webhook, for which there is no answer.
	EffectUnknown EffectKind = "unknown"
)

// Severity returns the severity of the effect.
func (e Effect) Severity() Severity {
	if e.Kind == EffectUnknown || e.Kind == EffectAdded {
		return MayBreak
	}
	return Breaks
}

// A Skip is an update from a revision to another one that is not the next.
type Skip struct {
	From int `json:"from"`
	To   int `json:"to"`
	Trial
}

// A Way says whether a tool applies a manifest.
type Way struct {
	Tool  string `json:"tool"`
	Works bool   `json:"works"`
	// Why says why it does not, and Do what to do instead.
	Why string `json:"why"`
	Do  string `json:"do"`
}

// The tools of [Step].Ways.
const (
	ToolApply       = "kubectl apply"
	ToolServerSide  = "kubectl apply --server-side"
	ToolHelm        = "helm upgrade"
	ToolHelmCRDs    = "Helm's folder crds/"
	helmNeverUpdate = "Helm creates the CRDs in the folder crds/ of a chart once, and never updates them."
)

// Severity returns the severity of the worst step of all CRDs.
func (p *Plan) Severity() Severity {
	worst := Compatible
	for _, c := range p.CRDs {
		worst = max(worst, c.Severity())
	}
	return worst
}

// Severity returns the severity of the worst step.
func (c PlannedCRD) Severity() Severity {
	worst := Compatible
	if len(c.Untried) > 0 {
		worst = MayBreak
	}
	for _, s := range c.Steps {
		if s.Kind == StepDelete {
			return Breaks
		}
		worst = max(worst, s.Severity())
	}
	return worst
}

// Blocked returns the index of the step that the API server refuses; ok is false if it accepts all.
func (c PlannedCRD) Blocked() (step int, ok bool) {
	i := slices.IndexFunc(c.Steps, func(s Step) bool { return s.Rejected != "" })
	return i, i >= 0
}

// PlanOptions configure a plan.
type PlanOptions struct {
	// Conversion replaces the conversion webhook, see [playground.Scenario.Conversion].
	Conversion string
	// Kubernetes is the release, see [playground.Scenario.Kubernetes].
	Kubernetes string
	// Assist makes sample objects.
	Assist playground.Assist
}

// NewPlan plans the way from the first to the last of several revisions, and tries it on objects. The error
// is from the engine, or from ctx.
func NewPlan(ctx context.Context, engine check.Engine, revisions []*manifest.Input, objects *manifest.Input, o PlanOptions) (*Plan, error) {
	plan := &Plan{CRDs: []PlannedCRD{}}
	options := check.Options{Releases: []string{""}, NewEngine: func() check.Engine { return engine }}
	settled := make([]*manifest.Input, len(revisions))
	for i, in := range revisions {
		var err error
		if settled[i], err = check.Settled(ctx, in, options); err != nil {
			return nil, err
		}
	}
	for _, documents := range lineages(settled) {
		p := NewPlanner(engine, documents, objects, o)
		if err := p.Run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", p.planned.Name, err)
		}
		plan.CRDs = append(plan.CRDs, p.planned)
		engine.ForgetCRDs()
	}
	return plan, nil
}

// lineages returns the documents of each CRD, one for each revision, and nil where it is missing: first the CRDs
// of the last revision, and then those that earlier ones have.
func lineages(revisions []*manifest.Input) (all [][]*manifest.Document) {
	seen := map[*manifest.Document]bool{}
	for last := len(revisions) - 1; last >= 0; last-- {
		for _, d := range revisions[last].Documents {
			if !d.IsCRD || seen[d] {
				continue
			}
			documents := make([]*manifest.Document, len(revisions))
			documents[last] = d
			next := d
			for i := last - 1; i >= 0; i-- {
				if old := counterpart(next, revisions[i], seen); old != nil {
					documents[i], next = old, old
				}
			}
			for _, d := range documents {
				seen[d] = d != nil
			}
			all = append(all, documents)
		}
	}
	return all
}
