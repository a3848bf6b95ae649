package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/helm"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// newReader returns the reader of the command's arguments. The command may have the flags that
// addGenerator and addConventions add.
func newReader(command *cobra.Command) load.Reader {
	return load.Reader{
		Stdin: command.InOrStdin(),
		Generate: func(ctx context.Context, pattern string) (*manifest.Package, error) {
			o, err := goOptions(command)
			if err != nil {
				return nil, err
			}
			return gotypes.Load(ctx, "", []string{pattern}, o)
		},
		Render: func(in *manifest.Input, isNamed func(directory string) bool) {
			o := helm.Options{Kubernetes: release.Name(playground.NewestMinor), Wants: isNamed}
			if releases, err := command.Flags().GetStringSlice("kubernetes"); err == nil && len(releases) > 0 {
				o.Kubernetes = releases[0]
			}
			if all, _ := command.Flags().GetBool(helmFlag); all { // false without the flag
				o.Wants = func(string) bool { return true }
			}
			helm.Apply(in, o)
		},
	}
}

// helmFlag requests that all charts in the paths are rendered.
const helmFlag = "helm"

// The flags for Go packages.
const (
	crdFlag         = "crd"
	conventionsFlag = "conventions"
)

// addGenerator adds the flag for the options of controller-gen.
func addGenerator(command *cobra.Command) {
	command.Flags().String(crdFlag, "", "`options` of controller-gen after \"crd:\", such as maxDescLen=0,allowDangerousTypes=true, instead of those of the project")
}

// addConventions adds the flag for notes on conventions.
func addConventions(command *cobra.Command) {
	command.Flags().Bool(conventionsFlag, false, "add the notes of kube-api-linter on Go types that break conventions of the Kubernetes API")
}

// goOptions returns the options for Go packages. A command without their flags has those of the project.
func goOptions(command *cobra.Command) (gotypes.Options, error) {
	text, _ := command.Flags().GetString(crdFlag)
	o, err := gotypes.ParseOptions(text)
	if err != nil {
		return o, usageError("--crd: %w", err)
	}
	o.Conventions, _ = command.Flags().GetBool(conventionsFlag)
	return o, nil
}
