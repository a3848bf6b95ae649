package ui

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/playground"
)

// errorAddress returns the relative address of the page that explains the kind of a finding.
func errorAddress(finding playground.Finding) templ.SafeURL {
	return templ.SafeURL("errors/" + url.PathEscape(finding.Code) + "/")
}

// shortMessage is the message of a finding in one line, without the parts that the line shows
// elsewhere.
type shortMessage struct {
	// value is the invalid value, shortened in its middle; empty if the message has no value.
	value string
	// reason is never shortened.
	reason string
	// excerpt has the lines that point at a mistake in CEL; otherwise empty.
	excerpt string
}

// maxValue is the number of characters of an invalid value in a short message.
const maxValue = 32

// shorten splits a message of the API server's validation, "Invalid value: 15: spec.replicas in
// body should be less than 10", into the value and the reason. For a document that cannot be
// decoded, the reason is the hint or the message without the quoted document. Other messages
// stay, but for the field that the line shows before them.
func shorten(finding playground.Finding) shortMessage {
	if cause, found := cutUndecoded(finding.Message); found {
		return shortMessage{reason: cmp.Or(finding.Hint, cause)}
	}
	if reason, found := playground.CutRule(finding.Message); found {
		if mistake, excerpt, found := playground.CutCompilation(reason); found {
			return shortMessage{reason: "does not compile: " + mistake, excerpt: excerpt}
		}
		return shortMessage{reason: reason}
	}
	rest, found := strings.CutPrefix(finding.Message, "Invalid value: ")
	if finding.Code == playground.CodeRulesNotChecked {
		_, reason, _ := strings.Cut(rest, ": ")
		return shortMessage{reason: reason}
	}
	if !found {
		return shortMessage{reason: withoutField(finding.Message, finding.Field)}
	}
	value, reason, found := cutValue(rest)
	if !found {
		return shortMessage{reason: withoutField(rest, finding.Field)}
	}
	return shortMessage{
		value:  shortenMiddle(value, maxValue),
		reason: strings.TrimPrefix(reason, finding.Field+" in body "),
	}
}

// withoutField removes the field of a finding from the start or the end of its message, as in
// "unknown field "spec.a"".
func withoutField(message, field string) string {
	if field == "" {
		return message
	}
	return strings.TrimPrefix(strings.TrimSuffix(message, " "+strconv.Quote(field)), field+": ")
}

// cutUndecoded returns the cause in the API server's message about a body that it cannot
// decode: "the object provided is unrecognized (must be of type T): cause (start of the body)".
func cutUndecoded(message string) (cause string, found bool) {
	rest, found := strings.CutPrefix(message, "the object provided is unrecognized (must be of type ")
	_, cause, typed := strings.Cut(rest, "): ")
	body := strings.LastIndex(cause, " (")
	if !found || !typed || body < 0 {
		return "", false
	}
	return cause[:body], true
}

// cutValue cuts a message after the value at its start. The API server prints the value as a
// quoted string, as JSON or as Go code.
func cutValue(message string) (value, reason string, found bool) {
	if quoted, err := strconv.QuotedPrefix(message); err == nil {
		value = quoted
	} else if decoder := json.NewDecoder(strings.NewReader(message)); decoder.Decode(new(json.RawMessage)) == nil {
		value = message[:decoder.InputOffset()]
	} else if end := strings.LastIndex(message, "}: "); end >= 0 {
		value = message[:end+1]
	}
	reason, found = strings.CutPrefix(message[len(value):], ": ")
	return value, reason, found && value != ""
}

// shortenMiddle replaces the middle of a long string with an ellipsis.
func shortenMiddle(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= limit {
		return string(runes)
	}
	head := limit * 2 / 3
	return string(runes[:head]) + "…" + string(runes[len(runes)-(limit-1-head):])
}

// relatedIn returns the related places of a finding in a document, or all if it is empty. A
// conflict leads to the existing object or CRD, whose managedFields name the owners.
func relatedIn(finding playground.Finding, document playground.Document) []playground.Related {
	var places []playground.Related
	if finding.Code == playground.CodeConflict {
		existing := playground.DocumentOldObject
		if finding.Document == playground.DocumentCRD {
			existing = playground.DocumentOldCRD
		}
		places = append(places, playground.Related{Document: existing, Message: "The owners are in metadata.managedFields"})
	}
	for _, related := range finding.Related {
		if document == "" || related.Document == document {
			places = append(places, related)
		}
	}
	return places
}

// failedRule returns the rule whose failure is a finding, with only that result.
func failedRule(report playground.Report, finding playground.Finding) (ruleView, bool) {
	if finding.Stage != playground.StageRules {
		return ruleView{}, false
	}
	reports, _ := judgedReports(report)
	for _, r := range reports {
		for i, object := range r.Objects {
			for _, result := range object.Rules {
				if !isFailure(result, finding) {
					continue
				}
				at := slices.IndexFunc(r.CRD.Rules, func(rule playground.Rule) bool { return rule.ID == result.ID })
				if at >= 0 {
					return newRuleView(r.CRD.Rules[at], []ruleResult{{RuleResult: result, index: i}}), true
				}
			}
		}
	}
	return ruleView{}, false
}

// isFailure reports whether a finding has the place and the message of a result.
func isFailure(result playground.RuleResult, finding playground.Finding) bool {
	return result.Message != "" && strings.HasSuffix(finding.Message, result.Message) &&
		result.Range != nil && *result.Range == finding.Range
}
