package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The values of the flag --output. Each command has its own selection.
const (
	outputText = "text"
	outputJSON = "json"
)

// A choice is the value of a flag with a fixed set of values. The first is the default.
type choice struct {
	value   *string
	choices []string
}

func (c choice) String() string { return *c.value }

func (c choice) Type() string { return strings.Join(c.choices, "|") }

func (c choice) Set(value string) error {
	if !slices.Contains(c.choices, value) {
		return fmt.Errorf("must be one of %s", strings.Join(c.choices, ", "))
	}
	*c.value = value
	return nil
}

// addOutput adds the flag --output, which selects one of the formats.
func addOutput(command *cobra.Command, value *string, formats ...string) {
	addChoice(command, value, "output", "o", "`format` of the output", formats...)
}

// addChoice adds a flag with a fixed set of values to a command.
func addChoice(command *cobra.Command, value *string, name, shorthand, usage string, choices ...string) {
	*value = choices[0]
	command.Flags().VarP(choice{value, choices}, name, shorthand, usage)
	completeFlag(command, name, cobra.FixedCompletions(slices.Clone(choices), cobra.ShellCompDirectiveNoFileComp))
}
