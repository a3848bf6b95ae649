package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/playground"
)

func newGenerate() *cobra.Command {
	command := &cobra.Command{
		Use:   "generate PACKAGES...",
		Short: "Generate CRDs from Go types",
		Long: `Generate the CRDs of Go types with kubebuilder markers, as "controller-gen crd output:stdout"
prints them. Standard error has the mistakes with their lines, and markers without effect.
Like controller-gen, the command prints the CRDs despite mistakes.

PACKAGES is a directory or a pattern of the go command. Without the go command, it is a
directory, and fields with types from unknown packages accept any value. The other commands
accept patterns with "...", too: "crdlab check ./api/..." judges the CRDs, and leads from each
finding to the field or marker.

The options of controller-gen are those of the project, from the file .crdlab.yaml, a Makefile, a
script or a line for "go generate", unless --crd has others.`,
		Example: `  crdlab generate ./api/... > crds.yaml
  crdlab generate --crd maxDescLen=0 ./api/v1`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(runGenerate),
	}
	addGenerator(command)
	addConventions(command)
	return command
}

func runGenerate(command *cobra.Command, patterns []string) (int, error) {
	o, err := goOptions(command)
	if err != nil {
		return 0, err
	}
	generated, err := gotypes.Load(command.Context(), "", patterns, o)
	if err != nil {
		return 0, usageError("%w", err)
	}
	if generated.Options != "" {
		notify(command, "options crd:%s, from %s", generated.Options, generated.OptionsFrom)
	}
	for _, f := range generated.Findings {
		severity := map[playground.Severity]string{playground.SeverityWarning: "warning: ", playground.SeverityInfo: "note: "}[f.Severity]
		notify(command, "%s: %s%s", f.Place, severity, f.Message)
		if f.Hint != "" {
			notify(command, "  hint: %s", f.Hint)
		}
	}
	for _, crd := range generated.CRDs {
		if generated.LacksMarkers { // As controller-gen, write none.
			break
		}
		if _, err := io.WriteString(command.OutOrStdout(), crd.Text); err != nil {
			return 0, err
		}
	}
	if generated.HasErrors() {
		return statusFindings, nil
	}
	return statusAccepted, nil
}
