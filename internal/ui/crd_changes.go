package ui

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// splitChanges separates the changes that may hurt from the others.
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

// changePlace names what a change is about: a field of the objects at a
// version, "v1 spec.jobs[*].name", or a field of the CRD.
func changePlace(c playground.CRDChange) string {
	if !strings.Contains(c.Field, ".openAPIV3Schema") {
		return c.Field
	}
	place := schemaStep.ReplaceAllStringFunc(c.SchemaPath, func(step string) string {
		if name := schemaStep.FindStringSubmatch(step)[1]; name != "" {
			return name
		}
		return "[*]"
	})
	return c.Version + " " + pathText(place)
}

// schemaStep is a step down a schema: to a property, which it captures, or to
// the elements of a list or map.
var schemaStep = regexp.MustCompile(`\bproperties\[([^\]]*)\]|(?:^|\.)(?:items|additionalProperties)\b`)

// changeKeyword is the keyword of a schema that changed, such as maximum;
// empty if a whole node did.
func changeKeyword(c playground.CRDChange) string {
	_, path, ok := strings.Cut(c.Field, ".openAPIV3Schema")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, "."+c.SchemaPath), ".")
}

// breaksText names whom a change may hurt.
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

// breaksSummary is the head of a list of changes: "12 changes, 3 may break
// stored objects or clients".
func breaksSummary(all []playground.CRDChange) string {
	breaking, _ := splitChanges(all)
	if len(breaking) == 0 {
		return count(len(all), "change") + ", none of which breaks stored objects or clients"
	}
	return count(len(all), "change") + ", " + bareCount(len(breaking)) + " may break stored objects or clients"
}

func storedClass(outcome playground.Outcome) string {
	if outcome == playground.OutcomeSkipped {
		return "warning"
	}
	return string(outcome)
}

// storedWord says in a word or two what becomes of a stored object.
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
