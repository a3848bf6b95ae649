package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// releaseScope explains the effect of choosing a Kubernetes release.
var releaseScope = fmt.Sprintf("The Kubernetes release that evaluates the CRD and the objects. From 1.%d on, crdlab uses the release's own libraries if they are available. "+
	"Otherwise the result is approximate: the release selects only the CEL library and the feature gates, and the rest is as in 1.%d.",
	playground.OldestJudgedMinor, playground.NewestMinor)

var newestRelease = fmt.Sprintf("1.%d", playground.NewestMinor)

// libraryText names the Kubernetes libraries and the release that judged.
func libraryText(report playground.Report) string {
	kubernetes := report.Kubernetes
	text := "Kubernetes " + kubernetes.Library + " libraries"
	switch {
	case kubernetes.JudgedBy != "":
		return "Kubernetes " + kubernetes.JudgedBy + " libraries, explained by " + kubernetes.Library
	case kubernetes.Approximate:
		text += ", approximating " + kubernetes.Emulated
	}
	return text
}

// approximationText explains an approximate result; empty for any other.
func approximationText(kubernetes playground.Kubernetes) string {
	if !kubernetes.Approximate {
		return ""
	}
	because := "its own libraries are not available here"
	if kubernetes.Unjudged != "" {
		because = "its own libraries could not evaluate this: " + kubernetes.Unjudged
	}
	return fmt.Sprintf("Approximate result for Kubernetes %s, because %s. Only the CEL library and the feature gates are those of %s; the rest is as in %s.",
		kubernetes.Emulated, because, kubernetes.Emulated, newestRelease)
}

// differenceView is a difference between releases in words.
type differenceView struct {
	sentence string
	// detail quotes the release that refuses; usually empty.
	detail string
}

// differencesOf returns the differences in the verdict on a document.
func differencesOf(report playground.Report, document playground.Document, index int) []differenceView {
	var views []differenceView
	for _, d := range report.Differences {
		if d.Document == document && d.Object == index {
			views = append(views, describeDifference(d))
		}
	}
	return views
}

func describeDifference(d playground.Difference) differenceView {
	since := "Kubernetes " + newestRelease
	if d.Since != "" {
		since = "From Kubernetes " + d.Since + " on, the API server"
	}
	switch d.Part {
	case playground.PartVerdict:
		return describeVerdict(since, d)
	case playground.PartMessage:
		return differenceView{since + " reports a different error.", statusOf(d.Newest).Message}
	case playground.PartWarnings:
		return differenceView{since + " sends other warnings.", strings.Join(warningsOf(d.Newest), "\n")}
	case playground.PartStored:
		return differenceView{since + " stores " + truncateJSON(d.Newest) + " at " + d.Field + " instead of " + truncateJSON(d.Value) + ".", ""}
	case playground.PartTable:
		return differenceView{since + " prints another table for " + d.Field + ".", ""}
	case playground.PartRead:
		return differenceView{since + " returns another object to clients that read it.", ""}
	}
	return differenceView{}
}

// differenceSubject names the document of a difference.
func differenceSubject(d playground.Difference, several bool) string {
	switch {
	case d.Document == playground.DocumentCRD:
		return "CRD"
	case several:
		return fmt.Sprintf("Object %d", d.Object+1)
	}
	return "Object"
}

func describeVerdict(since string, d playground.Difference) differenceView {
	newest := statusOf(d.Newest)
	if newest.Reason == "" && newest.Message == "" {
		return differenceView{since + " accepts it.", statusOf(d.Value).Message}
	}
	return differenceView{since + " rejects it.", newest.Message}
}

func statusOf(value json.RawMessage) (status playground.Status) {
	_ = json.Unmarshal(value, &status) // a Status, by the contract
	return status
}

func warningsOf(value json.RawMessage) (warnings []string) {
	_ = json.Unmarshal(value, &warnings) // a list of strings, by the contract
	return warnings
}

// releaseRow is a row of the panel "releases".
type releaseRow struct {
	playground.Release
	// crd and objects are the verdicts in the table.
	crd     releaseCell
	objects []releaseCell
}

// verdict returns the class of the worst verdict in the row.
func (r releaseRow) verdict() string {
	worst := r.crd.class
	for _, object := range r.objects {
		if worst == "accepted" || object.class == "rejected" {
			worst = object.class
		}
	}
	return worst
}

// releaseCell is a verdict in the table of releases.
type releaseCell struct{ class, word, title string }

