package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/cluster"
	"github.com/crdlab/crdlab/internal/manifest"
)

// addUnjudged adds a problem to an input without a CRD: nothing can be judged, which is no
// success. Input with other problems, and Go packages with errors, fail anyway. fromCluster
// reports whether the command could read the CRDs from a cluster.
func addUnjudged(in *manifest.Input, paths []string, fromCluster bool) {
	groups, _ := check.Groups(in)
	if len(groups) > 0 || len(in.Problems) > 0 || slices.ContainsFunc(in.Packages, (*manifest.Package).HasErrors) {
		return
	}
	name := paths[0]
	if len(paths) > 1 {
		name += fmt.Sprintf(" and %d more", len(paths)-1)
	}
	in.Problems = append(in.Problems, manifest.Problem{Path: name, Err: errors.New("nothing was judged: " + check.Unjudged(in, isBuiltIn, fromCluster))})
}

// isBuiltIn reports whether the API server has the kind of an object without a CRD.
func isBuiltIn(d *manifest.Document) bool {
	return cluster.HasKind(d.APIVersion, d.Kind.Kind)
}
