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

// readStored reads the CRDs of the cluster that have the names of new CRDs, and their objects.
// others has the other CRDs of the cluster.
func (f *clusterFlags) readStored(command *cobra.Command, after *manifest.Input) (before, objects, others *manifest.Input, err error) {
	client, err := cluster.Open(f.kubeconfig, f.context)
	if err != nil {
		return nil, nil, nil, clusterError(err)
	}
	crds, err := client.CRDs(command.Context())
	if err != nil {
		return nil, nil, nil, clusterError(err)
	}
	before, objects, others = manifest.NewInput(), manifest.NewInput(), manifest.NewInput()
	for _, crd := range crds {
		if !slices.ContainsFunc(after.Documents, func(d *manifest.Document) bool { return d.IsCRD && d.Name == crd.Name }) {
			others.Add(cluster.Path("customresourcedefinitions", crd.Name), crd.YAML)
			continue
		}
		before.Add(cluster.Path("customresourcedefinitions", crd.Name), crd.YAML)
		if crd.ServedVersion != crd.StorageVersion {
			notify(command, "%s: its storage version %s is not served, so that the objects are read at %s", crd.Name, crd.StorageVersion, crd.ServedVersion)
		}
		stored := 0
		err := client.Objects(command.Context(), crd, func(name, text string) error {
			objects.Add(cluster.Path(crd.Plural, name), text)
			stored++
			return nil
		})
		if err != nil {
			return nil, nil, nil, clusterError(err)
		}
		notify(command, "%s: %d objects in the cluster", crd.Name, stored)
	}
	for _, in := range []*manifest.Input{before, objects} {
		for _, p := range in.Problems {
			notify(command, "%s", p.Error())
		}
	}
	return before, objects, others, nil
}
