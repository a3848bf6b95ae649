package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/format"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// diffFlags holds the flags of the command diff.
type diffFlags struct {
	applyFlags
	objects []string
	output  string
	failOn  string
	verbose bool
}

// severities maps the values of --fail-on to the least severity with the status 1.
var severities = map[string]upgrade.Severity{"breaks": upgrade.Breaks, "may-break": upgrade.MayBreak, "never": upgrade.Breaks + 1}

func newDiff() *cobra.Command {
	var flags diffFlags
	command := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Report the changes of CRDs that break objects and clients",
		Long: `Compare the CRDs of two files, directories or revisions. A change breaks if crdlab found
an object that the old CRD accepts, and that the new CRD rejects or changes.

OLD and NEW are paths as for the command check.`,
		Example: `  crdlab diff main:config/crd config/crd
  crdlab diff --objects backup.yaml v1.2.0:config/crd config/crd`,
		Args: cobra.ExactArgs(2),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runDiff(command, flags, paths)
		}),
	}
	command.Flags().StringSliceVar(&flags.objects, "objects", nil, "`paths` of objects on which the changes are tried")
	flags.addFormat(command)
	return command
}

// addFormat adds the flags for the requests, the output and the exit status.
func (f *diffFlags) addFormat(command *cobra.Command) {
	f.add(command)
	command.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "list compatible changes, too")
	addChoice(command, &f.failOn, "fail-on", "", "least `severity` with the exit status 1", "breaks", "may-break", "never")
	addGenerator(command)
	addOutput(command, &f.output, format.Names...)
}

func runDiff(command *cobra.Command, flags diffFlags, paths []string) (int, error) {
	options, err := flags.options()
	if err != nil {
		return 0, err
	}
	ctx := command.Context()
	reader := newReader(command)
	before, after, objects := reader.Read(ctx, paths[:1]), reader.Read(ctx, paths[1:]), reader.Read(ctx, flags.objects)
	result, err := upgrade.Compare(ctx, newestEngine(), before, after, objects, options)
	if err != nil {
		return 0, err
	}
	for _, in := range []*manifest.Input{before, after, objects} {
		for _, p := range in.Problems {
			notify(command, "%s", p.Error())
		}
		notifyMistakes(command, in)
	}
	if len(result.CRDs) == 0 && !slices.ContainsFunc(append(before.Packages, after.Packages...), (*manifest.Package).HasErrors) {
		return 0, noCRD(after)
	}
	return flags.print(command, result, check.Problems(before, after, objects))
}

// print prints a comparison of inputs with problems, and returns the exit status.
func (f *diffFlags) print(command *cobra.Command, r *upgrade.Result, problems []check.Problem) (status int, err error) {
	failOn := severities[f.failOn]
	switch {
	case len(problems) > 0:
		status = statusUsage
	case r.Severity() >= failOn:
		status = statusFindings
	}
	return status, format.Diff(r, problems, f.verbose, failOn).Write(command.OutOrStdout(), f.output, version)
}
