package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/examples"
)

// commandLine is the document with the examples of the commands.
const commandLine = "../../docs/cli.md"

// exampleBlock matches a shell block with its expected output.
var exampleBlock = regexp.MustCompile("(?s)```sh\n([^`]*)```\n\n<!-- output -->\n```text\n(.*?)```\n")

// TestDocumentedCommands runs the examples of docs/cli.md in a directory with the files of
// the example crontab-validation, and compares their output.
func TestDocumentedCommands(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the examples need sh")
	}
	document, err := os.ReadFile(commandLine)
	if err != nil {
		t.Fatal(err)
	}
	blocks := exampleBlock.FindAllStringSubmatch(string(document), -1)
	if len(blocks) == 0 {
		t.Fatalf("%s has no examples", commandLine)
	}
	for _, block := range blocks {
		command := exec.Command("sh", "-c", block[1])
		command.Dir = exampleDirectory(t)
		output, err := command.Output()
		if err != nil || string(output) != block[2] {
			t.Errorf("%s: %v, output\n%s\nwant\n%s", block[1], err, output, block[2])
		}
	}
}

func exampleDirectory(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	i := slices.IndexFunc(examples.All(), func(e examples.Example) bool { return e.ID == "crontab-validation" })
	scenario := examples.All()[i].Scenario
	for name, content := range map[string]string{"crd.yaml": scenario.CRD, "object.yaml": scenario.Object} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(strings.TrimLeft(content, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return directory
}
