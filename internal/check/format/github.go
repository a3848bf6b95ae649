package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
)

// Escapes of the workflow commands of GitHub Actions: in messages, and in the values of
// parameters.
var (
	messageEscapes   = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	parameterEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeGitHub writes annotations for GitHub Actions.
func writeGitHub(w io.Writer, r *check.Result, _ Options) error {
	out := bufio.NewWriter(w)
	for _, p := range r.Problems {
		fmt.Fprintf(out, "::error::%s\n", messageEscapes.Replace(p.Path+": "+p.Message))
	}
	for _, d := range r.Documents {
		for _, g := range groups(d) {
			for _, f := range g.visible() {
				fmt.Fprintf(out, "::%s file=%s,line=%d,col=%d,endLine=%d,endColumn=%d,title=%s::%s\n",
					f.Severity, parameterEscapes.Replace(f.Path), f.Line, f.Column, f.EndLine, f.EndColumn,
					parameterEscapes.Replace(d.Kind+" "+d.Name), messageEscapes.Replace(annotation(f, g)))
			}
		}
	}
	return out.Flush()
}

// GitHubError returns an annotation for GitHub Actions with an error in a line, counted from 1.
func GitHubError(path string, line int, message string) string {
	return fmt.Sprintf("::error file=%s,line=%d::%s", parameterEscapes.Replace(path), line, messageEscapes.Replace(message))
}
