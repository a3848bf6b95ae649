package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// pageVariable is the environment variable of the flag --page-url.
const pageVariable = "CRDLAB_PAGE_URL"

// scenarioFlags holds the flags of the commands that open documents in the page.
type scenarioFlags struct {
	release  string
	validate string
}

func (f *scenarioFlags) add(command *cobra.Command) {
	command.Flags().StringVarP(&f.release, "kubernetes", "k", release.Name(playground.NewestMinor), "Kubernetes `release`")
	completeFlag(command, "kubernetes", completeKubernetes)
	addChoice(command, &f.validate, "validate", "", "`mode` of field validation, as in kubectl", "strict", "warn", "ignore")
}

// fragment returns the fragment of a link to the page with the documents at paths, and the
// number of unusable files. It is empty without paths.
func (f *scenarioFlags) fragment(command *cobra.Command, paths []string) (fragment string, problems int, err error) {
	releases := judgeFlags{releases: []string{f.release}}
	if err := releases.validateReleases(); err != nil || len(paths) == 0 {
		return "", 0, err
	}
	isGo := func(path string) bool { return manifest.IsGoPattern(path) || filepath.Ext(path) == ".go" }
	in := readManifests(command, slices.DeleteFunc(slices.Clone(paths), isGo))
	scenario := playground.Scenario{FieldValidation: fieldValidations[f.validate]}
	if ofGo := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !isGo(path) }); len(ofGo) > 0 {
		if scenario.Go, err = addGo(command, in, ofGo); err != nil {
			return "", 0, err
		}
	}
	if f.release != release.Name(playground.NewestMinor) {
		scenario.Kubernetes = f.release
	}
	if scenario.CRD, scenario.Object, scenario.Admission = documents(command, in); scenario.CRD == "" && scenario.Go == "" {
		return "", 0, noCRD(in)
	}
	fragment, err = share.Fragment(scenario)
	if tooLong := (*share.TooLongError)(nil); errors.As(err, &tooLong) {
		err = usageError("%w", err)
	}
	return fragment, len(in.Problems), err
}

// addGo returns the Go files at paths as the page's document Go, and replaces the CRDs of an input by
// the CRDs of the types, as the page does. It prints a line for each replaced CRD and each error.
func addGo(command *cobra.Command, in *manifest.Input, paths []string) (string, error) {
	o, err := goOptions(command)
	if err != nil {
		return "", err
	}
	text, source, err := gotypes.Text(paths, o)
	if err != nil {
		return "", usageError("%w", err)
	}
	if source != "" {
		notify(command, "Go types: the options of controller-gen come from %s", source)
	}
	answer, _, err := gotypes.Respond(command.Context(), playground.AssistRequest{Generate: &playground.GenerateRequest{Text: text}})
	if err != nil {
		return "", err
	}
	for _, problem := range answer.Generate.Problems {
		if at := problem.Range.Start; problem.Severity == playground.SeverityError {
			notify(command, "Go types, line %d, column %d: %s", at.Line+1, at.Character+1, problem.Message)
		}
	}
	in.Documents = slices.DeleteFunc(in.Documents, func(d *manifest.Document) bool {
		if d.IsCRD {
			notify(command, "%s:%d: CustomResourceDefinition %q is not in the link, which has the CRDs of the Go types", d.File.Path, d.Line+1, d.Name)
		}
		return d.IsCRD
	})
	in.Add("Go types", answer.Generate.CRDs)
	return text, nil
}

// documents returns the CRDs of an input, the objects of their kinds, and the admission policies. It
// prints a line for each other object, which the page would judge under a CRD of another kind.
func documents(command *cobra.Command, in *manifest.Input) (crds, objects, admission string) {
	_, others := check.Groups(in)
	policies := check.Policies(in)
	var ofCRDs, ofObjects []*manifest.Document
	for _, d := range in.Documents {
		switch {
		case d.IsCRD:
			ofCRDs = append(ofCRDs, d)
		case slices.Contains(others, d) && slices.Contains(policies, d):
		case slices.Contains(others, d):
			notify(command, "%s:%d: %s %q has no CRD here", d.File.Path, d.Line+1, d.Kind.Kind, d.Name)
		default:
			ofObjects = append(ofObjects, d)
		}
	}
	return withLineBreak(inspect.Join(ofCRDs)), withLineBreak(inspect.Join(ofObjects)), withLineBreak(inspect.Join(policies))
}

func withLineBreak(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}

const goHelp = `Go files and patterns for Go packages become the page's document Go. They belong to one module.

`

func newLink() *cobra.Command {
	var flags scenarioFlags
	var page, output string
	command := &cobra.Command{
		Use:   "link PATH...",
		Short: "Print a link to the page with the documents of files",
		Long: `Print a link to the page with CRDs, objects and admission policies. The link contains the documents: browsers
do not send them to the server of the page.

` + goHelp + inputHelp,
		Example: `  crdlab link --page-url https://crdlab.example.com crd.yaml object.yaml
  crdlab link --page-url https://crdlab.example.com ./api/... object.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runLink(command, flags, page, output, paths)
		}),
	}
	flags.add(command)
	command.Flags().StringVar(&page, "page-url", os.Getenv(pageVariable), "`URL` of the page (environment: "+pageVariable+")")
	addOutput(command, &output, outputText, outputJSON, outputYAML)
	return command
}

// A link is the result of the command link.
type link struct {
	URL string `json:"url"`
}

func runLink(command *cobra.Command, flags scenarioFlags, page, output string, paths []string) (int, error) {
	address, err := pageAddress(page)
	if err != nil {
		return 0, err
	}
	fragment, problems, err := flags.fragment(command, paths)
	if err != nil {
		return 0, err
	}
	status := statusAccepted
	if problems > 0 {
		status = statusUsage
	}
	return status, printResult(command, output, link{address + fragment}, func() error {
		_, err := fmt.Fprintln(command.OutOrStdout(), address+fragment)
		return err
	})
}

// pageAddress returns the address of the page without a fragment.
func pageAddress(page string) (string, error) {
	if page == "" {
		return "", usageError("no page: --page-url or %s must be its URL", pageVariable)
	}
	address, err := url.Parse(page)
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return "", usageError("--page-url %q: must be an http or https URL", page)
	}
	address.Fragment = ""
	if address.Path == "" {
		address.Path = "/"
	}
	return address.String(), nil
}
