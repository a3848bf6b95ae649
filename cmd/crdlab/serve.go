package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/server"
)

func newServe() *cobra.Command {
	command := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve the playground, the HTTP API and short links",
		Long:  `Serve the playground, the HTTP API and short links. "crdlab serve --help" lists the flags.`,
		// The server also accepts its flags with a single dash.
		DisableFlagParsing: true,
		RunE: runE(func(_ *cobra.Command, arguments []string) (int, error) {
			return server.Program{Version: version}.Main(arguments), nil
		}),
	}
	command.Flags().AddFlagSet(server.Flags())
	return command
}
