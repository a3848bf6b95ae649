package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/format"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

// testFlags holds the flags of the command test.
type testFlags struct {
	judgeFlags
	output    string
	update    bool
	watch     bool
	cover     bool
	mutate    bool
	write     bool
	since     string
	html      string
	threshold float64
}

func newTest() *cobra.Command {
	var flags testFlags
	command := &cobra.Command{
		Use:   "test PATH...",
		Short: "Test CRDs and their rules with expectations in comments",
		Long: `Judge CRDs, admission policies and objects, and compare the findings with the expectations in
comments.
A document without expectations is expected to be accepted.

  # want "regexp"      this line has an error or a warning that the expression matches
  # want@+2 "regexp"   the line two lines below has it
  # crdlab: update     the request for this document: create (the default), update, status,
                       apply, scale or delete, with kubectl's flags, such as apply
                       --subresource=status or delete --as=jane. It follows the previous document
                       of the object. Like kubectl replace, update adds the resourceVersion
  # stored: 3          the stored object has this value in the field of this line;
                       "absent" means that the field is not stored

The expectations of FILE.json are in FILE.json.want: each line has a line number and
the regular expressions.

` + inputHelp,
		Example: `  crdlab test config/crd tests
  crdlab test --cover --threshold 90 config/crd tests
  crdlab test --mutate --since main config/crd tests
  crdlab test --mutate --write config/crd`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runTest(command, flags, paths)
		}),
	}
	flags.add(command)
	command.Flags().BoolVar(&flags.update, "update", false, "write the findings as expectations into the files")
	command.Flags().BoolVar(&flags.cover, "cover", false, "list the rules that were not seen to hold and to fail, and those that cannot fail")
	command.Flags().BoolVar(&flags.mutate, "mutate", false, "change each constraint of the CRDs and policies a little, and list the changes that no test notices")
	command.Flags().BoolVar(&flags.write, "write", false, "with --mutate, write tests that notice these changes into a file beside the tests of the CRD")
	command.Flags().StringVar(&flags.since, "since", "", "with --mutate, change only constraints that this git `revision` does not have")
	command.Flags().StringVar(&flags.html, "html", "", "write the coverage of the rules, and with --mutate the changes, into this `file` as a page")
	command.Flags().Float64Var(&flags.threshold, "threshold", 0, "fail if less than this `percentage` of the rules was seen to hold and to fail, or, with --mutate, of the changes is noticed")
	addWatch(command, &flags.watch)
	addGenerator(command)
	addOutput(command, &flags.output, format.Names...)
	return command
}

func runTest(command *cobra.Command, flags testFlags, paths []string) (int, error) {
	if err := flags.validateReleases(); err != nil {
		return 0, err
	}
	if flags.write && !flags.mutate {
		return 0, usageError("--write needs --mutate")
	}
	if flags.since != "" && !flags.mutate {
		return 0, usageError("--since needs --mutate")
	}
	programs, err := flags.open(command, flags.releases)
	if err != nil {
		return 0, err
	}
	defer programs.Close()
	judge := func(in *manifest.Input, m *memory) (int, error) { return testInput(command, flags, in, programs, m) }
	if !flags.watch {
		in := newReader(command).Read(command.Context(), paths)
		addUnjudged(in, paths, false)
		return judge(in, nil)
	}
	if err := validateWatch(paths, flags.output, flags.update || flags.write); err != nil {
		return 0, err
	}
	return watchInput(command, paths, judge)
}

// testInput compares the findings in an input with its expectations, and prints the result.
func testInput(command *cobra.Command, flags testFlags, in *manifest.Input, programs *releases.Programs, m *memory) (int, error) {
	progress := newProgress(command.ErrOrStderr())
	result, err := expect.Run(command.Context(), in, flags.options(programs, progress, m))
	progress.clear()
	if err != nil {
		return 0, err
	}
	for _, p := range in.Problems {
		fmt.Fprintf(command.ErrOrStderr(), "crdlab: %s\n", p.Error())
	}
	for _, release := range result.Approximate() {
		notify(command, "approximate: crdlab has no program of Kubernetes %s", release)
	}
	if flags.update {
		return statusAccepted, updateTests(command, result)
	}
	if flags.showsCoverage() {
		if err := addUnfailing(command.Context(), &result.Coverage, flags.releases); err != nil {
			return 0, err
		}
	}
	if flags.mutate {
		if err := mutateInput(command, flags, in, programs, result); err != nil {
			return 0, err
		}
	}
	if flags.html != "" {
		if err := writePage(command.Context(), flags.html, result); err != nil {
			return 0, usageError("%w", err)
		}
	}
	report := format.Test(result, check.Problems(in), flags.cover || flags.threshold > 0 && !flags.mutate)
	if err := report.Write(command.OutOrStdout(), flags.output, version); err != nil {
		return 0, err
	}
	return testStatus(in, result, flags), nil
}

