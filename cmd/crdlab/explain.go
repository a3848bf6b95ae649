package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

func newExplain() *cobra.Command {
	var flags inspectFlags
	var o inspect.ExplainOptions
	command := &cobra.Command{
		Use:   "explain PATH...",
		Short: `Print the output of "kubectl explain" for CRDs`,
		Long: `Print the output of "kubectl explain" for each CRD.

` + inputHelp,
		Example: `  crdlab explain config/crd
  crdlab explain --field spec.jobs --recursive crd.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runExplain(command, &flags, o, paths)
		}),
	}
	flags.add(command, outputText, outputJSON, outputYAML)
	addVersion(command, &o.Version)
	command.Flags().StringVar(&o.Field, "field", "", "`path` of the explained field, such as spec.jobs.name; if empty, the whole object")
	command.Flags().BoolVar(&o.Recursive, "recursive", false, "list the fields of the fields, too")
	return command
}

func runExplain(command *cobra.Command, flags *inspectFlags, o inspect.ExplainOptions, paths []string) (int, error) {
	selected, err := flags.selectCRDs(command, paths)
	if err != nil {
		return 0, err
	}
	subjects, err := selected.reports(playground.Scenario{Schemas: true})
	if err != nil {
		return 0, err
	}
	var all []inspect.Explanation
	var missing []error
	for _, subject := range subjects {
		explanations, err := inspect.Explain(subject, o)
		if err != nil {
			missing = append(missing, err)
		}
		all = append(all, explanations...)
	}
	status := selected.status(subjects)
	if len(all) == 0 && len(missing) > 0 {
		return 0, usageError("--field: %w", missing[0])
	}
	if len(all) == 0 {
		if err := selected.noVersion(subjects, "version", o.Version); err != nil {
			return 0, err
		}
	}
	return status, printResults(command, flags.output, all, "\n", inspect.Explanation.WriteText)
}
