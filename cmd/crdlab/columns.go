package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

func newColumns() *cobra.Command {
	var flags inspectFlags
	var version string
	command := &cobra.Command{
		Use:   "columns PATH...",
		Short: `Print the columns that "kubectl get" shows for CRDs`,
		Long: `Print the columns that "kubectl get" shows for the objects of each CRD.

` + inputHelp,
		Example: `  crdlab columns config/crd`,
		Args:    cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runColumns(command, &flags, version, paths)
		}),
	}
	flags.add(command, outputText, outputJSON, outputYAML)
	addVersion(command, &version)
	return command
}

func runColumns(command *cobra.Command, flags *inspectFlags, version string, paths []string) (int, error) {
	selected, err := flags.selectCRDs(command, paths)
	if err != nil {
		return 0, err
	}
	subjects, err := selected.reports(playground.Scenario{})
	if err != nil {
		return 0, err
	}
	var all []inspect.Columns
	for _, subject := range subjects {
		all = append(all, inspect.ColumnsOf(subject, version)...)
	}
	status := selected.status(subjects)
	if len(all) == 0 {
		if err := selected.noVersion(subjects, "version", version); err != nil {
			return 0, err
		}
	}
	return status, printResults(command, flags.output, all, "\n", inspect.Columns.WriteText)
}
