package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

func newCost() *cobra.Command {
	var flags inspectFlags
	command := &cobra.Command{
		Use:   "cost PATH...",
		Short: "Print the cost of CEL rules",
		Long: `Print the estimated cost of the rules of each CRD, which the API server limits, and the
actual cost for each object. The exit status is 1 if a rule does not compile or is too
expensive.

` + inputHelp,
		Example: `  crdlab cost config/crd
  crdlab cost --output json . | jq '.[].rules | max_by(.estimatedCost)'`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runCost(command, &flags, paths)
		}),
	}
	flags.add(command, outputText, outputJSON, outputYAML)
	return command
}

func runCost(command *cobra.Command, flags *inspectFlags, paths []string) (int, error) {
	selected, err := flags.selectGroups(command, paths)
	if err != nil {
		return 0, err
	}
	subjects, err := selected.reports(playground.Scenario{})
	if err != nil {
		return 0, err
	}
	var all []inspect.Cost
	for _, subject := range subjects {
		all = append(all, inspect.CostOf(subject))
	}
	status := selected.status(subjects)
	return status, printResults(command, flags.output, all, "\n", inspect.Cost.WriteText)
}
