package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/server"
	"github.com/crdlab/crdlab/internal/share"
)

const linksHelp = `The store is the one that the server would open: --store, CRDLAB_STORE, or the folder in your
data directory. Prefer the variable for an address with a password. A folder must not be in
use: stop its server, or download an export from /api/v1/backup.

An export has one link in each line, as JSON: its id, its expiry unless it never expires,
and the scenario.`

func newLinks() *cobra.Command {
	command := &cobra.Command{
		Use:   "links",
		Short: "Copy the short links of a server",
		Long:  "Copy the short links of a server, for a backup or into another store.\n\n" + linksHelp,
		Example: `  crdlab links export --store file:///data/links > links.jsonl
  CRDLAB_STORE=postgres://crdlab@host/crdlab crdlab links import links.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(newLinksExport(), newLinksImport())
	return command
}

func newLinksExport() *cobra.Command {
	var store string
	command := &cobra.Command{
		Use:   "export",
		Short: "Print the links of a store",
		Long:  "Print the links of a store that have not expired.\n\n" + linksHelp,
		Args:  cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) {
			return copyLinks(command, store, "exported", share.OpenArchive, func(ctx context.Context, archive share.Archive) (int, error) {
				return share.Export(ctx, archive, command.OutOrStdout())
			})
		}),
	}
	addStore(command, &store)
	return command
}

func newLinksImport() *cobra.Command {
	var store string
	command := &cobra.Command{
		Use:   "import FILE",
		Short: "Store the links of an export",
		Long: `Store the links of an export in FILE, or in standard input for "-". Links that the store
already has keep the later expiry, so you can repeat an import. The quota of the server
does not apply.

` + linksHelp,
		Args: cobra.ExactArgs(1),
		RunE: runE(func(command *cobra.Command, arguments []string) (int, error) {
			file, err := openExport(command, arguments[0])
			if err != nil {
				return 0, usageError("%w", err)
			}
			defer file.Close()
			return copyLinks(command, store, "imported", share.CreateArchive, func(ctx context.Context, archive share.Archive) (int, error) {
				return share.Import(ctx, archive, file)
			})
		}),
	}
	addStore(command, &store)
	return command
}

func addStore(command *cobra.Command, store *string) {
	command.Flags().StringVar(store, "store", "", "`address` of the store: file:///path/to/folder or postgres://…")
}

func openExport(command *cobra.Command, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(command.InOrStdin()), nil
	}
	return os.Open(path)
}

// copyLinks opens a store, calls run, and prints the number of links that it returns.
func copyLinks(command *cobra.Command, store, done string, open server.ArchiveOpener, run func(context.Context, share.Archive) (int, error)) (status int, err error) {
	archive, err := server.OpenLinks(command.Context(), store, open)
	if err != nil {
		return 0, linksError(err)
	}
	n, err := run(command.Context(), archive)
	if err := errors.Join(err, archive.Close()); err != nil {
		return 0, linksError(err)
	}
	fmt.Fprintf(command.ErrOrStderr(), "%s %d links\n", done, n)
	return statusAccepted, nil
}

// linksError gives the errors that a user can avoid the status of a wrong command line.
func linksError(err error) error {
	switch content := (*share.ExportError)(nil); {
	case errors.As(err, &content), errors.Is(err, share.ErrInUse), errors.Is(err, fs.ErrNotExist), errors.Is(err, errors.ErrUnsupported):
		return usageError("%w", err)
	}
	return err
}
