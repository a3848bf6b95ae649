package ui

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A compatibility describes the changes with the same class.
type compatibility struct {
	class playground.ChangeClass
	// singular and plural are verbs for the number of changes.
	singular, plural string
}

var compatibilities = []compatibility{
	{playground.ChangeBreaks, "breaks objects", "break objects"},
	{playground.ChangeMayBreak, "may break objects or clients", "may break objects or clients"},
	{playground.ChangeCompatible, "is compatible", "are compatible"},
}

// changesOf returns the changes of a class.
func changesOf(all []playground.CRDChange, class playground.ChangeClass) []playground.CRDChange {
	return slices.DeleteFunc(slices.Clone(all), func(c playground.CRDChange) bool { return c.Class != class })
}

// describe returns a number of changes with their class: "2 changes break objects".
func (c compatibility) describe(n int) string {
	if n == 1 {
		return count(n, "change") + " " + c.singular
	}
	return count(n, "change") + " " + c.plural
}

// witnessTitle introduces a witness.
func witnessTitle(w playground.Witness) string {
	if w.Effect == playground.WitnessRejected {
		return "For example, the new CRD rejects:"
	}
	return "For example, the new CRD changes:"
}

// changeLocation returns the location of a change: a version and a field path
// of its objects, "v1 spec.jobs[*].name", or a field of the CRD.
func changeLocation(c playground.CRDChange) string {
	if !strings.Contains(c.Field, ".openAPIV3Schema") {
		return c.Field
	}
	path := schemaStep.ReplaceAllStringFunc(c.SchemaPath, func(step string) string {
		if name := schemaStep.FindStringSubmatch(step)[1]; name != "" {
			return name
		}
		return "[*]"
	})
	return c.Version + " " + pathText(path)
}

// schemaStep matches a step in a schema path, either to a property, whose name
// it captures, or to the items of a list or map.
var schemaStep = regexp.MustCompile(`\bproperties\[([^\]]*)\]|(?:^|\.)(?:items|additionalProperties)\b`)

// changeKeyword returns the changed schema keyword, such as maximum, or an
// empty string if a whole node changed.
func changeKeyword(c playground.CRDChange) string {
	_, path, ok := strings.Cut(c.Field, ".openAPIV3Schema")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, "."+c.SchemaPath), ".")
}

// breaksText names the parties that a change may break.
func breaksText(b playground.Breaks) string {
	if b == playground.BreaksBoth {
		return "stored objects, clients"
	}
	return string(b)
}

func breaksClass(b playground.Breaks) string {
	if b == playground.BreaksClients {
		return "warning"
	}
	return "fail"
}

// breaksSummary returns the heading for a list of changes: "1 change breaks objects,
// 3 changes are compatible".
func breaksSummary(all []playground.CRDChange) string {
	var parts []string
	for _, c := range compatibilities {
		if n := len(changesOf(all, c.class)); n > 0 {
			parts = append(parts, c.describe(n))
		}
	}
	return strings.Join(parts, ", ")
}

func storedClass(outcome playground.Outcome) string {
	if outcome == playground.OutcomeSkipped {
		return "warning"
	}
	return string(outcome)
}

// storedWord summarizes the effect on a stored object in one or two words.
func storedWord(o playground.StoredObject) string {
	removes := func(c playground.Change) bool { return c.Op == playground.ChangeRemove }
	switch {
	case o.Outcome == playground.OutcomePass:
		return "fine"
	case o.Outcome == playground.OutcomeError:
		return "unreadable"
	case o.Outcome == playground.OutcomeSkipped:
		return "open"
	case len(o.Findings) > 0:
		return "invalid"
	case slices.ContainsFunc(o.Changes, removes):
		return "data loss"
	}
	return string(o.Outcome)
}

func storedTitle(o playground.StoredObject) string {
	return objectTitle(playground.Object{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name})
}
