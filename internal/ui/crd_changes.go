package ui

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// splitChanges separates breaking from harmless changes.
func splitChanges(all []playground.CRDChange) (breaking, harmless []playground.CRDChange) {
	for _, c := range all {
		if c.Breaks == playground.BreaksNone {
			harmless = append(harmless, c)
		} else {
			breaking = append(breaking, c)
		}
	}
	return breaking, harmless
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

// breaksSummary returns the heading for a list of changes: "12 changes, 3 may
// break stored objects or clients".
func breaksSummary(all []playground.CRDChange) string {
	breaking, _ := splitChanges(all)
	if len(breaking) == 0 {
		return count(len(all), "change") + ", none of which breaks stored objects or clients"
	}
	return count(len(all), "change") + ", " + formatInt(len(breaking)) + " may break stored objects or clients"
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
		return "loses data"
	}
	return string(o.Outcome)
}

func storedTitle(o playground.StoredObject) string {
	return objectTitle(playground.Object{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name})
}
