package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/format"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// outputYAML is a value of --output, see outputText.
const outputYAML = "yaml"

// inspectFlags holds the flags of the commands that print the content of the page's panels.
type inspectFlags struct {
	programFlags
	release string
	output  string
	now     string
}

// add adds the flags to a command. formats are the values of --output.
func (f *inspectFlags) add(command *cobra.Command, formats ...string) {
	command.Flags().StringVarP(&f.release, "kubernetes", "k", release.Name(playground.NewestMinor), "Kubernetes `release`")
	completeFlag(command, "kubernetes", completeKubernetes)
	f.programFlags.add(command)
	addOutput(command, &f.output, formats...)
}

// addNow adds the flag --now, because outputs contain the time of the requests.
func (f *inspectFlags) addNow(command *cobra.Command) {
	command.Flags().StringVar(&f.now, "now", "", "`time` of the requests in RFC 3339 format, as in creationTimestamp; if empty, the current time")
}

// validate returns an error unless the release exists and can judge.
func (f *inspectFlags) validate(command *cobra.Command) error {
	releases := judgeFlags{releases: []string{f.release}}
	if err := releases.validateReleases(); err != nil {
		return err
	}
	programs, err := f.open(command, releases.releases)
	if err == nil {
		programs.Close()
	}
	return err
}

// A selection holds the CRDs and the objects at the paths of a command.
type selection struct {
	command  *cobra.Command
	flags    *inspectFlags
	groups   []check.Group
	problems int
}

// selectGroups reads the CRDs and objects at paths. It prints a line for each unusable or
// skipped file, and for each object without a CRD. Without any CRD, it returns an error.
func (f *inspectFlags) selectGroups(command *cobra.Command, paths []string) (*selection, error) {
	selected, others, err := f.read(command, paths)
	for _, d := range others {
		notify(command, "%s:%d: %s %q has no CRD here", d.File.Path, d.Line+1, d.Kind.Kind, d.Name)
	}
	return selected, err
}

// selectCRDs is selectGroups for commands that need no objects. It ignores the objects.
func (f *inspectFlags) selectCRDs(command *cobra.Command, paths []string) (*selection, error) {
	selected, _, err := f.read(command, paths)
	if err != nil {
		return nil, err
	}
	for i := range selected.groups {
		selected.groups[i].Objects = nil
	}
	return selected, nil
}

// read returns the CRDs with their objects at paths, and the other objects.
func (f *inspectFlags) read(command *cobra.Command, paths []string) (selected *selection, others []*manifest.Document, err error) {
	if err := f.validate(command); err != nil {
		return nil, nil, err
	}
	in := readManifests(command, paths)
	groups, others := check.Groups(in)
	if len(groups) == 0 {
		return nil, others, noCRD(in)
	}
	return &selection{command, f, groups, len(in.Problems)}, others, nil
}

// noCRD returns the error for an input without a CRD. It has no message if the problems of
// the input may be the reason.
func noCRD(in *manifest.Input) error {
	if len(in.Problems) > 0 {
		return &exitError{status: statusUsage}
	}
	return usageError("there is no CRD in these paths")
}

// readManifests reads manifests, and prints a line for each unusable or skipped file, and for
// each error in Go types.
func readManifests(command *cobra.Command, paths []string) *manifest.Input {
	in := newReader(command).Read(command.Context(), paths)
	for _, p := range in.Problems {
		notify(command, "%s", p.Error())
	}
	for _, s := range in.Skipped {
		notify(command, "%s: skipped: %s", s.Path, s.Reason)
	}
	notifyMistakes(command, in)
	return in
}

// notifyMistakes prints a line for each error in Go types.
func notifyMistakes(command *cobra.Command, in *manifest.Input) {
	for _, p := range in.Packages {
		for _, f := range p.Findings {
			if f.Severity == playground.SeverityError {
				notify(command, "%s: %s", f.Place, f.Message)
			}
		}
	}
}

// notify prints a line to standard error.
func notify(command *cobra.Command, format string, arguments ...any) {
	fmt.Fprintf(command.ErrOrStderr(), "crdlab: %s\n", fmt.Sprintf(format, arguments...))
}

// reports evaluates the CRDs with their objects in scenarios that start as template.
func (s *selection) reports(template playground.Scenario) ([]inspect.Subject, error) {
	programs, err := s.flags.open(s.command, []string{s.flags.release})
	if err != nil {
		return nil, err
	}
	defer programs.Close()
	template.Kubernetes = s.flags.release
	template.Now = s.flags.now
	subjects, err := inspect.Reports(s.command.Context(), newEngine(programs).Evaluate, s.groups, template)
	invalid, tooMany := (*playground.InvalidScenarioError)(nil), (*inspect.TooManyError)(nil)
	switch {
	case errors.As(err, &invalid): // The only setting that has not been checked is --now.
		return nil, usageError("--%s: %s", invalid.Parameter, invalid.Message)
	case errors.As(err, &tooMany):
		return nil, usageError("%w", err)
	case err == nil && subjects[0].Report.Kubernetes.Approximate:
		notify(s.command, "approximate: crdlab has no program of Kubernetes %s", s.flags.release)
	}
	return subjects, err
}

// status returns the exit status for the problems and the rejected documents, and prints a
// line for each of the latter.
func (s *selection) status(subjects []inspect.Subject) int {
	status := statusAccepted
	for _, subject := range subjects {
		for _, rejected := range subject.Rejected() {
			notify(s.command, "%s", rejected)
			status = statusFindings
		}
	}
	if s.problems > 0 {
		return statusUsage
	}
	return status
}

// newAssist returns the function that responds to assist requests.
func newAssist() playground.Assist {
	return assist.New(engine.New()).Respond
}

// printResults prints results as JSON, as YAML, or with writeText one after the other,
// separated by separator.
func printResults[T any](command *cobra.Command, output string, results []T, separator string, writeText func(T, io.Writer) error) error {
	out := command.OutOrStdout()
	if results == nil {
		results = []T{}
	}
	return printResult(command, output, results, func() error {
		for i, result := range results {
			if i > 0 {
				fmt.Fprint(out, separator)
			}
			if err := writeText(result, out); err != nil {
				return err
			}
		}
		return nil
	})
}

// printResult prints a result as JSON, as YAML, or otherwise with writeText.
func printResult(command *cobra.Command, output string, result any, writeText func() error) error {
	switch output {
	case outputJSON:
		return format.WriteJSON(command.OutOrStdout(), result)
	case outputYAML:
		text, err := yaml.Marshal(result)
		if err != nil {
			return err
		}
		_, err = command.OutOrStdout().Write(text)
		return err
	}
	return writeText()
}

// noObjects returns the error that there are no objects, or that no CRD serves a version. It
// returns nil if documents are rejected.
func (s *selection) noObjects(subjects []inspect.Subject, flag, version string) error {
	for _, subject := range subjects {
		if len(subject.Rejected()) > 0 {
			return nil
		}
	}
	for _, group := range s.groups {
		if len(group.Objects) > 0 {
			return s.noVersion(subjects, flag, version)
		}
	}
	return usageError("there is no object with a CRD in these paths")
}

// noVersion returns the error that no CRD serves a version. It returns nil if a CRD is
// rejected, and therefore serves no version, or if no version was requested.
func (s *selection) noVersion(subjects []inspect.Subject, flag, version string) error {
	if version == "" || version == inspect.AllVersions {
		return nil
	}
	for _, subject := range subjects {
		if !subject.Report.CRD.Accepted {
			return nil
		}
	}
	return usageError("--%s %q: no CRD in these paths serves it", flag, version)
}
