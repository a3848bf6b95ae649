package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/naming"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// applyFlags holds the flags of the commands that judge requests for CRDs.
type applyFlags struct {
	apply      bool
	serverSide bool
	manager    string
	force      bool
}

// add adds the flags to a command, with the names that they have in kubectl apply.
func (f *applyFlags) add(command *cobra.Command) {
	command.Flags().BoolVar(&f.apply, "apply", false, "judge the CRDs as kubectl apply sends them")
	command.Flags().BoolVar(&f.serverSide, "server-side", false, "judge the CRDs as kubectl apply --server-side and GitOps tools send them")
	command.Flags().StringVar(&f.manager, "field-manager", "", "`name` of the manager that applies the CRDs; if empty, the one that kubectl uses")
	command.Flags().BoolVar(&f.force, "force-conflicts", false, "take the fields of other managers, with --server-side")
}

// operation returns the operation of the requests for CRDs, or an error if the flags
// contradict each other.
func (f *applyFlags) operation() (playground.Operation, error) {
	switch {
	case f.serverSide:
		return playground.OperationApply, nil
	case f.force:
		return "", usageError("--force-conflicts needs --server-side")
	case f.apply:
		return playground.CRDOperationClientApply, nil
	case f.manager != "":
		return "", usageError("--field-manager needs --apply or --server-side")
	}
	return "", nil
}

// options returns the options of a comparison.
func (f *applyFlags) options() (upgrade.Options, error) {
	operation, err := f.operation()
	return upgrade.Options{Operation: operation, FieldManager: f.manager, Force: f.force, Conditions: naming.Conditions}, err
}
