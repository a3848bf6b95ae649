package format

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// PlanNames lists the names of the formats of a plan; the first is the default.
var PlanNames = []string{"text", "json", "markdown"}

// Plan returns the report of a plan.
func Plan(p *upgrade.Plan, problems []check.Problem) Report {
	return Report{
		value: p, problems: problems,
		text: func(w io.Writer) {
			for _, c := range p.CRDs {
				if len(c.Steps) > 0 {
					writePlan(w, c)
				}
			}
			fmt.Fprintln(w, planSummary(p))
		},
		markdown: func(w io.Writer) {
			fmt.Fprintf(w, "## crdlab plan\n\n%s\n", planSummary(p))
			for _, c := range p.CRDs {
				if len(c.Steps) > 0 {
					writePlanMarkdown(w, c)
				}
			}
		},
	}
}

// planSummary counts the CRDs and steps.
func planSummary(p *upgrade.Plan) string {
	steps, blocked, breaking := 0, 0, 0
	for _, c := range p.CRDs {
		steps += len(c.Steps)
		if _, isBlocked := c.Blocked(); isBlocked {
			blocked++
		} else if c.Severity() == upgrade.Breaks {
			breaking++
		}
	}
	return fmt.Sprintf("CRDs: %d, steps: %d; CRDs with a refused step: %d, with a step that breaks objects or clients: %d", len(p.CRDs), steps, blocked, breaking)
}

// planIntroduction returns the sentences before the steps.
func planIntroduction(c upgrade.PlannedCRD) []string {
	var all []string
	add := func(format string, a ...any) { all = append(all, fmt.Sprintf(format, a...)) }
	step, isBlocked := c.Blocked()
	switch {
	case isBlocked:
		add("The API server refuses step %d, so there is no way yet.", step+1)
	case len(c.Steps) == 1:
		add("One step suffices.")
	default:
		add("%s.", counted(len(c.Steps), "step"))
	}
	if breaking := breakingSteps(c); len(breaking) > 0 && !isBlocked {
		add("What breaks objects or clients: %s.", strings.Join(breaking, ", "))
	}
	if slices.ContainsFunc(c.Steps, dependsOnWebhook) {
		add("The plan is not proven: it depends on the conversion webhook. --conversion takes rules or recorded responses in its place.")
	}
	if c.AtOnce != nil && !isBlocked {
		switch {
		case c.AtOnce.Rejected != "":
			add("At once, the API server refuses the last revision: %s", c.AtOnce.Rejected)
		case c.AtOnce.Severity() > c.Severity():
			add("At once, the API server accepts the last revision, but it breaks what the steps do not break.")
		case len(c.Steps) > 1:
			add("At once, the API server accepts the last revision, too. The steps keep a way back.")
		}
	}
	if c.AssumesStored {
		add("The first revision has no status, so the plan assumes that objects are stored in each of its versions. With --from-cluster, it reads status.storedVersions.")
	}
	for _, s := range c.Skips {
		add("Do not skip %s: from %s, the update to %s fails. It succeeds once all objects were written again at the revisions between.%s", revisionsBetween(c, s), c.Revisions[s.From], c.Revisions[s.To], rejection(s.Trial))
	}
	if i := slices.IndexFunc(c.Steps, func(s upgrade.Step) bool { return len(s.Ways) > 0 }); i >= 0 {
		for _, way := range c.Steps[i].Ways {
			if way.Tool == upgrade.ToolHelmCRDs {
				add("%s %s", way.Why, way.Do)
			}
		}
	}
	if c.Objects > 0 {
		add("Tried on %s%s.", counted(c.Objects, "object"), madeText(c))
	}
	for _, u := range c.Untried {
		add("Not tried: %s:%d: %q, because %s.", u.Path, u.Line, u.Name, u.Why)
	}
	return all
}

// breakingSteps lists the steps that break objects or clients.
func breakingSteps(c upgrade.PlannedCRD) []string {
	var all []string
	for i, s := range c.Steps {
		if s.Severity() == upgrade.Breaks {
			all = append(all, fmt.Sprintf("step %d", i+1))
		}
	}
	return all
}

func dependsOnWebhook(s upgrade.Step) bool {
	return slices.ContainsFunc(s.Effects, func(e upgrade.Effect) bool { return e.Kind == upgrade.EffectUnknown })
}

func madeText(c upgrade.PlannedCRD) string {
	switch c.Made {
	case 0:
		return ""
	case c.Objects:
		return " that crdlab made"
	}
	return fmt.Sprintf(", of which crdlab made %d", c.Made)
}

func revisionsBetween(c upgrade.PlannedCRD, s upgrade.Skip) string {
	return strings.Join(c.Revisions[s.From+1:s.To], ", ")
}

