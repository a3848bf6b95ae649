package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

// openapiFlags holds the flags of the command openapi.
type openapiFlags struct {
	inspectFlags
	version string
	part    string
}

func newOpenAPI() *cobra.Command {
	var flags openapiFlags
	command := &cobra.Command{
		Use:   "openapi PATH...",
		Short: "Print the OpenAPI schemas that a cluster publishes for CRDs",
		Long: `Print the OpenAPI schema that a cluster publishes for each CRD: the schema of the kind in
OpenAPI v3, the whole document /openapi/v3/apis/GROUP/VERSION, or the schema of the kind
in OpenAPI v2. A line names what OpenAPI v2 lacks.

` + inputHelp,
		Example: `  crdlab openapi crd.yaml
  crdlab openapi --part v3 crd.yaml > openapi.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runOpenAPI(command, &flags, paths)
		}),
	}
	flags.add(command, outputText, outputJSON, outputYAML)
	addVersion(command, &flags.version)
	addChoice(command, &flags.part, "part", "", "printed `part` of the schema", string(inspect.PartKind), string(inspect.PartV3), string(inspect.PartV2))
	return command
}

func runOpenAPI(command *cobra.Command, flags *openapiFlags, paths []string) (int, error) {
	selected, err := flags.selectCRDs(command, paths)
	if err != nil {
		return 0, err
	}
	subjects, err := selected.reports(playground.Scenario{Schemas: true})
	if err != nil {
		return 0, err
	}
	var all []inspect.Published
	for _, subject := range subjects {
		all = append(all, inspect.PublishedBy(subject, flags.version, inspect.Part(flags.part))...)
	}
	status := selected.status(subjects)
	if len(all) == 0 {
		if err := selected.noVersion(subjects, "version", flags.version); err != nil {
			return 0, err
		}
	}
	for _, p := range all {
		if flags.part == string(inspect.PartV2) && len(p.LostInV2) > 0 {
			notify(command, "%s:%d: version %s: OpenAPI v2 lacks %s", p.CRD.Path, p.CRD.Line, p.Version, strings.Join(p.LostInV2, ", "))
		}
	}
	return status, printResults(command, flags.output, all, "", inspect.Published.WriteText)
}
