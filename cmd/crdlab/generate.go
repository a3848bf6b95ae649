package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/playground"
)

func newGenerate() *cobra.Command {
	var options string
	command := &cobra.Command{
		Use:   "generate PACKAGES...",
		Short: "Generate CRDs from Go types",
		Long: `Generate the CRDs of Go types with kubebuilder markers, as "controller-gen crd output:stdout"
prints them. Standard error has the mistakes with their lines, and markers without effect.
Like controller-gen, the command prints the CRDs despite mistakes.

PACKAGES is a directory or a pattern of the go command. Without the go command, it is a
directory, and fields with types from unknown packages accept any value. The other commands
accept patterns with "...", too: "crdlab check ./api/..." judges the CRDs, and leads from each
finding to the field or marker.`,
		Example: `  crdlab generate ./api/... > crds.yaml
  crdlab generate --crd maxDescLen=0 ./api/v1`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, patterns []string) (int, error) {
			return runGenerate(command, options, patterns)
		}),
	}
	command.Flags().StringVar(&options, "crd", "", ``+"`options`"+` of controller-gen after "crd:", such as maxDescLen=0,allowDangerousTypes=true`)
	addConventions(command)
	return command
}

func runGenerate(command *cobra.Command, options string, patterns []string) (int, error) {
	o, err := gotypes.ParseOptions(options)
	if err != nil {
		return 0, usageError("--crd: %w", err)
	}
	o.Conventions, _ = command.Flags().GetBool(conventionsFlag)
	generated, err := gotypes.Load(command.Context(), "", patterns, o)
	if err != nil {
		return 0, usageError("%w", err)
	}
	for _, f := range generated.Findings {
		severity := map[playground.Severity]string{playground.SeverityWarning: "warning: ", playground.SeverityInfo: "note: "}[f.Severity]
		notify(command, "%s: %s%s", f.Place, severity, f.Message)
		if f.Hint != "" {
			notify(command, "  hint: %s", f.Hint)
		}
	}
	for _, crd := range generated.CRDs {
		if _, err := io.WriteString(command.OutOrStdout(), crd.Text); err != nil {
			return 0, err
		}
	}
	if generated.HasErrors() {
		return statusFindings, nil
	}
	return statusAccepted, nil
}
