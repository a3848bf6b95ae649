package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// upgradeFlags holds the flags of the command upgrade-check.
type upgradeFlags struct {
	clusterFlags
	diffFlags
}

func newUpgradeCheck() *cobra.Command {
	var flags upgradeFlags
	command := &cobra.Command{
		Use:   "upgrade-check PATH...",
		Short: "Try new CRDs on the objects of a cluster",
		Long: `Compare CRDs with those of a cluster, and try each change on the objects that the cluster
stores. crdlab only reads from the cluster, evaluates on this machine, and sends the
objects nowhere.

` + inputHelp,
		Example: `  kubectl crdlab upgrade-check crd.yaml
  crdlab upgrade-check --context production config/crd`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runUpgradeCheck(command, flags, paths)
		}),
	}
	flags.add(command)
	flags.addFormat(command)
	return command
}

func runUpgradeCheck(command *cobra.Command, flags upgradeFlags, paths []string) (int, error) {
	options, err := flags.options()
	if err != nil {
		return 0, err
	}
	options.Stored = true
	after := readManifests(command, paths)
	if !slices.ContainsFunc(after.Documents, func(d *manifest.Document) bool { return d.IsCRD }) {
		return 0, noCRD(after)
	}
	var before, objects *manifest.Input
	before, objects, options.Others, err = flags.readStored(command, after)
	if err != nil {
		return 0, err
	}
	result, err := upgrade.Compare(command.Context(), newestEngine(), before, after, objects, options)
	if err != nil {
		return 0, err
	}
	return flags.print(command, result, check.Problems(after, before, objects))
}
