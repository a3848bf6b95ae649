package site

import (
	"regexp"
	"strings"

	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// errorsPath is the path of the error index.
const errorsPath = "errors/"

// errorPages returns the error index and a page for each kind of error.
func errorPages() []page {
	index := page{
		path:        errorsPath,
		title:       "Errors of Kubernetes CRDs and custom resources",
		description: "What the error messages of the Kubernetes API server about CRDs, CEL rules and custom resources mean, and how to fix them.",
	}
	index.content = errorIndex(index, errorindex.All())
	pages := []page{index}
	for _, explained := range errorindex.All() {
		p := page{path: errorPath(explained), title: explained.Message, description: explained.Cause}
		p.content = errorPage(p, explained)
		pages = append(pages, p)
	}
	return pages
}

func errorPath(explained errorindex.Page) string { return errorsPath + explained.Code + "/" }

// errorGroups splits the pages into their groups.
func errorGroups(all []errorindex.Page) [][]errorindex.Page {
	var groups [][]errorindex.Page
	for i, explained := range all {
		if i == 0 || explained.Group != all[i-1].Group {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], explained)
	}
	return groups
}

// sameGroup returns the other pages of the group of a page.
func sameGroup(explained errorindex.Page) []errorindex.Page {
	var others []errorindex.Page
	for _, other := range errorindex.All() {
		if other.Group == explained.Group && other.Code != explained.Code {
			others = append(others, other)
		}
	}
	return others
}

// A messagePart is a part of a message with placeholders.
type messagePart struct {
	text          string
	isPlaceholder bool
}

var placeholder = regexp.MustCompile(`<[^<>]+>|…`)

// messageParts splits a message at its placeholders, and removes their brackets.
func messageParts(message string) []messagePart {
	var parts []messagePart
	at := 0
	for _, found := range placeholder.FindAllStringIndex(message, -1) {
		if at < found[0] {
			parts = append(parts, messagePart{message[at:found[0]], false})
		}
		parts = append(parts, messagePart{strings.Trim(message[found[0]:found[1]], "<>"), true})
		at = found[1]
	}
	if at < len(message) {
		parts = append(parts, messagePart{message[at:], false})
	}
	return parts
}

// printed returns the error as the API server prints it: the field and the message.
func printed(f errorindex.Finding) string {
	if f.Field == "" || f.Field == "<nil>" {
		return f.Message
	}
	return f.Field + ": " + f.Message
}

// playgroundLink returns the address of the playground with the scenario of a page.
func playgroundLink(explained errorindex.Page) (string, error) {
	if explained.Example != "" {
		return "#example=" + explained.Example, nil
	}
	return share.Fragment(explained.Scenario)
}

// fixedLink returns the address of the playground with the scenario without the error; empty if
// there is none.
func fixedLink(explained errorindex.Page) (string, error) {
	scenario, ok := explained.Fixed()
	if !ok {
		return "", nil
	}
	return share.Fragment(scenario)
}

// printedChanges returns the changes that remove the error of a page, after the titles of their documents.
func printedChanges(explained errorindex.Page) string {
	var printed strings.Builder
	for _, change := range explained.Changes {
		title := "Request"
		for _, document := range documentTitles {
			if document.Document == examples.Documents[change.File] {
				title = document.title
			}
		}
		printed.WriteString(title + "\n" + change.Diff)
	}
	return printed.String()
}

// A shownDocument is a document of a scenario.
type shownDocument struct {
	title string
	lines []shownLine
	// isMarked reports that a finding is in the document.
	isMarked bool
}

// A shownLine has the severity of its gravest finding; empty without one.
type shownLine struct {
	text     string
	severity playground.Severity
}

var documentTitles = []struct {
	playground.Document
	title string
}{
	{playground.DocumentGo, "Go"},
	{playground.DocumentCRD, "CRD"},
	{playground.DocumentObject, "Object"},
	{playground.DocumentOldCRD, "Previous CRD"},
	{playground.DocumentOldObject, "Existing object"},
	{playground.DocumentConversion, "Conversion"},
	{playground.DocumentAdmission, "Admission"},
}

// A mark shows a finding in a document.
type mark struct {
	playground.Range
	severity playground.Severity
}

type marks map[playground.Document][]mark

// shownDocuments returns the documents of a scenario, first those with a finding.
func shownDocuments(scenario playground.Scenario, marks marks) []shownDocument {
	var first, others []shownDocument
	for _, document := range documentTitles {
		text := strings.TrimRight(*scenario.Text(document.Document), "\n")
		findings, isMarked := marks[document.Document]
		shown := shownDocument{document.title, shownLines(text, findings), isMarked}
		switch {
		case text == "":
		case isMarked:
			first = append(first, shown)
		default:
			others = append(others, shown)
		}
	}
	return append(first, others...)
}

// shownLines splits a document into lines, and marks the lines of findings.
func shownLines(text string, findings []mark) []shownLine {
	var lines []shownLine
	for number, line := range strings.Split(text, "\n") {
		shown := shownLine{text: line}
		for _, f := range findings {
			if isWithin(number, f.Range) && shown.severity != playground.SeverityError {
				shown.severity = f.severity
			}
		}
		lines = append(lines, shown)
	}
	return lines
}

// isWithin reports whether a range includes a part of a line. The first line always counts,
// because a range may be empty.
func isWithin(line int, r playground.Range) bool {
	return line == r.Start.Line || line > r.Start.Line && (line < r.End.Line || line == r.End.Line && r.End.Character > 0)
}

// operation names a request that the documents do not show; empty for creates and updates.
func operation(scenario playground.Scenario) string {
	return map[playground.Operation]string{
		playground.OperationApply:        "server-side apply",
		playground.OperationDelete:       "delete",
		playground.OperationScale:        "scale",
		playground.OperationUpdateStatus: "update of the status",
		playground.OperationApplyStatus:  "server-side apply of the status",
	}[scenario.Operation]
}

// structuredData describes a page with a question and its answer to search engines, in the terms of
// https://schema.org/FAQPage.
type structuredData struct {
	Context  string       `json:"@context"`
	Type     string       `json:"@type"`
	Question questionData `json:"mainEntity"`
}

type questionData struct {
	Type   string     `json:"@type"`
	Name   string     `json:"name"`
	Answer answerData `json:"acceptedAnswer"`
}

type answerData struct {
	Type string `json:"@type"`
	Text string `json:"text"`
}

// answerOf returns the message of a page as a question, and the cause and the fix as its answer.
func answerOf(explained errorindex.Page) structuredData {
	var message strings.Builder
	for _, part := range messageParts(explained.Message) {
		message.WriteString(part.text)
	}
	answer := answerData{"Answer", explained.Cause + " " + explained.Fix}
	return structuredData{"https://schema.org", "FAQPage", questionData{"Question", message.String(), answer}}
}
