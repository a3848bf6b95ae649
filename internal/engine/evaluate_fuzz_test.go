package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// fuzzTimeout is shorter than the time after which the fuzzer reports a hang.
const fuzzTimeout = 5 * time.Second

var (
	validations = []string{playground.FieldValidationStrict, playground.FieldValidationWarn, playground.FieldValidationIgnore}
	operations  = []string{"", playground.OperationUpdate, playground.OperationUpdateStatus, playground.OperationApply}
)

// FuzzEvaluate evaluates arbitrary documents. The report must be complete and
// reproducible, every range must lie in its document, and the panels must escape
// everything that the documents contain.
func FuzzEvaluate(f *testing.F) {
	all, err := cases.Read("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range all {
		s := c.Scenario
		f.Add(s.CRD, s.OldCRD, s.Object, s.OldObject, s.Conversion, s.Admission, uint8(i))
	}
	one := engine.New()
	f.Fuzz(func(t *testing.T, crd, oldCRD, object, oldObject, conversion, admission string, options uint8) {
		scenario := playground.Scenario{
			CRD: crd, OldCRD: oldCRD, Object: object, OldObject: oldObject, Conversion: conversion, Admission: admission, Now: cases.Now,
			FieldValidation: validations[int(options)%len(validations)],
			Operation:       operations[int(options/4)%len(operations)],
			Schemas:         options >= 128,
		}
		report, done := evaluateInTime(t, one, scenario)
		if !done {
			return
		}
		again, done := evaluateInTime(t, one, scenario)
		// The first error of an apply is random upstream.
		if done && scenario.Operation != playground.OperationApply {
			checkSame(t, report, again)
		}
		checkWhole(t, reflect.ValueOf(report), "report")
		checkFindings(t, scenario, report)
		checkPanels(t, report)
	})
}

// evaluateInTime evaluates with a timeout, like the server and the page. It is false
// after the timeout.
func evaluateInTime(t *testing.T, e *engine.Engine, scenario playground.Scenario) (playground.Report, bool) {
	ctx, cancel := context.WithTimeout(t.Context(), fuzzTimeout)
	defer cancel()
	report, err := e.Evaluate(ctx, scenario)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	return report, err == nil
}

// checkSame fails the test if two reports differ, except in their timing.
func checkSame(t *testing.T, a, b playground.Report) {
	a.Timing, b.Timing = playground.Timing{}, playground.Timing{}
	if reflect.DeepEqual(a, b) {
		return
	}
	first, _ := json.Marshal(a)
	second, _ := json.Marshal(b)
	at := 0
	for at < min(len(first), len(second)) && first[at] == second[at] {
		at++
	}
	from := max(at-200, 0)
	t.Errorf("two reports on one scenario:\n…%.400s\n…%.400s", first[from:], second[from:])
}

// checkWhole fails the test on nil slices and on invalid raw JSON.
func checkWhole(t *testing.T, value reflect.Value, path string) {
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			field := value.Type().Field(i)
			if !strings.Contains(field.Tag.Get("json"), "omitempty") || !value.Field(i).IsZero() {
				checkWhole(t, value.Field(i), path+"."+field.Name)
			}
		}
	case reflect.Pointer:
		if !value.IsNil() {
			checkWhole(t, value.Elem(), path)
		}
	case reflect.Slice:
		if raw, ok := reflect.TypeAssert[json.RawMessage](value); ok {
			if len(raw) > 0 && !json.Valid(raw) {
				t.Errorf("%s is not JSON: %q", path, raw)
			}
			return
		}
		if value.IsNil() {
			t.Errorf("%s is nil", path)
		}
		for i := range value.Len() {
			checkWhole(t, value.Index(i), path+"[]")
		}
	}
}

func checkFindings(t *testing.T, scenario playground.Scenario, report playground.Report) {
	findings := append(append([]playground.Finding{}, report.CRD.Findings...), report.Conversion.Findings...)
	for _, object := range report.Objects {
		findings = append(findings, object.Findings...)
	}
	texts := map[playground.Document]string{
		playground.DocumentCRD: scenario.CRD, playground.DocumentOldCRD: scenario.OldCRD,
		playground.DocumentObject: scenario.Object, playground.DocumentOldObject: scenario.OldObject,
		playground.DocumentConversion: scenario.Conversion, playground.DocumentAdmission: scenario.Admission,
	}
	for _, finding := range findings {
		text, known := texts[finding.Document]
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		from, to := finding.Range.Start, finding.Range.End
		if !known || from.Line < 0 || from.Character < 0 || to.Line > lines || to.Line < from.Line ||
			to.Line == from.Line && to.Character < from.Character {
			t.Errorf("the finding %+v is not in its text of %d lines", finding, lines)
		}
	}
}

// checkPanels fails the test if the panels contain elements or attributes that only
// unescaped user input can cause.
func checkPanels(t *testing.T, report playground.Report) {
	panels, err := ui.Panels(report)
	if err != nil {
		t.Fatal(err)
	}
	for name, panel := range panels {
		document, err := html.Parse(strings.NewReader(panel))
		if err != nil {
			t.Fatal(err)
		}
		for node := range document.Descendants() {
			switch {
			case node.Type != html.ElementNode:
			case node.Data == "script" || node.Data == "img" || node.Data == "iframe" || node.Data == "style" || node.Data == "link":
				t.Errorf("panel %s has the element %s %v", name, node.Data, node.Attr)
			default:
				for _, attribute := range node.Attr {
					if strings.HasPrefix(attribute.Key, "on") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(attribute.Val)), "javascript:") && attribute.Key == "href" {
						t.Errorf("panel %s: %s has the attribute %s=%q", name, node.Data, attribute.Key, attribute.Val)
					}
				}
			}
		}
	}
}
