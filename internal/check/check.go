// Package check judges manifests: each CRD, and each object under the CRD of its kind.
package check

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// An Engine judges one CRD after the other. It is not used concurrently.
type Engine struct {
	Evaluate playground.Evaluate
	// Forget frees the memory of the CRDs that were judged; nil keeps it for later requests.
	Forget func()
}

// ForgetCRDs frees the memory of the CRDs that were judged, unless later requests use it.
func (e Engine) ForgetCRDs() {
	if e.Forget != nil {
		e.Forget()
	}
}

// Options configure a check.
type Options struct {
	// Releases lists the Kubernetes releases; an empty name is the newest release.
	Releases        []string
	FieldValidation playground.FieldValidation
	// NewEngine returns the engine of a worker.
	NewEngine func() Engine
	// Before may change the scenario of a document, and After receives its report with the
	// document and its CRD, which are the same for a CRD. Both are called in the order of the
	// objects of a CRD, and concurrently for several CRDs. They may be nil.
	Before func(*manifest.Document, *playground.Scenario)
	After  func(d, crd *manifest.Document, report playground.Report)
	// IsStored reports that a CRD is in the cluster before the requests, even if it is invalid. It
	// may be nil.
	IsStored func(*manifest.Document) bool
	// IsBuiltIn reports whether the API server has the kind of an object without a CRD. It may be nil.
	IsBuiltIn func(*manifest.Document) bool
	// Needs reports whether the verdict on a document is needed. A CRD without such a document is not judged. It may be nil.
	Needs func(*manifest.Document) bool
	// Conditions creates CRDs, whose names differ, in the same cluster, and returns the
	// condition NamesAccepted of each. It may be nil.
	Conditions func(context.Context, []playground.CRD) ([]playground.Condition, error)
	// Progress is called after each CRD and object; nil means no reports.
	Progress func(done, total int)
}

// Run judges the documents of an input. The error is from an engine, or from ctx.
func Run(ctx context.Context, in *manifest.Input, o Options) (*Result, error) {
	admission := admissionOf(in)
	if admission != nil && len(admission.groups) == 0 {
		admission = nil // There is nothing to judge with them.
	}
	units, result := plan(in, admission, o)
	if admission != nil {
		result.Admission = admission.text
	}
	c := checker{Options: o, result: result, total: len(result.Documents), admission: admission}
	if err := c.judgePolicies(ctx); err != nil {
		return nil, err
	}
	if err := c.run(ctx, units); err != nil {
		return nil, err
	}
	admission.addVerdicts(result)
	if err := c.addConflicts(ctx); err != nil {
		return nil, err
	}
	for _, p := range in.Packages {
		result.Packages = append(result.Packages, Package{p.Pattern, p.Options, p.OptionsFrom})
		c.addPackage(p)
	}
	result.Releases = c.releases()
	return result, nil
}

// A unit is a chain with its requests as indexes of Result.Documents. The first is a CRD. One
// worker judges them all, so that it compiles each CRD once.
type unit struct {
	*chain
	requests []int
}

// plan divides an input into units. The documents of the result have no verdicts yet.
func plan(in *manifest.Input, a *admission, o Options) ([]unit, *Result) {
	// In JSON, an empty list is no null.
	result := &Result{
		Documents: []Document{}, WithoutCRD: []Object{}, BuiltIn: []Object{}, Packages: []Package{},
		Skipped: []Skipped{}, Builds: []manifest.Build{}, Problems: []Problem{},
	}
	chains, withoutCRD := chainsOf(in)
	isUnneeded := map[*manifest.Document]bool{}
	if o.Needs != nil {
		chains = slices.DeleteFunc(chains, func(c *chain) bool {
			unneeded := !slices.ContainsFunc(c.documentsInOrder(), o.Needs)
			for _, d := range c.documentsInOrder() {
				isUnneeded[d] = unneeded
			}
			return unneeded
		})
	}
	for _, d := range withoutCRD {
		switch {
		case a.has(d):
		case o.IsBuiltIn != nil && o.IsBuiltIn(d) && d.Kind.Group != AdmissionGroup:
			result.BuiltIn = append(result.BuiltIn, objectOf(d))
		default:
			result.WithoutCRD = append(result.WithoutCRD, objectOf(d))
		}
	}
	indexOf := map[*manifest.Document]int{}
	for _, d := range in.Documents {
		if !isUnneeded[d] && (!slices.Contains(withoutCRD, d) || a.has(d) && IsPolicy(d)) {
			indexOf[d] = len(result.Documents)
			result.Documents = append(result.Documents, Document{Object: objectOf(d), source: d})
		}
	}
	units := make([]unit, len(chains))
	for i, c := range chains {
		units[i].chain = c
		for _, d := range c.documentsInOrder() {
			units[i].requests = append(units[i].requests, indexOf[d])
		}
	}
	for _, s := range in.Skipped {
		result.Skipped = append(result.Skipped, Skipped(s))
	}
	result.Builds = append(result.Builds, in.Builds...)
	result.Problems = append(result.Problems, Problems(in)...)
	return units, result
}

