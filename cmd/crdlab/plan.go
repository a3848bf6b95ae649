package main

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/format"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// planFlags holds the flags of the command plan.
type planFlags struct {
	clusterFlags
	conversionFlags
	fromCluster bool
	objects     []string
	webhooks    []string
	write       string
	output      string
	failOn      string
}

// anyNetwork permits each address of a webhook that the user names.
var anyNetwork = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

func newPlan() *cobra.Command {
	var flags planFlags
	command := &cobra.Command{
		Use:   "plan OLD NEW...",
		Short: "Plan the steps from one revision of CRDs to the next",
		Long: `Plan the updates that lead from the CRDs of one revision to those of the next: a version is
served before it is stored, objects are written again before a version is removed, and each
step has a way back. crdlab tries each step on the objects, and on objects that it makes.

OLD and NEW are paths as for the command check. Further revisions follow one after the other.`,
		Example: `  crdlab plan v1.2.0:config/crd config/crd
  crdlab plan --objects backup.yaml --write steps old.yaml new.yaml
  crdlab plan --from-cluster config/crd`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runPlan(command, flags, paths)
		}),
	}
	flags.add(command)
	command.Flags().BoolVar(&flags.fromCluster, "from-cluster", false, "take the CRDs of the cluster as OLD, with their objects")
	command.Flags().StringSliceVar(&flags.objects, "objects", nil, "`paths` of objects on which the steps are tried")
	flags.addConversion(command)
	command.Flags().StringSliceVar(&flags.webhooks, "webhook", nil, "`URLs` of conversion webhooks that crdlab calls, as in the clientConfig of the CRD")
	command.Flags().StringVar(&flags.write, "write", "", "`directory` for the manifests of the steps, with a test for each")
	addChoice(command, &flags.failOn, "fail-on", "", "least `severity` with the exit status 1", "breaks", "may-break", "never")
	addGenerator(command)
	addOutput(command, &flags.output, format.PlanNames...)
	return command
}

func runPlan(command *cobra.Command, flags planFlags, paths []string) (int, error) {
	ctx := command.Context()
	reader := newReader(command)
	objects := reader.Read(ctx, flags.objects)
	var revisions []*manifest.Input
	for _, path := range paths {
		revisions = append(revisions, reader.Read(ctx, []string{path}))
	}
	inputs := append(slices.Clone(revisions), objects)
	if flags.fromCluster {
		before, stored, _, err := flags.readStored(command, revisions[0])
		if err != nil {
			return 0, err
		}
		revisions, objects = append([]*manifest.Input{before}, revisions...), stored
	}
	if len(revisions) < 2 {
		return 0, usageError("plan needs OLD and NEW, or --from-cluster and NEW")
	}
	for _, in := range inputs {
		for _, p := range in.Problems {
			notify(command, "%s", p.Error())
		}
		notifyMistakes(command, in)
	}
	answers, err := flags.readConversion(command)
	if err != nil {
		return 0, err
	}
	e := engine.NewWithWebhooks(conversion.Webhooks{URLs: flags.webhooks, Networks: anyNetwork})
	plan, err := upgrade.NewPlan(ctx, check.Engine{Evaluate: e.Evaluate, Forget: e.ForgetCRDs}, revisions, objects, upgrade.PlanOptions{Conversion: answers, Assist: newAssist()})
	if err != nil {
		return 0, err
	}
	if len(plan.CRDs) == 0 {
		return 0, noCRD(revisions[len(revisions)-1])
	}
	if flags.write != "" {
		if err := writeSteps(flags.write, plan); err != nil {
			return 0, err
		}
	}
	problems := check.Problems(inputs...)
	status := statusAccepted
	switch {
	case len(problems) > 0:
		status = statusUsage
	case plan.Severity() >= severities[flags.failOn]:
		status = statusFindings
	}
	return status, format.Plan(plan, problems).Write(command.OutOrStdout(), flags.output, version)
}

// writeSteps writes the manifests of a plan, and the tests of its steps, below a directory.
func writeSteps(directory string, plan *upgrade.Plan) error {
	for _, c := range plan.CRDs {
		for _, file := range c.Files() {
			path := filepath.Join(directory, c.Name, filepath.FromSlash(file.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // manifests are no secrets
				return fmt.Errorf("write the steps: %w", err)
			}
			if err := os.WriteFile(path, []byte(file.Text), 0o644); err != nil { //nolint:gosec // as above
				return fmt.Errorf("write the steps: %w", err)
			}
		}
	}
	return nil
}
