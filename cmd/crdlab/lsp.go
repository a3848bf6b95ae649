package main

import (
	"io"
	"log"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/lsp"
	"github.com/crdlab/crdlab/internal/releases"
)

// lspFlags holds the flags of the command lsp.
type lspFlags struct {
	programFlags
	cluster clusterFlags
}

func newLSP() *cobra.Command {
	var flags lspFlags
	command := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor with the Language Server Protocol",
		Long: `Serve an editor on standard input and output with the Language Server Protocol: verdicts,
completion, hover, fixes and definitions in CRDs and their objects while they are typed.
docs/editors.md has the configuration of editors.`,
		Args: cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) { return runLSP(command, flags) }),
	}
	flags.addDirectory(command.Flags())
	flags.cluster.add(command)
	// Editors add this flag to name the transport, which is the only one.
	command.Flags().Bool("stdio", true, "use standard input and output")
	return command
}

func runLSP(command *cobra.Command, flags lspFlags) (int, error) {
	programs := releases.Open(flags.path())
	defer programs.Close()
	orderly := lsp.Serve(command.Context(), stream{command.InOrStdin(), command.OutOrStdout()}, lsp.Options{
		Version: version, Programs: programs, Kubeconfig: flags.cluster.kubeconfig, Context: flags.cluster.context,
		Log: log.New(command.ErrOrStderr(), "", 0),
	})
	if !orderly && command.Context().Err() == nil {
		return statusFindings, nil // as the protocol demands
	}
	return statusAccepted, nil
}

// A stream is standard input and output.
type stream struct {
	io.Reader
	io.Writer
}

// Close implements io.Closer. The process ends soon.
func (s stream) Close() error {
	if in, ok := s.Reader.(io.Closer); ok {
		return in.Close()
	}
	return nil
}
