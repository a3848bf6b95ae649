package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdlab/crdlab/internal/releases"
)

// releasesVariable is the environment variable with the address of crdlab's own releases.
const releasesVariable = "CRDLAB_RELEASES"

// programFlags holds the flags about the programs of older releases.
type programFlags struct {
	directory   string
	approximate bool
	install     bool
}

// addDirectory adds the flag for the directory of the programs.
func (f *programFlags) addDirectory(flags *pflag.FlagSet) {
	flags.StringVar(&f.directory, "programs", os.Getenv("CRDLAB_PROGRAMS"), "`directory` of the programs of older releases; if empty, the directory programs beside this program, or else one in your cache (environment: CRDLAB_PROGRAMS)")
}

// add adds the flags to a command that judges.
func (f *programFlags) add(command *cobra.Command) {
	f.addDirectory(command.Flags())
	command.Flags().BoolVar(&f.approximate, "approximate", false, "judge a release without its program, too, with the newest libraries; nothing then counts as accepted")
	command.Flags().BoolVar(&f.install, "add-releases", false, "download the programs of the releases first, as \"crdlab releases add\" does")
}

// path returns the directory of the programs.
func (f *programFlags) path() string {
	if f.directory != "" {
		return f.directory
	}
	return releases.Directory(version)
}

// open returns the programs. A release without its own program is an error, unless the
// user wants an approximation.
func (f *programFlags) open(command *cobra.Command, names []string) (*releases.Programs, error) {
	programs := releases.Open(f.path())
	if f.install {
		missing := slices.DeleteFunc(programs.Missing(names), func(name string) bool { return !slices.Contains(releases.Known(), name) })
		if err := f.addAll(command, missing, ""); err != nil {
			return nil, err
		}
		programs = releases.Open(f.path())
	}
	if f.approximate {
		return programs, nil
	}
	return programs, missingError(programs.Missing(names), "--approximate")
}

// missingError returns the error that releases have no program, or nil if the list is empty.
// option is what permits an approximation.
func missingError(missing []string, option string) error {
	known := releases.Known()
	for _, name := range missing {
		if !slices.Contains(known, name) {
			return usageError("there is no program of Kubernetes %s, only of %s and later: judge a later release, or add %s", name, known[0], option)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return usageError("the program of Kubernetes %s is not installed: run \"crdlab releases add %s\", or add %s",
		strings.Join(missing, ", "), strings.Join(missing, " "), option)
}

func newReleases() *cobra.Command {
	var flags programFlags
	var output string
	command := &cobra.Command{
		Use:   "releases",
		Short: "List the Kubernetes releases that can judge, and install older ones",
		Long: `List the Kubernetes releases. The newest one is part of crdlab. Each older one judges with
its own libraries, in a program of its own: "crdlab releases add" installs it.`,
		Example: `  crdlab releases
  crdlab releases add 1.31 1.36
  crdlab check --kubernetes 1.31,1.37 config`,
		Args: cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) {
			return statusAccepted, printReleases(command, flags.path(), output)
		}),
	}
	flags.addDirectory(command.PersistentFlags())
	addOutput(command, &output, outputText, outputJSON)
	command.AddCommand(newReleasesAdd(&flags), newReleasesRemove(&flags))
	return command
}

func printReleases(command *cobra.Command, directory, output string) error {
	all := releases.List(directory)
	return printResult(command, output, all, func() error {
		for _, r := range all {
			if r.Program == releases.NoProgram {
				r.Program += " (approximate verdicts only)"
			}
			fmt.Fprintf(command.OutOrStdout(), "%-6s %s\n", r.Kubernetes, r.Program)
		}
		_, err := fmt.Fprintf(command.OutOrStdout(), "\nPrograms are in %s\n", directory)
		return err
	})
}

func newReleasesAdd(flags *programFlags) *cobra.Command {
	var from string
	command := &cobra.Command{
		Use:   "add RELEASE...",
		Short: "Install the programs of older Kubernetes releases",
		Long: `Download the programs of older Kubernetes releases for this platform from the release of
this version of crdlab, compare them with their checksums, and install them.`,
		Example: `  crdlab releases add 1.31 1.36
  crdlab releases add 1.31 --from https://mirror.example.com/crdlab/v1.0.0`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completePrograms(flags, false),
		RunE: runE(func(command *cobra.Command, releases []string) (int, error) {
			if err := validateInstallable(releases); err != nil {
				return 0, err
			}
			return statusAccepted, flags.addAll(command, releases, from)
		}),
	}
	command.Flags().StringVar(&from, "from", "", "`directory` or URL with the files of a release of crdlab; if empty, the release of this version (environment: "+releasesVariable+", the URL of all releases)")
	return command
}

func newReleasesRemove(flags *programFlags) *cobra.Command {
	return &cobra.Command{
		Use:               "remove RELEASE...",
		Short:             "Remove the programs of older Kubernetes releases",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completePrograms(flags, true),
		RunE: runE(func(command *cobra.Command, names []string) (int, error) {
			if err := validateInstallable(names); err != nil {
				return 0, err
			}
			for _, name := range names {
				removed, err := releases.Remove(flags.path(), name)
				if err != nil {
					return 0, usageError("%w", err)
				}
				done := "removed"
				if !removed {
					done = "not installed"
				}
				fmt.Fprintf(command.OutOrStdout(), "Kubernetes %s: %s\n", name, done)
			}
			return statusAccepted, nil
		}),
	}
}

// validateInstallable returns an error unless all releases have a program of their own.
func validateInstallable(names []string) error {
	known := releases.Known()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return usageError("Kubernetes %s has no program: there are programs of %s to %s", name, known[0], known[len(known)-1])
		}
	}
	return nil
}

// addAll installs the programs of releases that are not installed.
func (f *programFlags) addAll(command *cobra.Command, names []string, from string) error {
	directory := f.path()
	if directory == "" {
		return usageError("there is no directory for programs: set CRDLAB_PROGRAMS")
	}
	missing := releases.Open(directory).Missing(names)
	archive := releases.Archive{}
	for _, name := range names {
		if !slices.Contains(missing, name) {
			notify(command, "Kubernetes %s is installed", name)
			continue
		}
		if archive.From == "" {
			var err error
			if archive, err = openArchive(from); err != nil {
				return err
			}
		}
		notify(command, "downloading %s from %s", releases.ArchiveName(name), archive.From)
		if err := archive.Install(command.Context(), name, directory); err != nil {
			if errors.Is(err, context.Canceled) {
				return err
			}
			return usageError("Kubernetes %s is not installed: %w", name, err)
		}
		notify(command, "Kubernetes %s is installed in %s", name, directory)
	}
	return nil
}

// released matches the versions of crdlab that have a release.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[\w.]+)?$`)

// openArchive returns the archive at a path or address, or the archive of this version of crdlab.
func openArchive(from string) (releases.Archive, error) {
	address := os.Getenv(releasesVariable)
	switch {
	case from != "":
	case address != "" || released.MatchString(version):
		from = cmp.Or(address, "https://github.com/crdlab/crdlab/releases") + "/download/" + version
	default:
		return releases.Archive{}, usageError("this build (%s) has no release to download from: use --from, or compile the programs with \"make programs\" and set CRDLAB_PROGRAMS=dist/programs", version)
	}
	return releases.NewArchive(http.DefaultClient, from), nil
}
