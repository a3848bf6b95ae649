package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// This file lists all permitted differences between the engine and an API
// server, or between two runs of one API server. Any other difference is a bug in
// the engine.

// volatile lists the metadata fields that differ in each run of an API server:
// the random uid, the resourceVersion from the revision of etcd, and the
// creationTimestamp from the clock. The field managedFields contains the name of
// the client and times. Verdicts on apply include it, without the times; for
// other operations the engine omits it.
var volatile = []string{"uid", "resourceVersion", "creationTimestamp"}

// Metadata returns the metadata of an object, or nil.
func Metadata(object any) map[string]any {
	fields, _ := object.(map[string]any)
	metadata, _ := fields["metadata"].(map[string]any)
	return metadata
}

// DropServerMetadata removes the metadata that an API server sets for each object.
func DropServerMetadata(object any) {
	dropVolatile(object)
	delete(Metadata(object), "managedFields")
}

// replacements replaces the random parts of messages and cells.
var replacements = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	// The CEL compiler derives the type name of self from the clock.
	{regexp.MustCompile(`\bselfType\d+`), "selfType"},
	// The creationTimestamp in messages that quote the object.
	{regexp.MustCompile(`(creationTimestamp\\":\\")[^"\\]*`), "${1}<time>"},
	// The resourceVersion in messages that quote the object.
	{regexp.MustCompile(`(\\"resourceVersion\\":\\")[^"\\]*`), "${1}<revision>"},
	// The managedFields in messages that quote the object. They end with a time.
	{regexp.MustCompile(`\\"managedFields\\":\[.*?\\"time\\":\\"[^\\]*\\"\}\],?`), ""},
	// Apply reports only some of the fields that it cannot merge, depending on
	// the random order of Go maps.
	{regexp.MustCompile(`(failed to (?:create typed patch object \([^)]*\)|convert new object \([^)]*\) to smd typed|convert merged object to last applied version): )(?:[^"\\]|\\.)*`), "${1}<errors>"},
	// UIDs in messages about preconditions.
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<uid>"},
	// The addresses in messages of older libraries, which print values with %#v.
	{regexp.MustCompile(`(\(\*[\w.]+\))\(0x[0-9a-f]+\)`), "${1}(<address>)"},
	// The etcd revision in messages about objects that cannot be decoded.
	{regexp.MustCompile(`\brevision=\d+`), "revision=<revision>"},
}

// patched matches the message about the result of a patch.
var patched = regexp.MustCompile(`(?s)^ "" is invalid: patch: Invalid value: "(?:[^"\\]|\\.)*": (.*)$`)

// panicked matches the message about a panic of the API server's code. A server
// refers to its log; the engine quotes the panic.
var panicked = regexp.MustCompile(`(?s)^(This request caused apiserver to panic|the API server's code panicked).*`)

// ageCell matches an age in a column of type date, which depends on the clock.
var ageCell = regexp.MustCompile(`^(\d+[smhdy])+$`)

// Normal returns a copy of v without the permitted differences, for [Diff]. All
// values are as decoded from JSON, with numbers as [json.Number]. The scenario is
// the one of v.
func (v Verdict) Normal(s playground.Scenario) (Verdict, error) {
	v, err := v.withoutRandomParts(generateNames(s))
	if err != nil {
		return v, fmt.Errorf("normalize: %w", err)
	}
	v.CRD.Response = v.CRD.normal()
	dropVolatile(v.CRD.Stored)
	dropStatus(v.CRD.Stored)
	for i := range v.CRD.Conditions {
		v.CRD.Conditions[i].Message = sortList(v.CRD.Conditions[i].Message)
	}
	slices.SortFunc(v.CRD.Conditions, func(a, b playground.Condition) int { return cmp.Compare(a.Type, b.Type) })
	for i := range v.Objects {
		o := &v.Objects[i]
		if o.Open {
			o.dropResponse() // the engine assumes success, a server reports an error
		}
		o.Response = o.normal()
		for _, state := range o.states() {
			dropSign(state)
			dropVolatile(state)
			if s.Operation == playground.OperationDelete {
				dropDeletionTime(state)
			}
		}
		for _, scale := range o.Scale {
			dropVolatile(scale.Scale)
		}
	}
	columns := volatileColumns(s)
	for i := range v.Tables {
		v.Tables[i].dropVolatile(columns)
	}
	return v, nil
}

// withoutRandomParts returns a copy of v without the random parts of strings.
// The prefixes are the values of generateName.
func (v Verdict) withoutRandomParts(prefixes []string) (out Verdict, err error) {
	data, err := playground.EncodeJSON(v)
	if err != nil {
		return out, err
	}
	for _, r := range replacements {
		data = r.pattern.ReplaceAll(data, []byte(r.replacement))
	}
	for _, prefix := range prefixes {
		suffix := regexp.MustCompile("(" + regexp.QuoteMeta(prefix) + ")[b-df-hj-np-tv-z2-9]{5}\\b")
		data = suffix.ReplaceAll(data, []byte("${1}<random>"))
	}
	err = playground.DecodeJSON(data, &out)
	return out, err
}

