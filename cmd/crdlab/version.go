package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/server"
)

func newVersion() *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of crdlab and of its Kubernetes libraries",
		Args:  cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) {
			return statusAccepted, printVersion(command, output)
		}),
	}
	addOutput(command, &output, outputText, outputJSON)
	return command
}

func printVersion(command *cobra.Command, output string) error {
	build := server.Build(version)
	if output == outputJSON {
		encoder := json.NewEncoder(command.OutOrStdout())
		encoder.SetIndent("", "  ")
		return encoder.Encode(build)
	}
	_, err := fmt.Fprintf(command.OutOrStdout(), "crdlab %s\nKubernetes %s\n%s\n", build.Version, build.Kubernetes, build.Go)
	return err
}
