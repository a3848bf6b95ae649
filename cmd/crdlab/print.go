package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

// outputWide is a value of --output, see outputText.
const outputWide = "wide"

// printFlags holds the flags of the commands in this file. Each command has some of them.
type printFlags struct {
	inspectFlags
	conversionFlags
	version, field, part, directory string
	recursive, strict               bool
}

// A printer describes a command that prints a part of the reports on CRDs or objects.
type printer[Part any] struct {
	use, short, long, example string
	// formats lists the values of --output.
	formats []string
	// scenario is the start of each evaluated scenario.
	scenario playground.Scenario
	// reads selects the kinds that the paths must contain.
	reads subject
	// keepsStored reports that objects from a cluster are not created again.
	keepsStored bool
	// versionFlag is the flag that selects a version, or an empty string.
	versionFlag string
	// add adds the other flags; it may be nil.
	add func(*cobra.Command, *printFlags)
	// parts returns the printed parts of a report. An error concerns the flag --field.
	parts func(inspect.Subject, *printFlags) ([]Part, error)
	// fails reports that a part sets the exit status 1, and may print a line; nil if none does.
	fails func(*cobra.Command, *printFlags, Part) bool
	// toFiles writes the parts into the directory of the flag --dir; it may be nil.
	toFiles func(*printFlags, []Part) error
	// separator separates two parts.
	separator string
	writeText func(Part, io.Writer) error
	// writeWide writes the output for --output wide.
	writeWide func(Part, io.Writer) error
}

// A subject is the content of paths that a printer needs.
type subject int

const (
	onlyCRDs subject = iota
	crdsAndObjects
	// servedObjects are printed at their served versions: the conversion and the time matter.
	servedObjects
)

var plainFormats = []string{outputText, outputJSON, outputYAML}

