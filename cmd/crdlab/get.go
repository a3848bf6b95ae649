package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
)

// outputWide is a value of --output, see outputText.
const outputWide = "wide"

// getFlags holds the flags of the command get.
type getFlags struct {
	objectFlags
	version string
}

func newGet() *cobra.Command {
	var flags getFlags
	command := &cobra.Command{
		Use:   "get PATH...",
		Short: `Print the output of "kubectl get" for objects`,
		Long: `Print the output of "kubectl get" for the objects that the API server accepts, with the
printer columns of their CRDs.

` + inputHelp,
		Example: `  crdlab get config/crd config/samples
  crdlab get --output wide --version v1beta1 .`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runGet(command, &flags, paths)
		}),
	}
	flags.add(command, outputText, outputWide, outputJSON, outputYAML)
	addVersion(command, &flags.version)
	return command
}

func runGet(command *cobra.Command, flags *getFlags, paths []string) (int, error) {
	selected, subjects, err := flags.reports(command, paths)
	if err != nil {
		return 0, err
	}
	var all []inspect.Table
	for _, subject := range subjects {
		if len(subject.Objects) > 0 {
			all = append(all, inspect.Tables(subject, flags.version)...)
		}
	}
	status := selected.status(subjects)
	if len(all) == 0 {
		if err := selected.noObjects(subjects, "version", flags.version); err != nil {
			return 0, err
		}
	}
	write := inspect.Table.WriteText
	if flags.output == outputWide {
		write = inspect.Table.WriteWide
	}
	return status, printResults(command, flags.output, all, "\n", write)
}
