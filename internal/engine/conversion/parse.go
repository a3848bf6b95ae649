package conversion

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// parse reads the rules and responses of a request.
func parse(request Request) *Webhook {
	w := &Webhook{request: request}
	file, err := source.Parse(request.Text, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		w.findings = append(w.findings, finding.OfLimit(playground.DocumentConversion, playground.StageStore, err))
		return w
	}
	for _, doc := range file.NonEmpty() {
		if err := w.read(doc); err != nil {
			w.findings = append(w.findings, finding.OfRequest(playground.DocumentConversion, playground.StageStore, doc, err.Error()))
		}
	}
	return w
}

// Findings returns the errors in rules and responses that do not depend on a
// CRD. It serves scenarios whose CRD is missing or invalid.
func Findings(text string) []playground.Finding {
	return parse(Request{Text: text}).findings
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
		return fmt.Errorf("kind %q does not describe a conversion webhook; it must be APIConversion or ConversionReview", kind)
	}
}

func (w *Webhook) readRules(doc *source.Document) error {
	data, err := yaml.YAMLToJSONStrict([]byte(doc.Text))
	if err != nil {
		return err
	}
	rules := APIConversion{}
	strict, err := kjson.UnmarshalStrict(data, &rules)
	if err != nil {
		return err
	}
	for _, err := range strict {
		unknown := finding.OfStrict(playground.SeverityError, playground.DocumentConversion, playground.StageStore, err)
		w.findings = append(w.findings, finding.LocateStrict(doc, unknown))
	}
	for i, conversion := range rules.Spec.Conversions {
		compiled := &conversionRules{versionConversion: conversion, schema: w.request.Schemas[conversion.From], target: w.request.Schemas[conversion.To]}
		compiled.at, _ = doc.At("spec", "conversions", i)
		for j := range conversion.Rules {
			program, err := compiled.compile(j)
			if err != nil {
				at := transformationRange(doc, i, j, err)
				w.findings = append(w.findings, finding.Error(playground.DocumentConversion, playground.StageStore, at, err.Error()))
			}
			compiled.programs = append(compiled.programs, program)
			compiled.broken = append(compiled.broken, err)
		}
		w.findings = append(w.findings, compiled.withoutEffect(w.request)...)
		if len(strict) == 0 {
			w.rules = append(w.rules, compiled)
		}
	}
	return nil
}

// transformationRange returns the range of a CEL compile error in the
// transformation of a rule.
func transformationRange(doc *source.Document, conversion, rule int, err error) playground.Range {
	location, ok := doc.At("spec", "conversions", conversion, "rules", rule, "transformation")
	if !ok {
		return doc.Line(1)
	}
	if at, ok := finding.CELRange(location, err.Error()); ok {
		return at
	}
	return location.Value()
}
