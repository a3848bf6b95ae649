package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/server"
)

func newStatic() *cobra.Command {
	var url string
	command := &cobra.Command{
		Use:   "static DIRECTORY",
		Short: "Write the page for hosts that only send files",
		Args:  cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: runE(func(_ *cobra.Command, arguments []string) (int, error) {
			return statusAccepted, server.WriteStatic(arguments[0], url)
		}),
	}
	command.Flags().StringVar(&url, "public-url", "", "`URL` of the site, for search engines; if empty, the pages do not state it")
	return command
}
