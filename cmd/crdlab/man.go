package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan returns the command that writes the manual pages of a release.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "Write the manual pages into a directory that exists",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: runE(func(command *cobra.Command, arguments []string) (int, error) {
			root := command.Root()
			root.DisableAutoGenTag = true // The pages of a version have the same bytes each day.
			header := &doc.GenManHeader{Section: "1", Source: "crdlab " + root.Version, Manual: "crdlab"}
			if err := doc.GenManTree(root, header, arguments[0]); err != nil {
				return 0, usageError("%w", err)
			}
			return statusAccepted, nil
		}),
	}
}