func rejection(t upgrade.Trial) string {
	if t.Rejected == "" {
		return ""
	}
	return " " + t.Rejected
}

func writePlan(out io.Writer, c upgrade.PlannedCRD) {
	fmt.Fprintf(out, "%s\n", c.Name)
	for _, line := range planIntroduction(c) {
		fmt.Fprintf(out, "  %s\n", indented(line, "    "))
	}
	for i, s := range c.Steps {
		fmt.Fprintf(out, "\n  %d. %s\n", i+1, s.Title)
		for _, f := range stepFacts(s) {
			fmt.Fprintf(out, "     %-11s %s\n", f.name+":", indented(f.text, strings.Repeat(" ", 17)))
		}
	}
	fmt.Fprintln(out)
}

func writePlanMarkdown(out io.Writer, c upgrade.PlannedCRD) {
	fmt.Fprintf(out, "\n### %s\n\n", c.Name)
	for _, line := range planIntroduction(c) {
		fmt.Fprintf(out, "- %s\n", strings.ReplaceAll(line, "\n", " "))
	}
	for i, s := range c.Steps {
		fmt.Fprintf(out, "\n#### %d. %s\n", i+1, s.Title)
		var text strings.Builder
		for _, f := range stepFacts(s) {
			fmt.Fprintf(&text, "%-11s %s\n", f.name+":", indented(f.text, strings.Repeat(" ", 12)))
		}
		writeFenced(out, text.String())
	}
}

// A fact is a line of a step.
type fact struct{ name, text string }

