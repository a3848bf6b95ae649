// Package check judges manifests: each CRD, and each object under the CRD of its kind.
package check

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// An Engine judges one CRD after the other. It is not used concurrently.
type Engine interface {
	Evaluate(context.Context, playground.Scenario) (playground.Report, error)
	// ForgetCRDs frees the memory of the CRDs that were judged.
	ForgetCRDs()
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
	// Conditions creates CRDs, whose names differ, in the same cluster, and returns the
	// condition NamesAccepted of each. It may be nil.
	Conditions func(context.Context, []playground.CRD) ([]playground.Condition, error)
	// Progress is called after each CRD and object; nil means no reports.
	Progress func(done, total int)
}

// Run judges the documents of an input. The error is from an engine, or from ctx.
func Run(ctx context.Context, in *manifest.Input, o Options) (*Result, error) {
	units, result := plan(in)
	c := checker{Options: o, result: result, total: len(result.Documents)}
	if err := c.run(ctx, units); err != nil {
		return nil, err
	}
	if err := c.addConflicts(ctx); err != nil {
		return nil, err
	}
	for _, p := range in.Packages {
		c.addPackage(p)
	}
	result.Releases = c.releases()
	return result, nil
}

// A unit is a CRD and the objects of its kind, as indexes of Result.Documents. A worker
// judges them together, so that it compiles the CRD once.
type unit struct {
	crd     int
	objects []int
}

// plan divides an input into units. The documents of the result have no verdicts yet.
func plan(in *manifest.Input) ([]unit, *Result) {
	result := &Result{Documents: []Document{}, WithoutCRD: []Object{}, Skipped: []Skipped{}, Problems: []Problem{}}
	groups, _ := Groups(in)
	units := make([]unit, len(groups))
	groupOf := map[*manifest.Document]int{}
	for i, group := range groups {
		for _, d := range append(group.Objects, group.CRD) {
			groupOf[d] = i
		}
	}
	for _, d := range in.Documents {
		i, hasCRD := groupOf[d]
		document := Document{Object: objectOf(d), source: d}
		switch {
		case !hasCRD:
			result.WithoutCRD = append(result.WithoutCRD, document.Object)
			continue
		case d.IsCRD:
			units[i].crd = len(result.Documents)
		default:
			document.CRD = objectOf(groups[i].CRD).position()
			units[i].objects = append(units[i].objects, len(result.Documents))
		}
		result.Documents = append(result.Documents, document)
	}
	for _, s := range in.Skipped {
		result.Skipped = append(result.Skipped, Skipped(s))
	}
	result.Problems = append(result.Problems, Problems(in)...)
	return units, result
}

// A Group is a CRD and the objects of its kind.
type Group struct {
	CRD     *manifest.Document
	Objects []*manifest.Document
}

// Groups returns the CRDs of an input, each with its objects, in the order of the input.
// withoutCRD lists the objects that belong to no CRD.
func Groups(in *manifest.Input) (groups []Group, withoutCRD []*manifest.Document) {
	crdOf := match(in)
	indexOf := map[*manifest.Document]int{}
	for _, d := range in.Documents {
		if d.IsCRD {
			indexOf[d] = len(groups)
			groups = append(groups, Group{CRD: d})
		}
	}
	for _, d := range in.Documents {
		switch crd := crdOf[d]; {
		case d.IsCRD:
		case crd == nil:
			withoutCRD = append(withoutCRD, d)
		default:
			group := &groups[indexOf[crd]]
			group.Objects = append(group.Objects, d)
		}
	}
	return groups, withoutCRD
}

// match returns the CRD of each object of an input that has a CRD.
func match(in *manifest.Input) map[*manifest.Document]*manifest.Document {
	crds := map[bundle.Kind][]*manifest.Document{}
	for _, d := range in.Documents {
		if d.IsCRD {
			crds[d.Described] = append(crds[d.Described], d)
		}
	}
	crdOf := map[*manifest.Document]*manifest.Document{}
	for _, d := range in.Documents {
		if crd := nearest(crds[d.Kind], d); crd != nil && !d.IsCRD {
			crdOf[d] = crd
		}
	}
	return crdOf
}

// nearest returns the CRD that shares most directories with an object, or nil without
// CRDs. A repository may have several CRDs of a kind, such as its channels.
func nearest(crds []*manifest.Document, object *manifest.Document) *manifest.Document {
	if len(crds) == 0 {
		return nil
	}
	return slices.MaxFunc(crds, func(a, b *manifest.Document) int {
		return shared(a.File, object.File) - shared(b.File, object.File)
	})
}

// shared returns the number of directories that two files share, and one more for the same
// file.
func shared(a, b *manifest.File) int {
	if a == b {
		return len(a.Path)
	}
	n := 0
	others := strings.Split(path.Dir(filepath.ToSlash(b.Path)), "/")
	for i, directory := range strings.Split(path.Dir(filepath.ToSlash(a.Path)), "/") {
		if i >= len(others) || others[i] != directory {
			break
		}
		n++
	}
	return n
}

// checker judges units.
type checker struct {
	Options
	result *Result
	total  int
	done   atomic.Int64
	// approximate holds the releases without their own libraries.
	approximate sync.Map

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
	crd := &c.result.Documents[u.crd]
	for _, index := range append([]int{u.crd}, u.objects...) {
		d := &c.result.Documents[index]
		for _, release := range c.Releases {
			s := playground.Scenario{Kubernetes: release, FieldValidation: c.FieldValidation, CRD: crd.source.Text}
			if d != crd {
				s.Object = d.source.Text
			}
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
			if d == crd && report.CRD.Accepted {
				c.accept(acceptedCRD{index, len(d.Verdicts), report.CRD})
			}
			d.Verdicts = append(d.Verdicts, verdictOf(report, d, crd))
		}
		if done := c.done.Add(1); c.Progress != nil {
			c.Progress(int(done), c.total)
		}
	}
	return ctx.Err()
}

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
