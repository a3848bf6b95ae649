package ui

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

func noSchemasMessage(report playground.Report) string {
	if !report.CRD.Accepted {
		return "Nothing is published: the API server does not accept the CRD."
	}
	return "crdlab generates the published schema while this tab is open."
}

func explainCommand(crd playground.CRD, version string, preferred bool) string {
	command := "kubectl explain " + crd.Names.Plural
	if !preferred {
		command += " --api-version=" + crd.Group + "/" + version
	}
	return command
}

// indentJSON formats JSON and limits it to the lines that a page can show.
func indentJSON(text json.RawMessage) (shown string, hidden int) {
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return string(text), 0
	}
	lines, hidden := limitItems(strings.Split(out.String(), "\n"), maxShownLines)
	return strings.Join(lines, "\n"), hidden
}
