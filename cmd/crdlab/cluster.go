package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/cluster"
	"github.com/crdlab/crdlab/internal/manifest"
)

// clusterFlags holds the flags that select a cluster, as in kubectl.
type clusterFlags struct{ kubeconfig, context string }

func (f *clusterFlags) add(command *cobra.Command) {
	command.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `file`; if empty, as in kubectl")
	command.Flags().StringVar(&f.context, "context", "", "`name` of the context in the kubeconfig file; if empty, the current context")
}

// clusterError returns the error of a cluster that cannot be read: its input is unusable.
func clusterError(err error) error { return usageError("cluster: %w", err) }

// addCRDs adds the CRDs of the cluster for the objects of an input without a CRD.
func (f *clusterFlags) addCRDs(ctx context.Context, in *manifest.Input) error {
	_, others := check.Groups(in)
	if len(others) == 0 {
		return nil
	}
	crds, err := f.crds(ctx)
	if err != nil {
		return clusterError(err)
	}
	for _, crd := range crds {
		if slices.ContainsFunc(others, func(d *manifest.Document) bool { return d.Kind.Group == crd.Group && d.Kind.Kind == crd.Kind }) {
			in.Add(cluster.Path("customresourcedefinitions", crd.Name), crd.YAML)
		}
	}
	return nil
}

// crds returns the CRDs of the cluster.
func (f *clusterFlags) crds(ctx context.Context) ([]cluster.CRD, error) {
	client, err := cluster.Open(f.kubeconfig, f.context)
	if err != nil {
		return nil, err
	}
	return client.CRDs(ctx)
}
