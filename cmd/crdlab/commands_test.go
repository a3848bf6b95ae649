package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandDocuments is the directory with a document for each command.
const commandDocuments = "../../docs/cli"

// TestCommandDocuments compares the documents in docs/cli with the commands.
func TestCommandDocuments(t *testing.T) {
	for _, variable := range []string{pageVariable, releasesVariable, "CRDLAB_PROGRAMS"} { // They set defaults.
		t.Setenv(variable, "")
	}
	files, err := filepath.Glob(filepath.Join(commandDocuments, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, command := range visibleCommands(newRoot()) {
		name := filepath.Join(commandDocuments, fileOf(command))
		want[name] = documentOf(command)
		if *update {
			if err := os.WriteFile(name, []byte(want[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want[name] {
			t.Errorf("%s differs (-update): %v\n%s", name, err, got)
		}
	}
	for _, name := range files {
		if want[name] == "" {
			t.Errorf("%s has no command", name)
		}
	}
}

// visibleCommands returns the commands below a command that users enter.
func visibleCommands(parent *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, command := range parent.Commands() {
		if !command.Hidden {
			all = append(append(all, command), visibleCommands(command)...)
		}
	}
	return all
}

// fileOf returns the name of a command's document, such as "links-export.md".
func fileOf(command *cobra.Command) string {
	return strings.Join(strings.Fields(command.CommandPath())[1:], "-") + ".md"
}

// documentOf returns the document of a command in Markdown.
func documentOf(command *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n```text\n%s\n```\n", command.CommandPath(), command.UseLine())
	text := command.Long
	if !strings.HasPrefix(text, command.Short) {
		text = strings.TrimSpace(command.Short + ".\n\n" + text)
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", unindent(paragraph))
		} else {
			fmt.Fprintf(&b, "\n%s\n", plainText.Replace(paragraph))
		}
	}
	if command.Example != "" {
		fmt.Fprintf(&b, "\n## Examples\n\n```sh\n%s\n```\n", unindent(command.Example))
	}
	if flags := flagsOf(command); len(flags) > 0 {
		fmt.Fprintf(&b, "\n## Flags\n\n| flag | purpose |\n|---|---|\n%s", strings.Join(flags, ""))
	}
	if commands := visibleCommands(command); len(commands) > 0 {
		b.WriteString("\n## Commands\n\n")
		for _, child := range commands {
			fmt.Fprintf(&b, "- [`%s`](%s): %s\n", child.CommandPath(), fileOf(child), plainText.Replace(child.Short))
		}
	}
	return b.String()
}

// flagsOf returns a row for each flag of a command.
func flagsOf(command *cobra.Command) []string {
	var rows []string
	row := func(flag, usage string) {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", flag, plainText.Replace(usage)))
	}
	visit := func(flag *pflag.Flag) {
		argument, usage := pflag.UnquoteUsage(flag)
		name := strings.TrimSpace("--" + flag.Name + " " + argument)
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand + ", " + name
		}
		if !slices.Contains([]string{"", "[]", "false", "0"}, flag.DefValue) {
			usage += fmt.Sprintf(" (default: %s)", flag.DefValue)
		}
		if !flag.Hidden {
			row(name, usage)
		}
	}
	command.NonInheritedFlags().VisitAll(visit)
	command.InheritedFlags().VisitAll(visit)
	return rows
}

// plainText escapes the characters with a meaning in Markdown.
var plainText = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`, "`", "\\`", "[", `\[`, "#", `\#`)

// unindent removes the indentation of the first line from all lines.
func unindent(text string) string {
	indentation := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.ReplaceAll("\n"+text, "\n"+indentation, "\n")[1:]
}
