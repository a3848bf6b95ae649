package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Summary returns the sentences about all steps.
func (c PlannedCRD) Summary() []string {
	var all []string
	add := func(format string, a ...any) { all = append(all, fmt.Sprintf(format, a...)) }
	step, isBlocked := c.Blocked()
	switch {
	case isBlocked:
		add("The API server refuses step %d, so there is no way yet.", step+1)
	case len(c.Steps) == 1:
		add("One step suffices.")
	default:
		add("%d steps.", len(c.Steps))
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
			add("Without the steps between, the API server refuses the last revision: %s", c.AtOnce.Rejected)
		case c.AtOnce.Severity() > c.Severity():
			add("Without the steps between, the API server accepts the last revision, but it breaks what the steps do not break.")
		case len(c.Steps) > 1:
			add("Without the steps between, the API server accepts the last revision, too. The steps keep a way back.")
		}
	}
	if c.AssumesStored {
		add("The first revision has no status, so the plan assumes that objects are stored in each of its versions. With --from-cluster, it reads status.storedVersions.")
	}
	for _, s := range c.Skips {
		add("Do not skip %s: from %s, the update to %s fails. It succeeds once all objects were written again at the revisions between.%s", revisionsBetween(c, s), c.Revisions[s.From], c.Revisions[s.To], rejection(s.Trial))
	}
	if i := slices.IndexFunc(c.Steps, func(s Step) bool { return len(s.Ways) > 0 }); i >= 0 {
		for _, way := range c.Steps[i].Ways {
			if way.Tool == ToolHelmCRDs {
				add("%s %s", way.Why, way.Do)
			}
		}
	}
	if c.Objects > 0 {
		add("Tried objects: %d%s.", c.Objects, madeText(c))
	}
	for _, u := range c.Untried {
		add("Not tried: %s:%d: %q, because %s.", u.Path, u.Line, u.Name, u.Why)
	}
	return all
}

// breakingSteps lists the steps that break objects or clients.
func breakingSteps(c PlannedCRD) []string {
	var all []string
	for i, s := range c.Steps {
		if s.Severity() == Breaks {
			all = append(all, fmt.Sprintf("step %d", i+1))
		}
	}
	return all
}

func dependsOnWebhook(s Step) bool {
	return slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Kind == EffectUnknown })
}

func madeText(c PlannedCRD) string {
	switch c.Made {
	case 0:
		return ""
	case c.Objects:
		return ", all made by crdlab"
	}
	return fmt.Sprintf(", %d of them made by crdlab", c.Made)
}

func revisionsBetween(c PlannedCRD, s Skip) string {
	return strings.Join(c.Revisions[s.From+1:s.To], ", ")
}

func rejection(t Trial) string {
	if t.Rejected == "" {
		return ""
	}
	return " " + t.Rejected
}

// Outcome returns the outcome of a step: pass, fail if it breaks objects or clients, error if the API server refuses it, or
// skipped if it may break them.
func (s Step) Outcome() playground.Outcome {
	switch {
	case s.Rejected != "":
		return playground.OutcomeError
	case s.Kind == StepDelete || s.Severity() == Breaks:
		return playground.OutcomeFail
	case s.Severity() == MayBreak:
		return playground.OutcomeSkipped
	}
	return playground.OutcomePass
}

