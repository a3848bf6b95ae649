package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/mcp"
	"github.com/crdlab/crdlab/internal/minors"
	"github.com/crdlab/crdlab/internal/naming"
	"github.com/crdlab/crdlab/internal/playground"
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
			programs := minors.Open(flags.path())
			defer programs.Close()
			transport := &sdk.IOTransport{Reader: stream{Reader: command.InOrStdin()}, Writer: stream{Writer: command.OutOrStdout()}}
			err := mcp.New(assistance(programs, roots, log.New(command.ErrOrStderr(), "", 0))).Run(command.Context(), transport)
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

// assistance returns the options of a server for assistants.
func assistance(programs *minors.Programs, roots []string, faults *log.Logger) mcp.Options {
	return mcp.Options{
		Version: version, Newest: release.Name(playground.NewestMinor), Roots: roots, Log: faults,
		NewEngine: func() check.Engine { return newJudge(programs) }, Conditions: naming.Conditions,
		Explain: func(ctx context.Context, groups []check.Group, in mcp.ExplainInput) (string, error) {
			var crds []check.Group
			for _, g := range groups {
				crds = append(crds, check.Group{CRD: g.CRD})
			}
			subjects, err := inspect.Reports(ctx, newJudge(programs).Evaluate, crds, playground.Scenario{Schemas: true})
			if err != nil {
				return "", err
			}
			missing := errors.New("no CRD serves the version")
			text, err := joined(subjects, func(s inspect.Subject, out io.Writer) error {
				for _, line := range s.Rejected() {
					fmt.Fprintln(out, line)
				}
				explained, unknown := inspect.Explain(s, inspect.ExplainOptions{Version: in.Version, Field: in.Field, Recursive: in.Recursive})
				if unknown != nil {
					missing = unknown
				}
				for _, e := range explained {
					if err := e.WriteText(out); err != nil {
						return err
					}
				}
				return nil
			})
			if err == nil && text == "" {
				err = missing
			}
			return text, err
		},
		Evaluate: func(ctx context.Context, groups []check.Group, in mcp.EvaluateInput) (string, error) {
			answer, trial := newAssist(), playground.Expression{Expression: in.Expression, Path: in.At}
			text, err := joined(groups, func(g check.Group, out io.Writer) error {
				for _, object := range g.Objects {
					value, err := inspect.Eval(ctx, answer, g, object, trial, playground.Scenario{})
					if err != nil {
						return err
					}
					fmt.Fprintf(out, "%s:%d: ", value.Path, value.Line)
					if err := value.WriteTrace(out); err != nil {
						return err
					}
				}
				return nil
			})
			if err == nil && text == "" {
				err = errors.New("there is no object with a CRD in these documents")
			}
			return text, err
		},
		Sample: func(ctx context.Context, groups []check.Group, in mcp.SampleInput) (string, error) {
			answer := newAssist()
			return joined(groups, func(g check.Group, out io.Writer) error {
				sample, ok, err := inspect.SampleOf(ctx, answer, g, playground.SampleRequest{Version: in.Version, Full: in.Full})
				switch {
				case err != nil:
					return err
				case !ok:
					return fmt.Errorf("%s:%d: the CRD lacks the version or is invalid; the tool check lists the errors", sample.CRD.Path, sample.CRD.Line)
				}
				for _, constraint := range sample.Unsolved {
					fmt.Fprintf(out, "# the sample may violate: %s\n", constraint)
				}
				return sample.WriteText(out)
			})
		},
	}
}

// joined returns the texts that write writes for all values.
func joined[T any](all []T, write func(T, io.Writer) error) (string, error) {
	var out strings.Builder
	for _, value := range all {
		if err := write(value, &out); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}