// mutateInput adds what the tests say about changed CRDs to their result.
func mutateInput(command *cobra.Command, flags testFlags, in *manifest.Input, programs *releases.Programs, result *expect.Result) error {
	if result.Failed() > 0 {
		notify(command, "--mutate needs tests that pass: mend the failures first")
		return nil
	}
	progress := newProgress(command.ErrOrStderr())
	progress.noun = "changes"
	defer progress.clear()
	before, err := flags.before(command, in)
	if err != nil {
		return err
	}
	mutations, err := expect.Mutate(command.Context(), in, flags.options(programs, progress, nil), expect.MutateOptions{
		Compare: newComparison, Before: before, Write: flags.write, Progress: progress.report,
	})
	if err != nil {
		return err
	}
	result.Mutations = mutations
	return writeUpdated(command, mutations.Written)
}

// before returns the CRDs of an input as they are in the revision of --since; nil without one. A file may be new.
func (f testFlags) before(command *cobra.Command, in *manifest.Input) (*manifest.Input, error) {
	if f.since == "" {
		return nil, nil
	}
	directory, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, d := range in.Documents {
		if !d.IsCRD || d.IsGenerated() {
			continue
		}
		path, err := filepath.Abs(d.File.Path)
		if err == nil {
			path, err = filepath.Rel(directory, path)
		}
		if err != nil {
			return nil, err
		}
		paths = append(paths, f.since+":./"+filepath.ToSlash(path))
	}
	before := newReader(command).Read(command.Context(), slices.Compact(paths))
	for _, p := range before.Problems {
		if !errors.Is(p.Err, load.ErrNotInRevision) {
			return nil, usageError("--since: %w", p)
		}
	}
	return before, nil
}

// showsCoverage reports whether the output has the coverage of the rules.
func (f testFlags) showsCoverage() bool {
	return f.cover || f.html != "" || f.threshold > 0 && !f.mutate
}

// addUnfailing adds the rules that cannot fail on any of the releases.
func addUnfailing(ctx context.Context, c *expect.Coverage, releases []string) error {
	e := engine.New()
	return c.AddUnfailing(func(crd *manifest.Document) (map[string]bool, error) {
		defer e.ForgetCRDs()
		var all map[string]bool
		for _, release := range releases {
			ids, err := e.UnfailingRules(ctx, playground.Scenario{CRD: crd.Text, Kubernetes: release})
			if err != nil {
				return nil, err
			}
			if all == nil {
				all = ids
			}
			maps.DeleteFunc(all, func(id string, _ bool) bool { return !ids[id] })
		}
		return all, nil
	})
}

// writePage writes the result as a page into a file.
func writePage(ctx context.Context, path string, r *expect.Result) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(r.WriteHTML(ctx, file), file.Close())
}

func testStatus(in *manifest.Input, r *expect.Result, flags testFlags) int {
	switch {
	case len(in.Problems) > 0:
		return statusUsage
	case r.Failed() > 0:
		return statusFindings
	case r.Mutations != nil && r.Mutations.Percent() < flags.threshold:
		return statusFindings
	case r.Mutations == nil && r.Coverage.Percent() < flags.threshold:
		return statusFindings
	}
	return statusAccepted
}

func updateTests(command *cobra.Command, r *expect.Result) error {
	updated, err := r.Update()
	if err != nil {
		return usageError("%w", err)
	}
	return writeUpdated(command, updated)
}

func writeUpdated(command *cobra.Command, updated []expect.Updated) error {
	for _, file := range updated {
		if err := os.WriteFile(file.Path, []byte(file.Text), 0o644); err != nil { //nolint:gosec // as those of a checkout
			return usageError("%w", err)
		}
		fmt.Fprintf(command.OutOrStdout(), "%s: updated\n", file.Path)
	}
	return nil
}
