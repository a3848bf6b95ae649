package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// evalFlags holds the flags of the command eval.
type evalFlags struct {
	inspectFlags
	at     string
	object string
	old    []string
	trace  bool
}

func newEval() *cobra.Command {
	var flags evalFlags
	command := &cobra.Command{
		Use:   "eval EXPRESSION PATH...",
		Short: "Evaluate a CEL expression for a value of an object",
		Long: `Evaluate a CEL expression as a rule of the CRD would be: self is a value of the object,
pruned and defaulted. The paths contain the CRD and the object. The expression may have
any type. The exit status is 1 if it has no value.

` + inputHelp,
		Example: `  crdlab eval 'self.spec.replicas <= 10' crd.yaml object.yaml
  crdlab eval --at spec.jobs[0] --trace 'self.name.startsWith("job-")' .
  crdlab eval --old stored.yaml 'self.spec == oldSelf.spec' crd.yaml object.yaml`,
		Args: cobra.MinimumNArgs(2), //nolint:mnd // the expression and a path
		RunE: runE(func(command *cobra.Command, arguments []string) (int, error) {
			return runEval(command, &flags, arguments[0], arguments[1:])
		}),
	}
	flags.add(command, outputText, outputJSON, outputYAML)
	command.Flags().StringVar(&flags.at, "at", "", "field `path` of self in the object, such as spec.jobs[0]; if empty, the whole object")
	command.Flags().StringVar(&flags.object, "object", "", "`name` of the object, or NAMESPACE/NAME; if empty, all objects")
	command.Flags().StringSliceVar(&flags.old, "old", nil, "`paths` of the stored objects, which oldSelf is a part of")
	command.Flags().BoolVar(&flags.trace, "trace", false, "print the values of the subexpressions, and the cost")
	return command
}

func runEval(command *cobra.Command, flags *evalFlags, expression string, paths []string) (int, error) {
	if strings.TrimSpace(expression) == "" {
		return 0, usageError("the expression is empty")
	}
	selected, err := flags.selectGroups(command, paths)
	if err != nil {
		return 0, err
	}
	old := readManifests(command, flags.old)
	values, err := flags.evaluate(selected, old, playground.Expression{Expression: expression, Path: flags.at})
	if err != nil {
		return 0, err
	}
	status := statusAccepted
	for _, value := range values {
		if value.Failed() {
			status = statusFindings
		}
	}
	if selected.problems > 0 || len(old.Problems) > 0 {
		status = statusUsage
	}
	write, separator := inspect.Value.WriteText, ""
	switch {
	case flags.trace:
		write, separator = inspect.Value.WriteTrace, "\n"
	case len(values) > 1:
		write = inspect.Value.WriteNamed
	}
	return status, printResults(command, flags.output, values, separator, write)
}

// evaluate evaluates an expression for each selected object.
func (f *evalFlags) evaluate(selected *selection, old *manifest.Input, trial playground.Expression) ([]inspect.Value, error) {
	assist := newAssist()
	var values []inspect.Value
	for _, group := range selected.groups {
		template := playground.Scenario{Kubernetes: f.release, OldObject: inspect.Join(ofKind(old, group))}
		for _, object := range group.Objects {
			if f.object != "" && f.object != object.Name && f.object != object.Namespace+"/"+object.Name {
				continue
			}
			value, err := inspect.Eval(selected.command.Context(), assist, group, object, trial, template)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
	}
	if len(values) == 0 && f.object != "" {
		return nil, usageError("--object %q: there is no such object with a CRD in these paths", f.object)
	}
	if len(values) == 0 {
		return nil, usageError("there is no object with a CRD in these paths")
	}
	return values, nil
}

// ofKind returns the documents of the kind that the CRD of a group describes.
func ofKind(in *manifest.Input, group check.Group) []*manifest.Document {
	var documents []*manifest.Document
	for _, d := range in.Documents {
		if d.Kind == group.CRD.Described {
			documents = append(documents, d)
		}
	}
	return documents
}
