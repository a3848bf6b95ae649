package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Escapes of the workflow commands of GitHub Actions: in messages, and in the values of
// parameters.
var (
	messageEscapes   = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	parameterEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// gitHubLevels maps severities to workflow commands.
var gitHubLevels = map[playground.Severity]string{
	playground.SeverityError: "error", playground.SeverityWarning: "warning", playground.SeverityInfo: "notice",
}

// writeGitHub writes annotations for GitHub Actions.
func (r Report) writeGitHub(out io.Writer) {
	for _, p := range r.problems {
		fmt.Fprintf(out, "::error::%s\n", messageEscapes.Replace(p.Path+": "+p.Message))
	}
	for _, notice := range r.notices {
		fmt.Fprintf(out, "::notice::%s\n", messageEscapes.Replace(notice))
	}
	for _, a := range r.annotations {
		fmt.Fprintf(out, "::%s file=%s,line=%d", gitHubLevels[a.severity], parameterEscapes.Replace(a.Path), a.Line)
		if a.Column > 0 {
			fmt.Fprintf(out, ",col=%d", a.Column)
		}
		if a.EndLine > 0 {
			fmt.Fprintf(out, ",endLine=%d,endColumn=%d", a.EndLine, a.EndColumn)
		}
		if a.title != "" {
			fmt.Fprintf(out, ",title=%s", parameterEscapes.Replace(a.title))
		}
		fmt.Fprintf(out, "::%s\n", messageEscapes.Replace(a.message))
	}
}
