package main

import (
	"errors"
	"io"
	"log"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/mcp"
	"github.com/crdlab/crdlab/internal/releases"
)

func newMCP() *cobra.Command {
	var flags programFlags
	var roots []string
	command := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an assistant with the Model Context Protocol",
		Long: `Serve an assistant on standard input and output with the Model Context Protocol: tools that
check, fix, test, compare and explain CRDs and their objects. They read files only below
the roots of the client and --root, and change none. docs/mcp.md has the configuration of
clients.`,
		Args: cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) {
			programs := releases.Open(flags.path())
			defer programs.Close()
			transport := &sdk.IOTransport{Reader: stream{Reader: command.InOrStdin()}, Writer: stream{Writer: command.OutOrStdout()}}
			err := mcp.New(mcp.Options{Version: version, Programs: programs, Roots: roots, Log: log.New(command.ErrOrStderr(), "", 0)}).Run(command.Context(), transport)
			if command.Context().Err() != nil || errors.Is(err, io.EOF) {
				return statusAccepted, nil
			}
			return statusAccepted, err
		}),
	}
	flags.addDirectory(command.Flags())
	command.Flags().StringSliceVar(&roots, "root", nil, "`directories` whose files the tools may read, in addition to the roots of the client")
	return command
}
