package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

func newSample() *cobra.Command {
	var output string
	var request playground.SampleRequest
	command := &cobra.Command{
		Use:   "sample PATH...",
		Short: "Print a sample object of each CRD",
		Long: `Print a sample object of each CRD that meets its schema and its rules, as far as crdlab
finds values for them. A line names each constraint that the object may violate.

` + inputHelp,
		Example: `  crdlab sample config/crd
  crdlab sample --full crd.yaml > sample.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runSample(command, output, request, paths)
		}),
	}
	addOutput(command, &output, outputText, outputJSON, outputYAML)
	command.Flags().StringVar(&request.Version, "version", "", "`version` of the CRDs; if empty, the storage version")
	completeFlag(command, "version", completeVersions)
	command.Flags().BoolVar(&request.Full, "full", false, "include all fields with their descriptions, optional ones as comments")
	return command
}

func runSample(command *cobra.Command, output string, request playground.SampleRequest, paths []string) (int, error) {
	in := readManifests(command, paths)
	groups, _ := check.Groups(in)
	if len(groups) == 0 {
		return 0, noCRD(in)
	}
	assist := newAssist()
	status := statusAccepted
	var all []inspect.Sample
	for _, group := range groups {
		sample, ok, err := inspect.SampleOf(command.Context(), assist, group, request)
		if err != nil {
			return 0, err
		}
		if !ok {
			notify(command, `%s:%d: the CRD lacks the version or is invalid; "crdlab check" lists the errors`, sample.CRD.Path, sample.CRD.Line)
			status = statusFindings
			continue
		}
		for _, constraint := range sample.Unsolved {
			notify(command, "%s:%d: the sample may violate: %s", sample.CRD.Path, sample.CRD.Line, constraint)
		}
		all = append(all, sample)
	}
	if len(in.Problems) > 0 {
		status = statusUsage
	}
	return status, printResults(command, output, all, "", inspect.Sample.WriteText)
}