// newPrinters returns the commands that print the content of the page's panels.
func newPrinters() []*cobra.Command {
	return []*cobra.Command{
		printer[inspect.Columns]{
			use: "columns PATH...", short: `Print the columns that "kubectl get" shows for CRDs`,
			long:    `Print the columns that "kubectl get" shows for the objects of each CRD.`,
			example: `  crdlab columns config/crd`,
			formats: plainFormats, versionFlag: "version",
			parts: func(s inspect.Subject, f *printFlags) ([]inspect.Columns, error) {
				return inspect.ColumnsOf(s, f.version), nil
			},
			separator: "\n", writeText: inspect.Columns.WriteText,
		}.command(),
		printer[inspect.Cost]{
			use: "cost PATH...", short: "Print the cost of CEL rules",
			long: `Print the estimated cost of the rules of each CRD, which the API server limits, and the
actual cost for each object. The exit status is 1 if a rule does not compile or is too
expensive.`,
			example: `  crdlab cost config/crd
  crdlab cost --output json . | jq '.[].rules | max_by(.estimatedCost)'`,
			formats: plainFormats, reads: crdsAndObjects,
			parts: func(s inspect.Subject, _ *printFlags) ([]inspect.Cost, error) {
				return []inspect.Cost{inspect.CostOf(s)}, nil
			},
			separator: "\n", writeText: inspect.Cost.WriteText,
		}.command(),
		printer[inspect.Explanation]{
			use: "explain PATH...", short: `Print the output of "kubectl explain" for CRDs`,
			long: `Print the output of "kubectl explain" for each CRD.`,
			example: `  crdlab explain config/crd
  crdlab explain --field spec.jobs --recursive crd.yaml`,
			formats: plainFormats, versionFlag: "version", scenario: playground.Scenario{Schemas: true},
			add: func(command *cobra.Command, f *printFlags) {
				command.Flags().StringVar(&f.field, "field", "", "`path` of the explained field, such as spec.jobs.name; if empty, the whole object")
				command.Flags().BoolVar(&f.recursive, "recursive", false, "list the fields of the fields, too")
			},
			parts: func(s inspect.Subject, f *printFlags) ([]inspect.Explanation, error) {
				return inspect.Explain(s, inspect.ExplainOptions{Version: f.version, Field: f.field, Recursive: f.recursive})
			},
			separator: "\n", writeText: inspect.Explanation.WriteText,
		}.command(),
		printer[inspect.Published]{
			use: "openapi PATH...", short: "Print the OpenAPI schemas that a cluster publishes for CRDs",
			long: `Print the OpenAPI schema that a cluster publishes for each CRD: the schema of the kind in
OpenAPI v3, the whole document /openapi/v3/apis/GROUP/VERSION, the schema of the kind in
OpenAPI v2, or its JSON Schema. A line names what OpenAPI v2 lacks. The JSON Schema
refuses only objects that the API server refuses.`,
			example: `  crdlab openapi crd.yaml
  crdlab openapi --part v3 crd.yaml > openapi.json
  crdlab openapi --part jsonschema --dir schemas config/crd`,
			formats: plainFormats, versionFlag: "version", scenario: playground.Scenario{Schemas: true},
			add: func(command *cobra.Command, f *printFlags) {
				addChoice(command, &f.part, "part", "", "printed `part` of the schema", string(inspect.PartKind), string(inspect.PartV3), string(inspect.PartV2), string(inspect.PartJSONSchema))
				command.Flags().StringVar(&f.directory, "dir", "", "with --part jsonschema: write the schema of each version into `directory`/GROUP/KIND_VERSION.json")
				command.Flags().BoolVar(&f.strict, "strict", false, "with --part jsonschema: refuse the fields that the API server prunes")
			},
			parts: publishedBy, toFiles: writeSchemas,
			fails: func(command *cobra.Command, f *printFlags, p inspect.Published) bool {
				if f.part == string(inspect.PartV2) && len(p.LostInV2) > 0 {
					notify(command, "%s:%d: version %s: OpenAPI v2 lacks %s", p.CRD.Path, p.CRD.Line, p.Version, strings.Join(p.LostInV2, ", "))
				}
				return false
			},
			writeText: inspect.Published.WriteText,
		}.command(),
		printer[inspect.Table]{
			use: "get PATH...", short: `Print the output of "kubectl get" for objects`,
			long: `Print the output of "kubectl get" for the objects that the API server accepts, with the
printer columns of their CRDs.`,
			example: `  crdlab get config/crd config/samples
  crdlab get --output wide --version v1beta1 .`,
			formats: []string{outputText, outputWide, outputJSON, outputYAML}, reads: servedObjects, versionFlag: "version",
			parts: func(s inspect.Subject, f *printFlags) ([]inspect.Table, error) {
				if len(s.Objects) == 0 {
					return nil, nil
				}
				return inspect.Tables(s, f.version), nil
			},
			separator: "\n", writeText: inspect.Table.WriteText, writeWide: inspect.Table.WriteWide,
		}.command(),
		printer[inspect.StoredCRD]{
			use: "stored PATH...", short: "Print CRDs as the API server stores them",
			long: `Print each CRD as the API server stores it. Comments name what it drops, adds and writes
in another form, and why: tools that compare a cluster with a repository report it as drift.`,
			example: `  crdlab stored config/crd
  crdlab stored --output json crd.yaml | jq '.[].changes'`,
			formats: plainFormats, scenario: playground.Scenario{CRDStored: true},
			parts: func(s inspect.Subject, _ *printFlags) ([]inspect.StoredCRD, error) {
				return inspect.Stored(s), nil
			},
			writeText: inspect.StoredCRD.WriteText,
		}.command(),
		printer[inspect.Reading]{
			use: "convert PATH...", short: "Print objects as the API server returns them at each version",
			long: `Store each object at the storage version of its CRD, and print it as the API server returns
it at each served version. Comments name the fields that a version loses. An object with a
status, a UID or the comment "# crdlab: stored" is in the cluster as it is; others are
created.`,
			example: `  crdlab convert config/crd config/samples
  crdlab convert --to v2 --conversion conversion.yaml crd.yaml object.yaml`,
			formats: plainFormats, reads: servedObjects, keepsStored: true, versionFlag: "to",
			parts: func(s inspect.Subject, f *printFlags) ([]inspect.Reading, error) {
				return inspect.Readings(s, f.version), nil
			},
			fails:     func(_ *cobra.Command, _ *printFlags, r inspect.Reading) bool { return r.Error != "" },
			writeText: inspect.Reading.WriteText,
		}.command(),
	}
}

