package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
)

// newReader returns the reader of the command's arguments. The command may have the flag that
// addConventions adds.
func newReader(command *cobra.Command) load.Reader {
	conventions, _ := command.Flags().GetBool(conventionsFlag) // false without the flag
	return load.Reader{Stdin: command.InOrStdin(), Generate: func(ctx context.Context, pattern string) (*manifest.Package, error) {
		return gotypes.Load(ctx, "", []string{pattern}, gotypes.Options{Conventions: conventions})
	}}
}

const conventionsFlag = "conventions"

// addConventions adds the flag for notes on conventions.
func addConventions(command *cobra.Command) {
	command.Flags().Bool(conventionsFlag, false, "add the notes of kube-api-linter on Go types that break conventions of the Kubernetes API")
}
