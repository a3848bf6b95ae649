package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

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

// objectFlags holds the flags of a command that prints objects at their served versions.
type objectFlags struct {
	inspectFlags
	conversionFlags
}

func (f *objectFlags) add(command *cobra.Command, formats ...string) {
	f.inspectFlags.add(command, formats...)
	f.addConversion(command)
	f.addNow(command)
}

// reports returns the reports on the objects at paths, see [inspectFlags.selectGroups] and
// [selection.reports].
func (f *objectFlags) reports(command *cobra.Command, paths []string) (*selection, []inspect.Subject, error) {
	selected, err := f.selectGroups(command, paths)
	if err != nil {
		return nil, nil, err
	}
	conversion, err := f.readConversion(command)
	if err != nil {
		return nil, nil, err
	}
	subjects, err := selected.reports(playground.Scenario{Conversion: conversion})
	return selected, subjects, err
}

// convertFlags holds the flags of the command convert.
type convertFlags struct {
	objectFlags
	to string
}

func newConvert() *cobra.Command {
	var flags convertFlags
	command := &cobra.Command{
		Use:   "convert PATH...",
		Short: "Print objects as the API server returns them at each version",
		Long: `Store each object at the storage version of its CRD, and print it as the API server returns
it at each served version. Comments name the fields that a version loses.

` + inputHelp,
		Example: `  crdlab convert config/crd config/samples
  crdlab convert --to v2 --conversion conversion.yaml crd.yaml object.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runConvert(command, &flags, paths)
		}),
	}
	flags.add(command, outputText, outputJSON, outputYAML)
	command.Flags().StringVar(&flags.to, "to", "", "served `version`; if empty, all versions")
	return command
}

func runConvert(command *cobra.Command, flags *convertFlags, paths []string) (int, error) {
	selected, subjects, err := flags.reports(command, paths)
	if err != nil {
		return 0, err
	}
	var all []inspect.Reading
	for _, subject := range subjects {
		all = append(all, inspect.Readings(subject, flags.to)...)
	}
	status := selected.status(subjects)
	if len(all) == 0 {
		if err := selected.noObjects(subjects, "to", flags.to); err != nil {
			return 0, err
		}
	}
	for _, reading := range all {
		if reading.Error != "" {
			status = max(status, statusFindings)
		}
	}
	return status, printResults(command, flags.output, all, "", inspect.Reading.WriteText)
}
