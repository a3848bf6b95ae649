package main

import (
	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/playground"
)

// outputWide is a value of --output, see outputText.
const outputWide = "wide"

// getFlags holds the flags of the command get.
type getFlags struct {
	inspectFlags
	conversionFlags
	version string
}

func newGet() *cobra.Command {
	var flags getFlags
	command := &cobra.Command{
		Use:   "get PATH...",
		Short: `Print the output of "kubectl get" for objects`,
		Long: `Print the output of "kubectl get" for the objects that the API server accepts, with the
printer columns of their CRDs.

` + inputHelp,
		Example: `  crdlab get config/crd config/samples
  crdlab get --output wide --version v1beta1 .`,
		Args: cobra.MinimumNArgs(1),
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runGet(command, &flags, paths)
		}),
	}
	flags.add(command, outputText, outputWide, outputJSON, outputYAML)
	flags.addConversion(command)
	flags.addNow(command)
	addVersion(command, &flags.version)
	return command
}

func runGet(command *cobra.Command, flags *getFlags, paths []string) (int, error) {
	selected, err := flags.selectGroups(command, paths)
	if err != nil {
		return 0, err
	}
	conversion, err := flags.readConversion(command)
	if err != nil {
		return 0, err
	}
	subjects, err := selected.reports(playground.Scenario{Conversion: conversion})
	if err != nil {
		return 0, err
	}
	var all []inspect.Table
	for _, subject := range subjects {
		if len(subject.Objects) > 0 {
			all = append(all, inspect.Tables(subject, flags.version)...)
		}
	}
	status := selected.status(subjects)
	if len(all) == 0 {
		if err := selected.noObjects(subjects, "version", flags.version); err != nil {
			return 0, err
		}
	}
	write := inspect.Table.WriteText
	if flags.output == outputWide {
		write = inspect.Table.WriteWide
	}
	return status, printResults(command, flags.output, all, "\n", write)
}
