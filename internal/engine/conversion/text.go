package conversion

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// newWebhook reads the text that stands for a webhook.
func newWebhook(request engine.ConversionRequest) *Webhook {
	w := &Webhook{request: request}
	file, err := source.Parse(request.Text, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		w.findings = append(w.findings, finding.OfLimit(playground.DocumentConversion, playground.StageStore, err))
		return w
	}
	for _, doc := range file.Documents {
		if doc.Empty() {
			continue
		}
		if err := w.read(doc); err != nil {
			w.complainAt(finding.RequestRange(doc, err.Error()), err.Error())
		}
	}
	return w
}

// Findings are about a text that stands for the webhook of a CRD that is not
// there, as far as they do not depend on it.
func Findings(text string) []playground.Finding {
	return newWebhook(engine.ConversionRequest{Text: text}).findings
}

func (w *Webhook) complainAt(at playground.Range, message string) {
	w.findings = append(w.findings, playground.Finding{
		Severity: playground.SeverityError,
		Stage:    playground.StageStore,
		Message:  message,
		Document: playground.DocumentConversion,
		Range:    at,
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	})
}

func (w *Webhook) read(doc *source.Document) error {
	content := map[string]any{}
	if err := upstream.Guard(playground.StageStore, func() error { return utilyaml.Unmarshal([]byte(doc.Text), &content) }); err != nil {
		return err
	}
	switch kind, _ := doc.Lookup("kind"); kind {
	case "APIConversion":
		return w.readRules(doc)
	case "ConversionReview":
		w.responses = append(w.responses, runtime.DeepCopyJSON(content))
		return nil
	default:
		return fmt.Errorf("kind %q stands for no conversion webhook: it must be APIConversion or ConversionReview", kind)
	}
}

func (w *Webhook) readRules(doc *source.Document) error {
	rules := apiConversion{}
	if err := yaml.UnmarshalStrict([]byte(doc.Text), &rules, yaml.DisallowUnknownFields); err != nil {
		return err
	}
	for i, conversion := range rules.Spec.Conversions {
		compiled := &conversionRules{versionConversion: conversion, schema: w.request.Schemas[conversion.From]}
		for j := range conversion.Rules {
			program, err := compiled.compile(j)
			if err != nil {
				w.complainAt(conversionErrorRange(doc, i, j, err), err.Error())
			}
			compiled.programs = append(compiled.programs, program)
			compiled.broken = append(compiled.broken, err)
		}
		w.rules = append(w.rules, compiled)
	}
	return nil
}

// conversionErrorRange is the place in a transformation that the CEL compiler
// complains of.
func conversionErrorRange(doc *source.Document, conversion, rule int, err error) playground.Range {
	location, ok := doc.At("spec", "conversions", conversion, "rules", rule, "transformation")
	if !ok {
		return doc.Line(1)
	}
	if at, ok := finding.CELRange(location, err.Error()); ok {
		return at
	}
	return location.Value()
}
