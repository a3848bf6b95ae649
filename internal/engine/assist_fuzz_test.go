package engine_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

var writable = []playground.Document{
	playground.DocumentCRD, playground.DocumentOldCRD, playground.DocumentObject,
	playground.DocumentOldObject, playground.DocumentConversion, playground.DocumentAdmission,
}

// FuzzAssist requests completion and hover at arbitrary positions, inside or outside
// of arbitrary documents. The results must be complete and lie at the cursor.
func FuzzAssist(f *testing.F) {
	all, err := cases.Read("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range all {
		s := c.Scenario
		for n, text := range []string{s.CRD, s.Object, s.Admission} {
			document := uint8([]int{0, 2, 5}[n])
			lines := strings.Split(text, "\n")
			line := i % len(lines)
			f.Add(s.CRD, s.Object, s.Admission, document, line, len(lines[line]))
		}
	}
	const rule = "type: integer\nx-kubernetes-validations\n - rule: &"
	f.Add(rule, "", "", uint8(0), strings.Count(rule, "\n")+10, len(rule))
	const beside = "apiVersion: v1\nkind: Namespace\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	f.Add(beside, "", "", uint8(0), 0, len("apiVersion: v1"))
	one := engine.New()
	f.Fuzz(func(t *testing.T, crd, object, admission string, document uint8, line, character int) {
		// Replace invalid UTF-8 like the JSON decoder.
		crd, object, admission = strings.ToValidUTF8(crd, "\ufffd"), strings.ToValidUTF8(object, "\ufffd"), strings.ToValidUTF8(admission, "\ufffd")
		ctx, cancel := context.WithTimeout(t.Context(), fuzzTimeout)
		defer cancel()
		at := playground.Cursor{
			Scenario: playground.Scenario{CRD: crd, OldCRD: crd, Object: object, OldObject: object, Admission: admission, Now: cases.Now},
			Document: writable[int(document)%len(writable)],
			Position: playground.Position{Line: line, Character: character},
		}
		ask := func(q playground.AssistRequest) playground.AssistResponse {
			answer, err := assist.New(one).Respond(ctx, q)
			var invalid *playground.InvalidScenarioError
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &invalid) {
				t.Fatal(err)
			}
			return answer
		}
		if completion := ask(playground.AssistRequest{Complete: &at}).Complete; completion != nil {
			checkCompletion(t, clamp(at), completion)
		}
		if hover := ask(playground.AssistRequest{Hover: &at}).Hover; hover != nil && hover.Title != "" {
			checkAround(t, "hover", clamp(at), hover.Range)
		}
	})
}

var lineBreak = regexp.MustCompile("\r\n|\r|\n")

// clamp returns the position in the document that is nearest to the cursor.
func clamp(at playground.Cursor) playground.Position {
	s := at.Scenario
	text := map[playground.Document]string{
		playground.DocumentCRD: s.CRD, playground.DocumentOldCRD: s.OldCRD, playground.DocumentObject: s.Object,
		playground.DocumentOldObject: s.OldObject, playground.DocumentAdmission: s.Admission,
	}[at.Document]
	lines := lineBreak.Split(text, -1)
	length := func(line int) int { return len(utf16.Encode([]rune(lines[line]))) }
	switch position := at.Position; {
	case position.Line < 0:
		return playground.Position{}
	case position.Line >= len(lines):
		return playground.Position{Line: len(lines) - 1, Character: length(len(lines) - 1)}
	default:
		return playground.Position{Line: position.Line, Character: min(max(position.Character, 0), length(position.Line))}
	}
}

func checkCompletion(t *testing.T, at playground.Position, completion *playground.Completion) {
	if len(completion.Items) == 0 {
		return
	}
	checkAround(t, "completion", at, completion.Range)
	for _, item := range completion.Items {
		length := len(utf16.Encode([]rune(item.Insert)))
		if item.Label == "" || item.Kind == "" || item.Insert == "" || item.Stops == nil || !slices.IsSorted(item.Stops) ||
			len(item.Stops) > 0 && (item.Stops[0] < 0 || item.Stops[len(item.Stops)-1] > length) {
			t.Errorf("an item that cannot be offered: %+v", item)
		}
	}
}

// checkAround fails the test if a range does not contain the cursor.
func checkAround(t *testing.T, what string, at playground.Position, around playground.Range) {
	from, to := around.Start, around.End
	if from.Line > at.Line || from.Line == at.Line && from.Character > at.Character ||
		to.Line < at.Line || to.Line == at.Line && to.Character < at.Character {
		t.Errorf("the %s at %+v is of %+v", what, at, around)
	}
}