// stepFacts returns the lines of a step.
func stepFacts(s upgrade.Step) []fact {
	var all []fact
	add := func(name, format string, a ...any) { all = append(all, fact{name, fmt.Sprintf(format, a...)}) }
	for _, wait := range s.Waits {
		add("wait for", "%s", wait)
	}
	if s.File != "" {
		add("manifest", "%s", s.File)
	}
	for _, command := range s.Commands {
		add("run", "%s", command)
	}
	if s.Manifest == "" && s.Kind != upgrade.StepDelete {
		add("by hand", "no manifest says this: GitOps tools and Helm do not carry out the step")
	}
	for _, way := range s.Ways {
		if !way.Works && way.Tool != upgrade.ToolHelmCRDs {
			add("not with", "%s: %s\n%s", way.Tool, way.Why, way.Do)
		}
	}
	for _, note := range s.Notes {
		add("note", "%s", note)
	}
	if s.Storage != "" && s.Rejected == "" {
		add("then", "serves %s; stores %s; status.storedVersions: %s", orNone(s.Served), s.Storage, orNone(s.Stored))
	}
	if s.Conversion != "" {
		add("conversion", "%s", s.Conversion)
	}
	all = append(all, trialFacts(s.Trial)...)
	if s.Rejected == "" && s.Kind != upgrade.StepDelete {
		switch {
		case len(s.Effects) > 0:
		case s.Objects == 0 && s.Kind != upgrade.StepForget && s.Kind != upgrade.StepCreate:
			add("not proven", "there is no object on which crdlab could try the step")
		case s.Kind == upgrade.StepForget:
			add("proof", "no object is stored in these versions after the step before")
		case s.Kind == upgrade.StepCreate:
		case s.Kind == upgrade.StepRewrite:
			add("proof", "the API server accepts the unchanged update of each object")
		default:
			add("proof", "accepted; the objects read the same at each version that is served before and after")
		}
	}
	if s.Rollback != nil {
		add("rollback", "%s", rollbackText(*s.Rollback))
	}
	return all
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// maxEffects is the number of effects, and of changes, that the text of a step lists.
const maxEffects = 20

// trialFacts returns the answer of the API server, and the effects.
func trialFacts(t upgrade.Trial) []fact {
	var all []fact
	if t.Rejected != "" {
		all = append(all, fact{"refused", t.Rejected})
		for _, e := range t.Errors {
			all = append(all, fact{"error", e})
		}
	}
	for i, e := range t.Effects {
		if i == maxEffects {
			all = append(all, fact{"and", fmt.Sprintf("%d more objects, see the format json", len(t.Effects)-maxEffects)})
			break
		}
		all = append(all, fact{effectNames[e.Severity()], effectText(e)})
	}
	var breaking, others []upgrade.Change
	for _, c := range t.Changes {
		if c.Class == playground.ChangeBreaks {
			breaking = append(breaking, c)
		} else {
			others = append(others, c)
		}
	}
	for i, c := range breaking {
		if i == maxEffects {
			all = append(all, fact{"and", fmt.Sprintf("%d more changes, see the format json", len(breaking)-maxEffects)})
			break
		}
		_, text, _ := strings.Cut(changeText(c), ": ")
		if advice := advices[c.Kind]; advice != "" {
			text += "\nInstead: " + advice
		}
		all = append(all, fact{labels[c.Class], text})
	}
	if len(others) > 0 {
		all = append(all, fact{labels[playground.ChangeMayBreak], listed(others)})
	}
	return all
}

// listed names changes, at most a few.
func listed(changes []upgrade.Change) string {
	var all []string
	for i, c := range changes {
		if i == maxListed {
			all = append(all, fmt.Sprintf("%d more", len(changes)-maxListed))
			break
		}
		all = append(all, c.Kind+" at "+c.Field)
	}
	return strings.Join(all, "\n")
}

// maxListed is the number of changes that a line lists.
const maxListed = 5

var effectNames = map[upgrade.Severity]string{upgrade.MayBreak: "unknown", upgrade.Breaks: "breaks"}

const newObjectsOnly = "A rule with optionalOldSelf: true can hold new objects alone to the new limit."

// advices says, for a kind of change that breaks, which change of the CRD has the same purpose and does not.
var advices = map[string]string{
	"field removed":    "keep the field in this version, and leave it out of a new version behind a conversion webhook.",
	"type changed":     "keep the type in this version. Add a field with another name, or a new version behind a conversion webhook.",
	"required added":   "give the field a default, or require it in a new version whose conversion sets it.",
	"bound tightened":  "keep the bound. " + newObjectsOnly,
	"enum narrowed":    "keep the values that objects have. " + newObjectsOnly,
	"pattern changed":  "keep the pattern. " + newObjectsOnly,
	"rule changed":     "let the rule accept what objects have. " + newObjectsOnly,
	"rule added":       "let the rule accept what objects have. " + newObjectsOnly,
	"default removed":  "keep the default in this version.",
	"nullable removed": "keep nullable: true in this version.",
	"pruning changed":  "keep x-kubernetes-preserve-unknown-fields until the schema has all fields that objects use.",
	"format changed":   "keep the format in this version.",
}

// effectText describes what happens to an object.
func effectText(e upgrade.Effect) string {
	fields := strings.Join(e.Fields, ", ")
	var text string
	switch e.Kind {
	case upgrade.EffectUnreadable:
		text = "the API server can no longer read it" + atVersion(e)
	case upgrade.EffectInvalid:
		text = "it is invalid"
	case upgrade.EffectLost:
		text = "the next write deletes " + fields
		if e.Version != "" {
			text = fmt.Sprintf("%s does not show %s, and a write at %s deletes it", e.Version, fields, e.Version)
		}
	case upgrade.EffectUnappliable:
		text = "the API server refuses each server-side apply to it"
	case upgrade.EffectDeleted:
		text = "it loses " + fields + " for good: no step back restores it"
	case upgrade.EffectChanged:
		text = fmt.Sprintf("reads at %s differ from before: %s", e.Version, fields)
	case upgrade.EffectRoundTrip:
		text = fmt.Sprintf("an unchanged write at %s changes %s", e.Version, fields)
	case upgrade.EffectUnstored:
		text = fmt.Sprintf("a client that writes it at %s loses %s, because the stored version has no such field", e.Version, fields)
	case upgrade.EffectUnknown:
		text = "what happens" + atVersion(e) + " depends on the conversion webhook"
	}
	for _, message := range e.Errors {
		text += "\n" + message
	}
	switch {
	case e.Path == "":
		return "an object that crdlab made: " + text + "\n  " + strings.ReplaceAll(strings.TrimSpace(e.Made), "\n", "\n  ")
	case e.Namespace == "":
		return fmt.Sprintf("%s:%d: %q: %s", e.Path, e.Line, e.Name, text)
	}
	return fmt.Sprintf("%s:%d: %q in %s: %s", e.Path, e.Line, e.Name, e.Namespace, text)
}

func atVersion(e upgrade.Effect) string {
	if e.Version == "" {
		return ""
	}
	return " at " + e.Version
}

// rollbackText says whether the manifest before can be applied again.
func rollbackText(t upgrade.Trial) string {
	if t.Rejected != "" {
		return "impossible: " + t.Rejected
	}
	var gone []upgrade.Change
	for _, c := range t.Changes {
		if c.Class == playground.ChangeBreaks {
			gone = append(gone, c)
		}
	}
	text := "possible: apply the manifest before again"
	if len(t.Effects) > 0 {
		text += fmt.Sprintf("; it breaks %s of the trial", counted(len(t.Effects), "object"))
	}
	if len(gone) > 0 {
		text += ". Objects that use the change are refused or changed then:\n" + listed(gone)
	}
	return text
}