// releaseRows returns the verdicts of the releases, the newest first. Without libraries of older
// releases, it has the evaluated release, whose verdict is approximate if it is an older one.
func releaseRows(report playground.Report) []releaseRow {
	var rows []releaseRow
	if len(report.Releases) == 0 && report.CRD.Status.Code != 0 {
		row := releaseRow{Release: playground.Release{Kubernetes: report.Kubernetes.Emulated}, crd: cellOf(crdVerdict(report))}
		for i := range report.Objects {
			row.objects = append(row.objects, cellOf(objectVerdict(report, i)))
		}
		rows = append(rows, row)
	}
	for _, r := range slices.Backward(report.Releases) {
		row := releaseRow{Release: r}
		if r.CRD == nil {
			row.crd = releaseCell{"unknown", "No verdict", r.Unjudged}
			rows = append(rows, row)
			continue
		}
		row.crd = newReleaseCell(*r.CRD)
		for _, object := range r.Objects {
			row.objects = append(row.objects, newReleaseCell(object))
		}
		rows = append(rows, row)
	}
	return rows
}

func cellOf(v verdictView) releaseCell { return releaseCell{v.class, v.word, ""} }

// chosenRelease returns the value of the release in the page's list.
func chosenRelease(release string) string {
	if release == newestRelease {
		return ""
	}
	return release
}

func newReleaseCell(v playground.ReleaseVerdict) releaseCell {
	switch {
	case v.Open:
		return releaseCell{"unknown", "Depends on the webhook", ""}
	case v.Accepted && len(v.Warnings) > 0:
		return releaseCell{"accepted", "Accepted with warnings", strings.Join(v.Warnings, "\n")}
	case v.Accepted:
		return releaseCell{"accepted", "Accepted", ""}
	case v.Status.Code == 0:
		return releaseCell{"unknown", "Not evaluated", ""}
	}
	return releaseCell{"rejected", "Rejected", v.Status.Message}
}

// releasesSummary summarizes the verdicts of the releases that judged: "Rejected by
// 1.31, accepted from 1.32." It is empty if no older release judged.
func releasesSummary(report playground.Report) string {
	var runs []releaseRun
	for i, r := range report.Releases {
		if r.CRD == nil {
			continue
		}
		word, last := releaseWord(r), len(runs)-1
		if last < 0 || runs[last].word != word {
			follows := last >= 0 && runs[last].end == i-1
			runs = append(runs, releaseRun{word: word, first: r.Kubernetes, follows: follows})
			last++
		}
		runs[last].last, runs[last].end = r.Kubernetes, i
	}
	if len(runs) == 0 || runs[0].first == newestRelease {
		return ""
	}
	var parts []string
	for _, run := range runs {
		parts = append(parts, run.String())
	}
	return capitalize(strings.Join(parts, ", ")) + "."
}

// releaseRun is a sequence of judging releases with the same verdict.
type releaseRun struct {
	word, first, last string
	// end is the index of the last release in the report.
	end int
	// follows reports whether every release before the first one judged.
	follows bool
}

func (r releaseRun) String() string {
	switch {
	case r.last == newestRelease && r.follows:
		return r.word + " from " + r.first
	case r.first == r.last:
		return r.word + " by " + r.first
	}
	return r.word + " by " + r.first + " to " + r.last
}

// releaseWord is accepted if a release accepts the CRD and all objects.
func releaseWord(r playground.Release) string {
	accepted := r.CRD.Accepted
	for _, object := range r.Objects {
		accepted = accepted && object.Accepted
	}
	if accepted {
		return "accepted"
	}
	return "rejected"
}

func capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// previousRelease returns the newest release that rejects the rule, or an empty
// string if no such release can be chosen.
func (r ruleView) previousRelease() string {
	var minor int
	if _, err := fmt.Sscanf(r.MinKubernetes, "1.%d", &minor); err != nil || minor <= playground.OldestMinor || minor > playground.NewestMinor {
		return ""
	}
	return fmt.Sprintf("1.%d", minor-1)
}

// requiredRelease returns the oldest release that accepts all rules and the
// number of rules that need it. The release is empty if every release accepts
// them.
func requiredRelease(rules []playground.Rule) (release string, needing int) {
	newest := playground.OldestMinor
	for _, rule := range rules {
		var minor int
		if _, err := fmt.Sscanf(rule.MinKubernetes, "1.%d", &minor); err != nil || minor < newest || rule.Needs == "" {
			continue
		}
		if minor > newest {
			newest, needing = minor, 0
		}
		needing++
	}
	if needing == 0 {
		return "", 0
	}
	return fmt.Sprintf("1.%d", newest), needing
}
