package witness

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/crddiff"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/solve"
	"github.com/crdlab/crdlab/internal/playground"
)

// compare returns a witness if the new CRD rejects or changes an object because of a
// difference. The old CRD accepts the object. path is the path of the value at the
// difference.
func (s *search) compare(d crddiff.Difference, path []any, content map[string]any) *playground.Witness {
	before, after := s.evaluate(s.old, content), s.evaluateWith(s.new, content, s.validation)
	_, version, _ := strings.Cut(before.APIVersion, "/")
	read, readable := readAt(before, version)
	if !readable || len(after.DependsOn) > 0 {
		return nil
	}
	w := &playground.Witness{Object: toYAML(content), Excerpt: excerpt(content, path)}
	if !after.Accepted {
		message, ok := s.rejection(d, path, after)
		w.Effect, w.Message = playground.WitnessRejected, message
		return orNil(w, ok)
	}
	now, readable := readAt(after, version)
	if !readable || !canAlter(d) {
		return nil
	}
	at := jsonvalue.PathString(path)
	for _, c := range jsonvalue.Diff(read, now, nil) {
		if changed := jsonvalue.PathString(c.Path); solve.IsBelow(changed, at) || solve.IsBelow(at, changed) {
			w.Effect, w.Message = playground.WitnessChanged, s.describeChange(c, after)
			return w
		}
	}
	return nil
}

// altering lists the keywords by which an API server prunes and completes objects. Others
// only accept or reject them. A difference without a keyword is a schema node that one of the
// CRDs lacks.
var altering = []string{
	"", "type", "default", "nullable", "additionalProperties",
	"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
}

// canAlter reports whether a difference can be the reason for a change of an object.
func canAlter(d crddiff.Difference) bool {
	return !strings.Contains(d.Field, ".openAPIV3Schema") || slices.Contains(altering, d.Keyword)
}

func orNil(w *playground.Witness, ok bool) *playground.Witness {
	if !ok {
		return nil
	}
	return w
}

// rejection returns the API server's error about the difference, or false if it rejects
// the object only for other reasons.
func (s *search) rejection(d crddiff.Difference, path []any, report playground.Object) (message string, ok bool) {
	if !strings.Contains(d.Field, ".openAPIV3Schema") {
		rejects := settingOf(d.Field).rejects
		return report.Status.Message, slices.ContainsFunc(report.Findings, func(f playground.Finding) bool {
			return f.Severity == playground.SeverityError && rejects(report, f)
		})
	}
	if d.Keyword == "x-kubernetes-validations" {
		return s.ruleRejection(d, report)
	}
	at := jsonvalue.PathString(path)
	for _, f := range report.Findings {
		if f.Severity != playground.SeverityError {
			continue
		}
		described := strings.TrimPrefix(f.Field+": "+f.Message, ": ")
		if (f.Field != "" || at == "") && solve.IsBelow(f.Field, at) {
			return described, true
		}
		// A change of one constraint is the reason for all errors, such as that of a rule that reads a former default.
		if s.home != nil && !ok {
			message, ok = described, true
		}
	}
	return message, ok
}

// ruleRejection returns the message of the changed rule if it failed.
func (s *search) ruleRejection(d crddiff.Difference, report playground.Object) (message string, ok bool) {
	for _, rule := range s.new.CRD.Report.Rules {
		if rule.Version != d.Version || rule.SchemaPath != d.SchemaPath || rule.Rule != ruleOf(d) {
			continue
		}
		if message, ok := failureOf(report, rule.ID); ok {
			return message, true
		}
	}
	return "", false
}

// failureOf returns the message of a rule that failed in the report on an object, or false.
func failureOf(report playground.Object, id string) (message string, failed bool) {
	i := slices.IndexFunc(report.Rules, func(r playground.RuleResult) bool {
		return r.ID == id && (r.Outcome == playground.OutcomeFail || r.Outcome == playground.OutcomeError)
	})
	if report.Accepted || i < 0 {
		return "", false
	}
	return strings.TrimPrefix(report.Rules[i].Path+": "+report.Rules[i].Message, ": "), true
}

// ruleOf returns the expression of a changed rule. The value of the difference is the
// expression, or the whole rule if the expression is the same.
func ruleOf(d crddiff.Difference) string {
	switch after := decode(d.After).(type) {
	case string:
		return after
	case map[string]any:
		expression, _ := after["rule"].(string)
		return expression
	}
	return ""
}

// excerpt returns the part of an object that leads to a path, or to its parent if the
// object has no such value.
func excerpt(content map[string]any, path []any) string {
	if len(path) == 0 {
		return toYAML(withoutMeta(content))
	}
	depth := len(path)
	value, ok := jsonvalue.At(content, path)
	for ; !ok; value, ok = jsonvalue.At(content, path[:depth]) {
		depth--
	}
	if depth == 0 {
		value = withoutMeta(content)
	}
	for _, step := range slices.Backward(path[:depth]) {
		if name, isKey := step.(string); isKey {
			value = map[string]any{name: value}
		} else {
			value = []any{value}
		}
	}
	return toYAML(value)
}

// withoutMeta returns an object without the fields of all resources, apart from metadata that tells something. It returns
// the object itself if it has no others.
func withoutMeta(content map[string]any) map[string]any {
	own := map[string]any{}
	for name, value := range content {
		isPlain := name == "metadata" && reflect.DeepEqual(value, withName(nil))
		if name != "apiVersion" && name != "kind" && !isPlain {
			own[name] = value
		}
	}
	if len(own) == 0 {
		return content
	}
	return own
}

// toYAML returns a value as YAML. Values of the search can be encoded.
func toYAML(value any) string {
	document, err := yaml.JSONToYAML(jsonvalue.Encode(value))
	if err != nil {
		return jsonvalue.String(value)
	}
	return string(document)
}

func decode(data json.RawMessage) any {
	var value any
	if json.Unmarshal(data, &value) != nil {
		return nil
	}
	return value
}
