package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/project"
)

// testsDirectory is the directory of the tests that the command init writes. The checks of the
// workflow do not contain it, because tests have rejected objects.
const testsDirectory = "crdlab-tests"

// The contents of the files: the verbs represent the version of crdlab, the paths to check and
// those to test, and in the test for a sample object. The object occurs twice, the first time
// with a field at the root that most CRDs do not have.
var (
	//go:embed init/workflow.yaml
	workflow string
	//go:embed init/pre-commit.yaml
	preCommit string
	//go:embed init/settings.yaml
	settingsText string
	//go:embed init/test.yaml
	firstTest string
)

// A plannedFile is a file that the command init writes. The path is relative to its directory.
type plannedFile struct{ path, text string }

func newInit() *cobra.Command {
	var yes bool
	command := &cobra.Command{
		Use:   "init [DIRECTORY]",
		Short: "Write a workflow, hooks and first tests for the CRDs of a repository",
		Long: `Write a GitHub workflow, a configuration for pre-commit and first tests for the CRDs in
the root directory of a repository, by default the current directory. The command shows the
files first, and asks before it writes them. It never changes a file that exists.

The tests include one of each limit, default and rule, as "crdlab test --mutate --write" writes
them, as far as it finds them within 20 seconds.

For a repository with Go files, it also writes the settings .crdlab.yaml, which turn the notes of
kube-api-linter on.`,
		Example: `  crdlab init
  crdlab init --yes path/to/repository`,
		Args: cobra.MaximumNArgs(1),
		RunE: runE(func(command *cobra.Command, arguments []string) (int, error) {
			return runInit(command, append(arguments, ".")[0], yes)
		}),
	}
	command.Flags().BoolVarP(&yes, "yes", "y", false, "write the files without a question")
	return command
}

func runInit(command *cobra.Command, directory string, yes bool) (int, error) {
	in := readManifests(command, []string{directory})
	groups, _ := check.Groups(in)
	if len(groups) == 0 {
		return 0, noCRD(in)
	}
	planned, err := planFiles(command.Context(), groups, directory)
	if err != nil {
		return 0, err
	}
	if in.GoDirectory != "" {
		planned = append(planned, plannedFile{project.SettingsFile, settingsText})
	}
	out := command.OutOrStdout()
	var missing []plannedFile
	for _, file := range planned {
		// Lstat, because a link to a missing file exists, too.
		if _, err := os.Lstat(filepath.Join(directory, file.path)); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, file)
			fmt.Fprintf(out, "%s:\n", file.path)
		} else {
			fmt.Fprintf(out, "%s exists and remains as it is. crdlab would write:\n", file.path)
		}
		fmt.Fprintf(out, "\n    %s\n\n", strings.ReplaceAll(beginning(file.text), "\n", "\n    "))
	}
	if len(missing) == 0 {
		notify(command, "all files exist: nothing was written")
		return statusAccepted, nil
	}
	if !yes {
		if !isInteractive(command.InOrStdin(), out) {
			return 0, usageError("nothing was written: add --yes to write these files")
		}
		fmt.Fprintf(out, "Write the new files (%d)? [y/N] ", len(missing))
		answer, _ := bufio.NewReader(command.InOrStdin()).ReadString('\n') // No answer means no.
		if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
			notify(command, "nothing was written")
			return statusAccepted, nil
		}
	}
	for _, file := range missing {
		if err := writeNew(filepath.Join(directory, file.path), file.text); err != nil {
			return 0, usageError("%w", err)
		}
		notify(command, "%s: written", filepath.Join(directory, file.path))
	}
	return statusAccepted, nil
}

// beginning returns the first lines of a file.
func beginning(text string) string {
	const most = 60
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%s\n… (%d more lines)", strings.Join(lines[:most], "\n"), len(lines)-most)
}

// planFiles returns the files for the CRDs in a directory. There is no test if crdlab finds no
// object that a CRD accepts.
func planFiles(ctx context.Context, groups []check.Group, directory string) ([]plannedFile, error) {
	checked, err := crdPaths(groups, directory)
	if err != nil {
		return nil, err
	}
	tests, err := planTest(ctx, groups)
	if err != nil {
		return nil, err
	}
	suites, err := planSuites(ctx, groups, tests)
	if err != nil {
		return nil, err
	}
	// list returns a list in YAML.
	list := func(paths []string) string { return strings.ReplaceAll(fmt.Sprintf("%q", paths), `" "`, `", "`) }
	tested := append(slices.Clone(checked), testsDirectory)
	tag := "v1.0.0"
	if released.MatchString(version) {
		tag = version
	}
	return append([]plannedFile{
		{".github/workflows/crdlab.yaml", fmt.Sprintf(workflow, tag, strings.Join(checked, " "), strings.Join(tested, " "))},
		{".pre-commit-config.yaml", fmt.Sprintf(preCommit, tag, list(checked), list(tested))},
	}, append(tests, suites...)...), nil
}

// crdPaths returns the directories with CRDs, relative to a directory above them. For CRDs in
// this directory itself, it returns the files: the directory also contains the tests.
func crdPaths(groups []check.Group, directory string) ([]string, error) {
	var paths []string
	for _, group := range groups {
		file, err := filepath.Rel(directory, group.CRD.File.Path)
		if err != nil {
			return nil, usageError("%w", err)
		}
		file = filepath.ToSlash(file)
		if parent := path.Dir(file); parent != "." {
			file = parent
		}
		paths = append(paths, file)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// testOptions are those of "crdlab test" without flags.
var testOptions = check.Options{
	Releases:        []string{release.Name(playground.NewestMinor)},
	FieldValidation: playground.FieldValidationStrict,
	NewEngine:       func() check.Engine { return check.Engine{Evaluate: engine.New().Evaluate} },
}

// suiteBudget limits the search for tests of all constraints.
const suiteBudget = 20 * time.Second

// planSuites returns tests of the constraints of the CRDs, beside their first tests.
func planSuites(ctx context.Context, groups []check.Group, tests []plannedFile) ([]plannedFile, error) {
	in := manifest.NewInput()
	for _, group := range groups {
		in.Add(group.CRD.File.Path, group.CRD.Text)
	}
	for _, file := range tests {
		in.Add(file.path, file.text)
	}
	mutations, err := expect.Mutate(ctx, in, testOptions, expect.MutateOptions{
		Compare: newComparison, Write: true, Budget: suiteBudget, Progress: func(int, int) {},
	})
	if err != nil {
		return nil, err
	}
	var suites []plannedFile
	for _, written := range mutations.Written {
		suites = append(suites, plannedFile{path.Join(testsDirectory, filepath.Base(written.Path)), written.Text})
	}
	return suites, nil
}

// planTest returns a test that passes for the first CRD with such a test, or nothing.
func planTest(ctx context.Context, groups []check.Group) ([]plannedFile, error) {
	assist := newAssist()
	for _, group := range groups {
		sample, ok, err := inspect.SampleOf(ctx, assist, group, playground.SampleRequest{})
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		file := plannedFile{path.Join(testsDirectory, group.CRD.Name+".yaml"), fmt.Sprintf(firstTest, strings.TrimSpace(sample.Object))}
		in := manifest.NewInput()
		in.Add(group.CRD.File.Path, group.CRD.Text)
		in.Add(file.path, file.text)
		result, err := expect.Run(ctx, in, testOptions)
		if err != nil {
			return nil, err
		}
		if result.Failed() == 0 {
			return []plannedFile{file}, nil
		}
	}
	return nil, nil
}

// writeNew writes a file that must not exist, and its directories.
func writeNew(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // as those of a checkout
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // as those of a checkout
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
