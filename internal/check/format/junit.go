package format

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
)

// The types follow the XML of JUnit: a suite for each release, and a case for each
// document.
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
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func writeJUnit(w io.Writer, r *check.Result, _ Options) error {
	var suites junitSuites
	for i, release := range r.Releases {
		suites.Suites = append(suites.Suites, junitRelease(r, i, releaseName(release)))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suites); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitRelease(r *check.Result, release int, name string) junitSuite {
	suite := junitSuite{Name: "Kubernetes " + name}
	add := func(c junitCase) { suite.Cases = append(suite.Cases, c) }
	for _, d := range r.Documents {
		g := group{Verdict: d.Verdicts[release]}
		c := junitCase{ClassName: d.Path, Name: fmt.Sprintf("%s (line %d)", title(d.Object), d.Line)}
		switch {
		case g.Unknown != "":
			c.Skipped = &junitMessage{Message: g.headline(d)}
			suite.Skipped++
		case g.Rejects():
			c.Failure = &junitMessage{g.headline(d), junitFindings(g)}
			suite.Failures++
		}
		add(c)
	}
	for _, o := range r.WithoutCRD {
		add(junitCase{ClassName: o.Path, Name: fmt.Sprintf("%s (line %d)", title(o), o.Line), Skipped: &junitMessage{Message: "there is no CRD"}})
		suite.Skipped++
	}
	for _, p := range r.Problems {
		add(junitCase{ClassName: p.Path, Name: "read", Error: &junitMessage{Message: p.Message}})
		suite.Errors++
	}
	suite.Tests = len(suite.Cases)
	return suite
}

func junitFindings(g group) string {
	var lines []string
	for _, f := range g.visible() {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", f.Path, f.Line, f.Column, annotation(f, group{})))
	}
	return strings.Join(lines, "\n")
}
