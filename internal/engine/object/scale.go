package object

import (
	"strings"

	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

func runScale(r *Request) error {
	before := r.rec.snapshot(r.object)
	path := r.endpoint.version.Scale.SpecReplicasPath
	scale, err := customresource.SetReplicas(r.object, r.endpoint.version.Scale, r.options.replicas)
	if err != nil {
		return err
	}
	scaled := scale.DeepCopy()
	scaled.Spec.Replicas = r.options.replicas
	if err := r.recordScaler(scale, scaled); err != nil {
		return err
	}
	r.rec.record(explainChanges(before, r.object.Object, playground.CauseScaled, func(jsonvalue.Change) string {
		return "spec.replicas of the Scale is " + strings.TrimPrefix(path, ".") + " of the object"
	})...)
	return nil
}
