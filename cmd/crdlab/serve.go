package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/server"
)

func newServe() *cobra.Command {
	return &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve the playground, the HTTP API and short links",
		Long:  `Serve the playground, the HTTP API and short links. "crdlab serve -help" lists the flags.`,
		// The flags are Go flags: a single dash suffices, also for long names.
		DisableFlagParsing: true,
		ValidArgsFunction:  completeSettings,
		RunE: runE(func(_ *cobra.Command, arguments []string) (int, error) {
			return server.Program{Version: version}.Main(arguments), nil
		}),
	}
}

func completeSettings(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var flags []cobra.Completion
	dashes := typed[:len(typed)-len(strings.TrimLeft(typed, "-"))]
	for _, setting := range server.Settings() {
		flags = append(flags, cobra.CompletionWithDesc(dashes+setting.Flag, setting.Usage))
	}
	if dashes == "" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return flags, cobra.ShellCompDirectiveNoFileComp
}