// normal sorts the causes, the warnings and the errors in the message, which the
// API server lists in the random order of Go maps. It removes duplicate causes,
// because the message has no duplicates either.
func (r Response) normal() Response {
	slices.SortFunc(r.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Reason, b.Reason))
	})
	r.Causes = slices.Compact(r.Causes)
	// The message about a patch quotes the stored object, and the engine lists the strict
	// errors instead.
	if m := patched.FindStringSubmatch(r.Message); m != nil {
		r.Causes, r.Message = nil, m[1]
	}
	playground.SortWarnings(r.Warnings)
	var errors []string
	for _, c := range r.Causes {
		if e := c.Field + ": " + c.Message; !slices.Contains(errors, e) {
			errors = append(errors, e)
		}
	}
	r.Message = panicked.ReplaceAllString(sortMessage(r.Message, errors), "<panic>")
	return r
}

// sortMessage replaces the list of errors at the end of a message by the sorted
// errors, provided that the list consists of them.
func sortMessage(message string, errors []string) string {
	list := "[" + strings.Join(errors, ", ") + "]"
	at := len(message) - len(list)
	if len(errors) < 2 || at < 0 || message[at] != '[' {
		return message
	}
	for _, e := range errors {
		if !strings.Contains(message[at:], e) {
			return message
		}
	}
	return message[:at] + list
}

// sortList sorts the errors in the message of a condition. Each error begins with
// a field path below spec.
func sortList(message string) string {
	inner, ok := strings.CutPrefix(message, "[spec")
	inner, closed := strings.CutSuffix(inner, "]")
	if !ok || !closed {
		return message
	}
	errors := strings.Split(inner, ", spec")
	slices.Sort(errors)
	return "[spec" + strings.Join(errors, ", spec") + "]"
}

// dropResponse removes the response of an open verdict. It keeps the stored
// object and its readings.
func (o *Object) dropResponse() {
	*o = Object{Open: true, Stored: o.Stored, Versions: o.Versions, Scale: o.Scale}
	if o.Stored == nil {
		*o = Object{Open: true}
	}
}

// states returns the object as stored, returned and read.
func (o *Object) states() []any {
	states := []any{o.Stored, o.Returned}
	for _, reading := range o.Versions {
		states = append(states, reading.Object)
	}
	return states
}

// dropSign replaces -0 by 0 in maps and lists, and returns the replacement of the value.
// Clients that decode an object lose the sign.
func dropSign(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			value[name] = dropSign(field)
		}
	case []any:
		for i, item := range value {
			value[i] = dropSign(item)
		}
	case json.Number:
		if value == "-0" {
			return json.Number("0")
		}
	}
	return value
}

// dropVolatile removes the [volatile] metadata of an object, and the times of its
// managedFields.
func dropVolatile(object any) {
	metadata := Metadata(object)
	for _, name := range volatile {
		delete(metadata, name)
	}
	entries, _ := metadata["managedFields"].([]any)
	for _, entry := range entries {
		if entry, ok := entry.(map[string]any); ok {
			delete(entry, "time")
		}
	}
}

// dropStatus removes the status of a CRD, which controllers write, and its owners.
func dropStatus(crd any) {
	fields, _ := crd.(map[string]any)
	delete(fields, "status")
	metadata := Metadata(crd)
	if entries, ok := metadata["managedFields"].([]any); ok {
		metadata["managedFields"] = slices.DeleteFunc(entries, func(entry any) bool {
			e, _ := entry.(map[string]any)
			return e["subresource"] == "status"
		})
	}
}

// dropDeletionTime replaces the time of the deletionTimestamp.
func dropDeletionTime(object any) {
	metadata := Metadata(object)
	if _, ok := metadata["deletionTimestamp"]; ok {
		metadata["deletionTimestamp"] = "<time>"
	}
}

// dropVolatile replaces the ages in columns of type date, and the cells of the other columns
// with the given names.
func (t *Table) dropVolatile(names map[string]bool) {
	for _, row := range t.Rows {
		for i, column := range t.Columns[:min(len(row), len(t.Columns))] {
			switch {
			case column.Type == "date" && ageCell.MatchString(fmt.Sprint(row[i])):
				row[i] = "<age>"
			case column.Type != "date" && names[column.Name] && row[i] != nil:
				row[i] = "<volatile>"
			}
		}
	}
}

// volatileColumns returns the names of the printer columns that show [volatile] metadata.
func volatileColumns(s playground.Scenario) map[string]bool {
	names := map[string]bool{}
	file, _ := source.Parse(s.CRD, source.Limits{})
	for _, document := range file.Documents {
		versions, _ := document.At("spec", "versions")
		for i := range versions.Len() {
			columns, _ := versions.At(i, "additionalPrinterColumns")
			addVolatile(names, columns)
		}
	}
	return names
}

// addVolatile adds the names of those columns in a list that show volatile metadata.
func addVolatile(names map[string]bool, columns source.Location) {
	for i := range columns.Len() {
		path, isMetadata := strings.CutPrefix(scalarAt(columns, i, "jsonPath"), ".metadata.")
		if isMetadata && slices.Contains(volatile, path) {
			names[scalarAt(columns, i, "name")] = true
		}
	}
}

// scalarAt returns a scalar below a location, or an empty string.
func scalarAt(l source.Location, path ...any) string {
	field, ok := l.At(path...)
	if node := field.Node(); ok && node != nil {
		return node.Value
	}
	return ""
}

// generateNames returns the values of generateName in a scenario.
func generateNames(s playground.Scenario) []string {
	var prefixes []string
	for _, yaml := range []string{s.CRD, s.Object} {
		file, _ := source.Parse(yaml, source.Limits{})
		for _, document := range file.Documents {
			if prefix, _ := document.Lookup("metadata", "generateName"); prefix != "" {
				prefixes = append(prefixes, prefix)
			}
		}
	}
	return prefixes
}
