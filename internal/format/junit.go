package format

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/crdlab/crdlab/internal/check"
)

// The types follow the XML of JUnit.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []junitSuite
	}
	junitSuite struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Cases    []junitCase
	}
	junitCase struct {
		XMLName   xml.Name      `xml:"testcase"`
		ClassName string        `xml:"classname,attr"`
		Name      string        `xml:"name,attr"`
		Failure   *junitMessage `xml:"failure"`
		Error     *junitMessage `xml:"error"`
		Skipped   *junitMessage `xml:"skipped"`
		Output    string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// caseOf returns the case of an object, or of a line without an object.
func caseOf(o check.Object) junitCase {
	name := fmt.Sprintf("line %d", o.Line)
	if o.Kind != "" {
		name = fmt.Sprintf("%s (%s)", title(o), name)
	}
	return junitCase{ClassName: o.Path, Name: name}
}

// writeJUnit writes the suites. Each ends with the unusable files.
func (r Report) writeJUnit(w io.Writer) error {
	for i := range r.suites {
		r.suites[i].finish(r.problems)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(junitSuites{Suites: r.suites}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// finish adds the unusable files to a suite, and counts its cases.
func (s *junitSuite) finish(problems []check.Problem) {
	for _, p := range problems {
		s.Cases = append(s.Cases, junitCase{ClassName: p.Path, Name: "read", Error: &junitMessage{Message: p.Message}})
	}
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	s.Tests = len(s.Cases)
}
