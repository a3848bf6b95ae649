package verdict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/limits"
)

// This file is the list of all that may differ between the engine and an API
// server, or between two runs of one API server. Whatever else differs is a
// fault of the engine.

// volatile are the fields of metadata that the API server makes anew in every
// run, or keeps for itself:
//   - uid is random, resourceVersion the revision of etcd, creationTimestamp
//     the clock's;
//   - managedFields names the client and has times in it. Apply is compared by
//     them, times apart; otherwise the engine leaves them out.
var volatile = []string{"uid", "resourceVersion", "creationTimestamp"}

// replacements are the random parts of messages and cells.
var replacements = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	// The CEL compiler numbers the type of self by the clock.
	{regexp.MustCompile(`\bselfType\d+`), "selfType"},
	// The time of creation in messages that quote the object.
	{regexp.MustCompile(`(creationTimestamp\\":\\")[^"\\]*`), "${1}<time>"},
	// The fields of the client's manager there, which end with the time.
	{regexp.MustCompile(`\\"managedFields\\":\[.*?\\"time\\":\\"[^\\]*\\"\}\],?`), ""},
	// Apply stops at one of several fields that it cannot merge, in what is
	// applied or in what is there, or at a later one, in the random order of Go's
	// maps.
	{regexp.MustCompile(`(failed to (?:create typed patch object \([^)]*\)|convert new object \([^)]*\) to smd typed): )(?:[^"\\]|\\.)*`), "${1}<errors>"},
	// Uids in messages about preconditions.
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<uid>"},
	// The revision in messages about objects that etcd holds and nobody can decode.
	{regexp.MustCompile(`\brevision=\d+`), "revision=<revision>"},
}

// panicked matches the message about a panic of the API server's code. A
// server says to look in its logs; the engine says what would be there.
var panicked = regexp.MustCompile(`(?s)^(This request caused apiserver to panic|the API server's code panicked).*`)

// ageCell is the age in a column of type date, which goes by the clock.
var ageCell = regexp.MustCompile(`^(\d+[smhdy])+$`)

// Normal is v without what may differ, in the form that two verdicts are
// compared in: each value as decoded from JSON, numbers as they are spelled.
// The scenario is the one that it is about.
func (v Verdict) Normal(s playground.Scenario) (Verdict, error) {
	v, err := v.plain(generateNames(s))
	if err != nil {
		return v, fmt.Errorf("normalise: %w", err)
	}
	v.CRD.Response = v.CRD.Response.normal()
	for i := range v.CRD.Conditions {
		v.CRD.Conditions[i].Message = sortList(v.CRD.Conditions[i].Message)
	}
	slices.SortFunc(v.CRD.Conditions, func(a, b playground.Condition) int { return cmp.Compare(a.Type, b.Type) })
	for i := range v.Objects {
		o := &v.Objects[i]
		if o.Open {
			o.dropAnswer() // the engine says yes for the time being, a server no
		}
		o.Response = o.Response.normal()
		applied := s.Operation == playground.OperationApply
		dropVolatile(o.Stored, applied)
		dropVolatile(o.Returned, applied)
		for _, reading := range o.Versions {
			dropVolatile(reading.Object, applied)
		}
		if s.Operation == playground.OperationDelete {
			dropDeletionTime(o.Stored)
			dropDeletionTime(o.Returned)
			for _, reading := range o.Versions {
				dropDeletionTime(reading.Object)
			}
		}
		for _, scale := range o.Scale {
			dropVolatile(scale.Scale, applied)
		}
	}
	for i := range v.Tables {
		v.Tables[i].dropAges()
	}
	return v, nil
}

// plain is a copy of v as JSON has it, without the random parts of texts.
func (v Verdict) plain(prefixes []string) (out Verdict, err error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return out, err
	}
	data := text.Bytes()
	for _, r := range replacements {
		data = r.pattern.ReplaceAll(data, []byte(r.replacement))
	}
	for _, prefix := range prefixes {
		suffix := regexp.MustCompile("(" + regexp.QuoteMeta(prefix) + ")[b-df-hj-np-tv-z2-9]{5}\\b")
		data = suffix.ReplaceAll(data, []byte("${1}<random>"))
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err = decoder.Decode(&out)
	return out, err
}

// normal sorts what the API server lists in the random order of Go's maps:
// causes, the errors of the message, which are the causes, and warnings. A
// message has equal errors once, so causes count once, too.
func (a Response) normal() Response {
	slices.SortFunc(a.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Reason, b.Reason))
	})
	a.Causes = slices.Compact(a.Causes)
	slices.Sort(a.Warnings)
	var errors []string
	for _, c := range a.Causes {
		if e := c.Field + ": " + c.Message; !slices.Contains(errors, e) {
			errors = append(errors, e)
		}
	}
	a.Message = panicked.ReplaceAllString(sortMessage(a.Message, errors), "<panic>")
	return a
}

// sortMessage puts the errors that are listed at the end of message in order.
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

// sortList puts the errors of a condition's message in order, which are not
// listed anywhere else. All are about fields of the spec.
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

// dropAnswer leaves what is stored, if anything is, and how it reads.
func (o *Object) dropAnswer() {
	*o = Object{Open: true, Stored: o.Stored, Versions: o.Versions, Scale: o.Scale}
	if o.Stored == nil {
		*o = Object{Open: true}
	}
}

func dropVolatile(object any, applied bool) {
	fields, _ := object.(map[string]any)
	metadata, _ := fields["metadata"].(map[string]any)
	for _, name := range volatile {
		delete(metadata, name)
	}
	if !applied {
		delete(metadata, "managedFields")
		return
	}
	entries, _ := metadata["managedFields"].([]any)
	for _, entry := range entries {
		if entry, ok := entry.(map[string]any); ok {
			delete(entry, "time")
		}
	}
}

// dropDeletionTime hides when an object was deleted, not that it was.
func dropDeletionTime(object any) {
	fields, _ := object.(map[string]any)
	metadata, _ := fields["metadata"].(map[string]any)
	if _, ok := metadata["deletionTimestamp"]; ok {
		metadata["deletionTimestamp"] = "<time>"
	}
}

func (t *Table) dropAges() {
	for _, row := range t.Rows {
		for i, cell := range row {
			if i < len(t.Columns) && t.Columns[i].Type == "date" && ageCell.MatchString(fmt.Sprint(cell)) {
				row[i] = "<age>"
			}
		}
	}
}

// generateNames are the prefixes from which the API server makes names.
func generateNames(s playground.Scenario) []string {
	var prefixes []string
	for _, text := range []string{s.CRD, s.Object} {
		file, _ := source.Parse(text, limits.Limits{})
		if file == nil {
			continue
		}
		for _, document := range file.Documents {
			if prefix, _ := document.Lookup("metadata", "generateName"); prefix != "" {
				prefixes = append(prefixes, prefix)
			}
		}
	}
	return prefixes
}