// checker judges units.
type checker struct {
	Options
	result *Result
	total  int
	done   atomic.Int64
	// admission has the policies, or nil.
	admission *admission
	// approximate holds the releases without their own libraries.
	approximate sync.Map
	// kinds holds the places of the kinds of CRDs, which may be large.
	kinds sync.Map

	access sync.Mutex
	// accepted holds the accepted CRDs.
	accepted []acceptedCRD
}

// run judges units with one worker for each processor. Each worker keeps the memory of one
// CRD at a time.
func (c *checker) run(ctx context.Context, units []unit) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan unit)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(units)) {
		workers.Go(func() {
			engine := c.NewEngine()
			for u := range queue {
				if err := c.judge(ctx, engine, u); err != nil {
					cancel(err)
				}
				engine.ForgetCRDs()
			}
		})
	}
	for _, u := range units {
		if ctx.Err() != nil {
			break
		}
		queue <- u
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

func (c *checker) judge(ctx context.Context, engine Engine, u unit) error {
	histories := map[string]history{}
	for _, index := range u.requests {
		for _, release := range c.Releases {
			if err := c.request(ctx, engine, u, index, release, histories); err != nil {
				return err
			}
		}
		if done := c.done.Add(1); c.Progress != nil {
			c.Progress(int(done), c.total)
		}
	}
	for i, release := range c.Releases {
		if crd := histories[release].crd(); crd.report.Accepted {
			c.accept(acceptedCRD{crd.document, i, crd.report})
		}
	}
	return ctx.Err()
}

// request judges a document after the requests for CRDs in its history, and adds a CRD to it.
func (c *checker) request(ctx context.Context, engine Engine, u unit, index int, release string, histories map[string]history) error {
	before := histories[release]
	d, crd := &c.result.Documents[index], &c.result.Documents[index]
	s := playground.Scenario{CRD: d.source.Text, OldCRD: before.stored(), CRDFile: d.Path, CRDStored: len(u.crds) > 1}
	if !d.source.IsCRD {
		s, crd = before.crd().scenario, &c.result.Documents[before.crd().document]
		s.Object, s.ObjectFile, d.CRD = d.source.Text, d.Path, crd.position()
		s.Admission = c.admission.textFor(slices.Index(c.Releases, release))
	}
	s.Kubernetes, s.FieldValidation = release, c.FieldValidation
	if c.Before != nil {
		c.Before(d.source, &s)
	}
	report, err := engine.Evaluate(ctx, s)
	if err != nil {
		return fmt.Errorf("%s:%d: %w", d.Path, d.Line, err)
	}
	if report.Kubernetes.Approximate {
		c.approximate.Store(release, true)
	}
	if c.After != nil {
		c.After(d.source, crd.source, report)
	}
	c.admission.add(report)
	d.Verdicts = append(d.Verdicts, verdictOf(report, d.source, crd.source, c.admission))
	v := &d.Verdicts[len(d.Verdicts)-1]
	if d != crd {
		if rivals := u.rivals[d.source]; len(rivals) > 0 {
			message := "Two CRDs define the kind of this object."
			if len(rivals) > 1 {
				message = fmt.Sprintf("%d CRDs define the kind of this object.", len(rivals)+1)
			}
			related := []manifest.Related{c.atKind(crd.source, "This CRD judges the object.")}
			for _, rival := range rivals[:min(len(rivals), maxRivals)] {
				related = append(related, c.atKind(rival, "This CRD does not."))
			}
			v.addNote(d, message, related...)
		}
		return nil
	}
	if s.OldCRD != "" {
		v.addNote(d, "This document updates another CRD of its file.", c.atKind(c.result.Documents[before.crd().document].source, "Updated CRD"))
	}
	made, isAccepted := crdRequest{index, s, report.CRD, string(report.CRD.Stored)}, report.CRD.Accepted
	if c.IsStored != nil && c.IsStored(d.source) {
		made.stored, isAccepted = d.source.Text, true
	}
	histories[release] = history{append(before.requests, made), append(before.updates, isAccepted)}
	return nil
}

// maxRivals limits the CRDs in the note on an object whose kind several define.
const maxRivals = 3

func (c *checker) accept(crd acceptedCRD) {
	c.access.Lock()
	defer c.access.Unlock()
	c.accepted = append(c.accepted, crd)
}

func (c *checker) releases() []Release {
	all := []Release{}
	for _, name := range c.Releases {
		_, approximate := c.approximate.Load(name)
		all = append(all, Release{name, approximate})
	}
	return all
}
