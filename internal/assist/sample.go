package assist

import (
	"context"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
)

// sample responds to a sample request: it writes an object of a CRD.
func (a *Assistant) sample(ctx context.Context, request playground.SampleRequest) (*playground.SampleResult, error) {
	sample := &playground.SampleResult{Unsolved: []string{}}
	s, err := engine.SetDefaults(playground.Scenario{CRD: request.CRD})
	if err != nil {
		return nil, err
	}
	c, err := a.evaluateCRD(ctx, s)
	if err != nil {
		return nil, err
	}
	if c.Internal == nil {
		return sample, nil
	}
	kind := c.KindOfVersion(a.engine.KubernetesTypes(), request.Version)
	if kind == nil || request.Version != "" && kind.Version != request.Version {
		return sample, nil
	}
	object := crdschema.SampleObject(kind.Root)
	if meta, ok := object["metadata"].(map[string]any); ok && meta["name"] == nil {
		meta["name"] = c.Internal.Spec.Names.Singular + "-sample"
	}
	if c.Report.Accepted {
		solver := sampleSolver{ctx: ctx, engine: a.engine, scenario: s, kind: kind}
		if object, sample.Unsolved, err = solver.solveWithSpec(object); err != nil {
			return nil, err
		}
		if request.Full {
			if object, err = solver.fill(object, len(sample.Unsolved)); err != nil {
				return nil, err
			}
		}
	}
	sample.Object = writeSample(kind.Root, object, request.Full)
	return sample, nil
}

// evaluateCRD evaluates the CRD of s under the release of s.
func (a *Assistant) evaluateCRD(ctx context.Context, s playground.Scenario) (*crd.CRD, error) {
	restore, err := release.Emulate(s)
	if err != nil {
		return nil, err
	}
	defer restore()
	return a.engine.EvaluateCRD(ctx, s), nil
}
