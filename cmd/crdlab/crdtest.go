package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/crdtest"
	"github.com/crdlab/crdlab/internal/releases"
)

func newCRDTest() *cobra.Command {
	var flags programFlags
	command := &cobra.Command{
		Use:   "crdtest",
		Short: "Serve the Go library crdtest",
		Long: `Serve the Go library crdtest: read requests from standard input, and write the responses to
standard output, one JSON value in each line.`,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) {
			programs := releases.Open(flags.path())
			defer programs.Close()
			return statusAccepted, crdtest.Serve(command.Context(), command.InOrStdin(), command.OutOrStdout(), crdtest.Options{
				Compare: newComparison,
				Version: version,
				Missing: func(releases []string) error {
					return missingError(programs.Missing(releases), "the option crdtest.Approximate()")
				},
				Check: func(releases []string) check.Options {
					flags := judgeFlags{releases: releases, validate: "strict"}
					return flags.options(programs, newProgress(io.Discard), nil)
				},
			})
		}),
	}
	flags.addDirectory(command.Flags())
	return command
}