// Facts returns what a user has to know about a step: what to run and to wait for, and what was proven. Text can have
// several lines.
func (s Step) Facts() []playground.Fact {
	var all []playground.Fact
	add := func(name, format string, a ...any) {
		all = append(all, playground.Fact{Name: name, Text: fmt.Sprintf(format, a...)})
	}
	for _, wait := range s.Waits {
		add("wait for", "%s", wait)
	}
	if s.File != "" {
		add("manifest", "%s", s.File)
	}
	for _, command := range s.Commands {
		add("run", "%s", command)
	}
	if s.Manifest == "" && s.Kind != StepDelete {
		add("by hand", "no manifest says this: GitOps tools and Helm do not carry out the step")
	}
	for _, way := range s.Ways {
		if !way.Works && way.Tool != ToolHelmCRDs {
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
	if s.Rejected == "" && s.Kind != StepDelete {
		switch {
		case len(s.Effects) > 0:
		case s.Objects == 0 && s.Kind != StepForget && s.Kind != StepCreate:
			add("not proven", "there is no object on which crdlab could try the step")
		case s.Kind == StepForget:
			add("proof", "no object is stored in these versions after the step before")
		case s.Kind == StepCreate:
		case s.Kind == StepRewrite:
			add("proof", "the API server accepts the unchanged update of each object")
		default:
			add("proof", "accepted; the tried objects read the same at each version that is served before and after")
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
func trialFacts(t Trial) []playground.Fact {
	var all []playground.Fact
	if t.Rejected != "" {
		all = append(all, playground.Fact{Name: "refused", Text: t.Rejected})
		for _, e := range t.Errors {
			all = append(all, playground.Fact{Name: "error", Text: e})
		}
	}
	objects := effectsByObject(t.Effects)
	for i, effects := range objects {
		if i == maxEffects {
			all = append(all, playground.Fact{Name: "and", Text: fmt.Sprintf("%d more objects, see the format json", len(objects)-maxEffects)})
			break
		}
		all = append(all, objectFact(effects))
	}
	var breaking, others []Change
	for _, c := range t.Changes {
		if c.Class == playground.ChangeBreaks {
			breaking = append(breaking, c)
		} else {
			others = append(others, c)
		}
	}
	for i, c := range breaking {
		if i == maxEffects {
			all = append(all, playground.Fact{Name: "and", Text: fmt.Sprintf("%d more changes, see the format json", len(breaking)-maxEffects)})
			break
		}
		_, text, _ := strings.Cut(c.Text(), ": ")
		if advice := advices[c.Kind]; advice != "" {
			text += "\nInstead: " + advice
		}
		all = append(all, playground.Fact{Name: labels[c.Class], Text: text})
	}
	if len(others) > 0 {
		all = append(all, playground.Fact{Name: labels[playground.ChangeMayBreak], Text: listed(others)})
	}
	return all
}

// listed names changes, at most a few: "field removed at spec.size".
func listed(changes []Change) string {
	var all []string
	for _, c := range changes {
		_, path, isSchema := strings.Cut(c.Field, ".openAPIV3Schema.")
		if !isSchema {
			path = c.Field
		}
		if text := c.Kind + " at " + fieldPath(path); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if n := len(all) - maxListed; n > 0 {
		all = append(all[:maxListed], fmt.Sprintf("%d more", n))
	}
	return strings.Join(all, "\n")
}

// fieldPath returns a path in a schema as a path in an object, such as "spec.jobs[].name".
func fieldPath(schema string) string {
	return strings.NewReplacer(".properties[", ".", "properties[", "", "]", "", ".items", "[]").Replace(schema)
}

// maxListed is the number of changes that a line lists.
const maxListed = 5

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

// effectsByObject returns the effects on each object, in the order of the objects.
func effectsByObject(effects []Effect) (all [][]Effect) {
	places := map[string]int{}
	for _, e := range effects {
		key := fmt.Sprint(e.Path, e.Line, e.Made)
		if i, known := places[key]; known {
			all[i] = append(all[i], e)
		} else {
			places[key] = len(all)
			all = append(all, []Effect{e})
		}
	}
	return all
}

// objectFact describes what happens to an object.
func objectFact(effects []Effect) playground.Fact {
	worst, isKnown := Compatible, false
	var texts []string
	for _, e := range effects {
		worst, isKnown = max(worst, e.Severity()), isKnown || e.Kind != EffectUnknown
		texts = append(texts, effectText(e))
	}
	f := playground.Fact{Name: "unknown", Text: strings.Join(texts, "\n")}
	if isKnown {
		f.Name = labels[classes[worst]]
	}
	switch e := effects[0]; {
	case e.Path == "":
		lines := strings.Split(strings.TrimSpace(e.Made), "\n")
		if n := len(lines) - maxMadeLines; n > 1 {
			lines = append(lines[:maxMadeLines], fmt.Sprintf("# %d more lines, see the format json", n))
		}
		f.Text = "an object that crdlab made: " + f.Text + "\n  " + strings.Join(lines, "\n  ")
	case e.Namespace == "":
		f.Text = fmt.Sprintf("%s:%d: %q: %s", e.Path, e.Line, e.Name, f.Text)
	default:
		f.Text = fmt.Sprintf("%s:%d: %q in %s: %s", e.Path, e.Line, e.Name, e.Namespace, f.Text)
	}
	return f
}

// maxMadeLines is the number of lines of an object that a step shows.
const maxMadeLines = 12

var classes = map[Severity]playground.ChangeClass{MayBreak: playground.ChangeMayBreak, Breaks: playground.ChangeBreaks}

// effectText describes an effect on an object, with the errors in further lines.
func effectText(e Effect) string {
	fields := strings.Join(e.Fields, ", ")
	at := ""
	if e.Version != "" {
		at = " at " + e.Version
	}
	var text string
	switch e.Kind {
	case EffectUnreadable:
		text = "the API server can no longer read it" + at
	case EffectInvalid:
		text = "it is invalid"
	case EffectLost:
		text = "the next write deletes " + fields
		if e.Version != "" {
			text = fmt.Sprintf("%s does not show %s, and a write%s deletes it", e.Version, fields, at)
		}
	case EffectUnappliable:
		text = "the API server refuses each server-side apply to it"
	case EffectDeleted:
		text = "it loses " + fields + " for good: no step back restores it"
	case EffectChanged:
		text = fmt.Sprintf("reads%s differ from before: %s", at, fields)
	case EffectAdded:
		text = fmt.Sprintf("reads%s have more fields than before: %s", at, fields)
	case EffectRoundTrip:
		text = fmt.Sprintf("an unchanged write%s changes %s", at, fields)
	case EffectUnstored:
		text = fmt.Sprintf("a client that writes it%s loses %s, because the stored version has no such field", at, fields)
	case EffectLeft:
		text = fmt.Sprintf("it is still stored as %s, so it can never be read again once the version is removed", e.Version)
	case EffectUnknown:
		text = "what happens" + at + " depends on the conversion webhook"
	}
	return strings.Join(append([]string{text}, e.Errors...), "\n")
}

// rollbackText says whether the manifest before can be applied again.
func rollbackText(t Trial) string {
	if t.Rejected != "" {
		return "impossible: " + t.Rejected
	}
	var gone []Change
	for _, c := range t.Changes {
		if c.Class == playground.ChangeBreaks {
			gone = append(gone, c)
		}
	}
	text := "possible: apply the manifest before again"
	if len(t.Effects) > 0 {
		text += fmt.Sprintf("; the number of tried objects that it breaks is %d", len(t.Effects))
	}
	if len(gone) > 0 {
		text += ". Objects that use the change are refused or changed then:\n" + listed(gone)
	}
	return text
}
