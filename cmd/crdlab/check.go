package main

import (
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/format"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

// inputHelp describes the arguments of the commands that read manifests.
const inputHelp = `A PATH is a file, a directory, a pattern, an https address, a revision of the git
repository (REVISION:PATH, or REVISION for all its files), a pattern for Go packages such as
./api/..., or "-" for standard input.`

// checkFlags holds the flags of the command check.
type checkFlags struct {
	judgeFlags
	applyFlags
	output  string
	verbose bool
	noNotes bool
	fix     bool
	diff    bool
	pageURL string
	watch   bool
	// fromCluster adds the CRDs of a cluster.
	fromCluster bool
	cluster     clusterFlags
}

func newCheck() *cobra.Command {
	var flags checkFlags
	command := &cobra.Command{
		Use:   "check PATH...",
		Short: "Judge CRDs and objects",
		Long: `Judge each CRD, and each object under the CRD of its kind, as the API server does when
kubectl creates them. The admission policies of the input judge the objects, too.

` + inputHelp,
		Example: `  crdlab check config/crd config/samples
  crdlab check --kubernetes 1.31,1.37 .
  crdlab check main:config
  crdlab check --helm .
  kustomize build | crdlab check -`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runCheck(command, flags, paths)
		}),
	}
	flags.judgeFlags.add(command)
	flags.applyFlags.add(command)
	command.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "list accepted documents and the cost of their rules, too")
	command.Flags().BoolVar(&flags.fix, "fix", false, "write the safe fixes into the files")
	command.Flags().BoolVar(&flags.diff, "diff", false, "print the safe fixes; without --fix, the files remain as they are")
	command.Flags().StringVar(&flags.pageURL, "page-url", os.Getenv(pageVariable), "`URL` of the page, for links in the format markdown (environment: "+pageVariable+")")
	command.Flags().BoolVar(&flags.fromCluster, "from-cluster", false, "read the CRDs of objects without a CRD in the paths from a cluster")
	flags.cluster.add(command)
	command.Flags().BoolVar(&flags.noNotes, "no-notes", false, "omit crdlab's own notes about accepted CRDs")
	command.Flags().Bool(helmFlag, false, "render the Helm charts in the paths with their default values; a chart whose directory is a PATH is always rendered")
	addGenerator(command)
	addConventions(command)
	addWatch(command, &flags.watch)
	addOutput(command, &flags.output, format.Names...)
	return command
}

func runCheck(command *cobra.Command, flags checkFlags, paths []string) (int, error) {
	if err := flags.validateReleases(); err != nil {
		return 0, err
	}
	if flags.diff && flags.output != outputText {
		return 0, usageError("--diff needs --output text")
	}
	programs, err := flags.open(command, flags.releases)
	if err != nil {
		return 0, err
	}
	defer programs.Close()
	judge := func(in *manifest.Input, m *memory) (int, error) { return checkInput(command, flags, in, programs, m) }
	if !flags.watch {
		in := newReader(command).Read(command.Context(), paths)
		if flags.fromCluster {
			if err := flags.cluster.addCRDs(command.Context(), in); err != nil {
				return 0, err
			}
		}
		addUnjudged(in, paths, !flags.fromCluster)
		return judge(in, nil)
	}
	if flags.fromCluster {
		return 0, usageError("--watch does not read from a cluster")
	}
	if err := validateWatch(paths, flags.output, flags.fix || flags.diff); err != nil {
		return 0, err
	}
	return watchInput(command, paths, judge)
}

// checkInput judges an input and prints the result.
func checkInput(command *cobra.Command, flags checkFlags, in *manifest.Input, programs *releases.Programs, m *memory) (int, error) {
	progress := newProgress(command.ErrOrStderr())
	operation, err := flags.operation()
	if err != nil {
		return 0, err
	}
	options := flags.judgeFlags.options(programs, progress, m)
	options.IsBuiltIn = isBuiltIn
	options.Before = func(_ *manifest.Document, s *playground.Scenario) {
		s.CRDOperation, s.CRDFieldManager, s.CRDForce, s.VerdictOnly = operation, flags.manager, flags.force, true
	}
	result, err := fixOrRun(command, flags, in, options)
	progress.clear()
	if err != nil {
		return 0, err
	}
	if flags.noNotes {
		result.DropNotes()
	}
	for _, p := range result.Problems {
		fmt.Fprintf(command.ErrOrStderr(), "crdlab: %s: %s\n", p.Path, p.Message)
	}
	out := command.OutOrStdout()
	link, err := permalinks(flags.pageURL, fieldValidations[flags.validate], result)
	if err != nil {
		return 0, err
	}
	o := format.Options{Verbose: flags.verbose, Colour: hasColours(out), Link: link}
	if err := format.Check(result, o).Write(out, flags.output, version); err != nil {
		return 0, err
	}
	return checkStatus(result), nil
}

// fixOrRun judges an input. With the flags for fixes, it prints and writes them, too.
func fixOrRun(command *cobra.Command, flags checkFlags, in *manifest.Input, o check.Options) (*check.Result, error) {
	if !flags.fix && !flags.diff {
		return check.Run(command.Context(), in, o)
	}
	fixed, result, err := check.Fix(command.Context(), in, o)
	if err != nil {
		return nil, err
	}
	if flags.diff {
		if err := printDiff(command, fixed); err != nil {
			return nil, err
		}
	}
	if !flags.fix {
		return check.Run(command.Context(), in, o)
	}
	for _, file := range fixed {
		if !file.File.Writable {
			return nil, usageError("%s: cannot be fixed, because it is not a file", file.File.Path)
		}
	}
	for _, file := range fixed {
		if err := writeFixed(command, file); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func printDiff(command *cobra.Command, fixed []check.Fixed) error {
	for _, file := range fixed {
		path := file.File.Path
		if _, err := command.OutOrStdout().Write(diff.Diff(path, []byte(file.File.Text), path, []byte(file.Text))); err != nil {
			return err
		}
	}
	return nil
}

func writeFixed(command *cobra.Command, file check.Fixed) error {
	path := file.File.Path
	if err := os.WriteFile(path, []byte(file.Text), 0o600); err != nil { // the mode of an existing file remains
		return usageError("%w", err)
	}
	_, err := fmt.Fprintf(command.ErrOrStderr(), "crdlab: %s: fixed (%d)\n", path, file.Fixes)
	return err
}

func checkStatus(r *check.Result) int {
	switch {
	case len(r.Problems) > 0:
		return statusUsage
	case r.Count().Rejected > 0:
		return statusFindings
	}
	return statusAccepted
}