// versionFlags maps the flags that select a version to their descriptions.
var versionFlags = map[string]string{
	"version": "served `version` of the CRDs, or all; if empty, the version that kubectl prefers",
	"to":      "served `version`; if empty, all versions",
}

func (p printer[Part]) command() *cobra.Command {
	var flags printFlags
	command := &cobra.Command{
		Use: p.use, Short: p.short, Long: p.long + "\n\n" + inputHelp, Example: p.example,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return p.run(command, &flags, paths)
		}),
	}
	flags.add(command, p.formats...)
	if p.reads == servedObjects {
		flags.addConversion(command)
	}
	if p.reads == servedObjects || p.scenario.CRDStored {
		flags.addNow(command)
	}
	if p.versionFlag != "" {
		command.Flags().StringVar(&flags.version, p.versionFlag, "", versionFlags[p.versionFlag])
		completeFlag(command, p.versionFlag, completeVersions)
	}
	if p.add != nil {
		p.add(command, &flags)
	}
	return command
}

func (p printer[Part]) run(command *cobra.Command, flags *printFlags, paths []string) (int, error) {
	if err := flags.validateSchemas(); err != nil {
		return 0, err
	}
	selects := flags.selectGroups
	if p.reads == onlyCRDs {
		selects = flags.selectCRDs
	}
	selected, err := selects(command, paths)
	if err != nil {
		return 0, err
	}
	scenario := p.scenario
	if !p.keepsStored {
		scenario.Operation = playground.OperationCreate
	}
	if scenario.Conversion, err = flags.readConversion(command); err != nil {
		return 0, err
	}
	subjects, err := selected.reports(scenario)
	if err != nil {
		return 0, err
	}
	var all []Part
	var missing error // the first field that does not exist
	for _, s := range subjects {
		parts, err := p.parts(s, flags)
		if missing == nil {
			missing = err
		}
		all = append(all, parts...)
	}
	status := selected.status(subjects)
	if len(all) == 0 {
		if err := p.nothing(selected, subjects, flags, missing); err != nil {
			return 0, err
		}
	}
	for _, part := range all {
		if p.fails != nil && p.fails(command, flags, part) {
			status = max(status, statusFindings)
		}
	}
	if flags.directory != "" {
		return status, p.toFiles(flags, all)
	}
	write := p.writeText
	if flags.output == outputWide {
		write = p.writeWide
	}
	return status, printResults(command, flags.output, all, p.separator, write)
}

// nothing returns the reason why there is nothing to print; nil if documents are rejected.
func (p printer[Part]) nothing(selected *selection, subjects []inspect.Subject, flags *printFlags, missing error) error {
	switch {
	case missing != nil:
		return usageError("--field: %w", missing)
	case p.reads == servedObjects:
		return selected.noObjects(subjects, p.versionFlag, flags.version)
	}
	return selected.noVersion(subjects, p.versionFlag, flags.version)
}

// conversionFlags holds the flag for conversion webhooks.
type conversionFlags struct{ paths []string }

func (f *conversionFlags) addConversion(command *cobra.Command) {
	command.Flags().StringSliceVar(&f.paths, "conversion", nil, "`paths` of APIConversion and ConversionReview documents, in place of the conversion webhook")
}

// readConversion reads the documents that replace the conversion webhook.
func (f *conversionFlags) readConversion(command *cobra.Command) (string, error) {
	in := readManifests(command, f.paths)
	if len(in.Problems) > 0 {
		return "", &exitError{status: statusUsage}
	}
	return inspect.Join(in.Documents), nil
}
