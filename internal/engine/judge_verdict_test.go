//go:build !js

package engine_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/judge"
	"github.com/crdlab/crdlab/internal/playground"
)

// verdict is the part of an answer in which engine and judge must agree. What
// differs between two runs of an API server is taken out of it.
type verdict struct {
	Code     int      `json:"code"`
	Reason   string   `json:"reason"`
	Message  string   `json:"message"`
	Causes   []cause  `json:"causes"`
	Warnings []string `json:"warnings"`
	// Errors says that there are findings that are errors.
	Errors bool `json:"errors"`
	// Names and StoredVersions are those of an accepted CRD.
	Names          *playground.Names `json:"names,omitempty"`
	StoredVersions []string          `json:"storedVersions,omitempty"`
	// Stored is an accepted object at the storage version; Versions is what it
	// is read as, by version.
	Stored   any                `json:"stored,omitempty"`
	Versions map[string]reading `json:"versions,omitempty"`
}

type cause struct {
	Reason  string `json:"reason"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

// reading is an object as a GET request returns it.
type reading struct {
	Object  any    `json:"object"`
	Warning string `json:"warning"`
}

// statusVerdict is what an answer says apart from the object.
func statusVerdict(answer judge.Answer) verdict {
	v := verdict{Code: answer.Code, Warnings: slices.Clone(answer.Warnings), Errors: answer.Code >= 400}
	if answer.Status != nil {
		v.Reason, v.Message = string(answer.Status.Reason), answer.Status.Message
		if answer.Status.Reason == metav1.StatusReasonInvalid && answer.Status.Details != nil {
			for _, c := range answer.Status.Details.Causes {
				v.Causes = append(v.Causes, cause{string(c.Type), c.Field, c.Message})
			}
		}
	}
	return v.normalised()
}

// reportVerdict is what a report says apart from the object.
func reportVerdict(status playground.Status, findings []playground.Finding, warnings []string) verdict {
	v := verdict{Code: status.Code, Reason: status.Reason, Message: status.Message, Warnings: slices.Clone(warnings)}
	for _, f := range findings {
		if f.Severity != playground.SeverityError {
			continue
		}
		v.Errors = true
		if status.Reason == string(metav1.StatusReasonInvalid) {
			v.Causes = append(v.Causes, cause{f.Reason, f.Field, f.Message})
		}
	}
	return v.normalised()
}

// normalised sorts what the API server lists in the random order of Go's maps:
// causes, the errors of a message and warnings. Equal causes count once.
func (v verdict) normalised() verdict {
	slices.SortFunc(v.Causes, func(a, b cause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Reason, b.Reason))
	})
	v.Causes = slices.Compact(v.Causes)
	v.Warnings = append([]string{}, v.Warnings...)
	slices.Sort(v.Warnings)
	var errors []string
	for _, c := range v.Causes {
		if e := c.Field + ": " + c.Message; !slices.Contains(errors, e) {
			errors = append(errors, e)
		}
	}
	v.Message = sortMessage(v.Message, errors)
	return v
}

// sortMessage puts the errors that are listed at the end of message in order.
func sortMessage(message string, errors []string) string {
	list := "[" + strings.Join(errors, ", ") + "]"
	at := len(message) - len(list)
	if len(errors) < 2 || at <= 0 || message[at] != '[' {
		return message
	}
	for _, e := range errors {
		if !strings.Contains(message[at:], e) {
			return message
		}
	}
	return message[:at] + list
}

var (
	selfTypeNumber = regexp.MustCompile(`\bselfType\d*`)
	ageCell        = regexp.MustCompile(`^(\d+[smhdy])+$`)
)

// comparable decodes the JSON of a value, without the random parts: the number
// of a CEL type and the suffix of a name generated from generateName.
func comparable(t *testing.T, value any, generateName string) any {
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	data = selfTypeNumber.ReplaceAll(data, []byte("selfType"))
	if generateName != "" {
		suffix := regexp.MustCompile("(" + regexp.QuoteMeta(generateName) + ")[b-df-hj-np-tv-z2-9]{5}")
		data = suffix.ReplaceAll(data, []byte("${1}<random>"))
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// lasting is an object without the metadata that is new in every run.
func lasting(t *testing.T, object any) any {
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if metadata, ok := out["metadata"].(map[string]any); ok {
		for _, name := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
			delete(metadata, name)
		}
	}
	return out
}

// tableOf is a table as the judge answers it, in the report's form.
func tableOf(version string, table *metav1.Table) playground.Table {
	out := playground.Table{Version: version, Columns: []playground.Column{}, Rows: [][]any{}}
	for _, c := range table.ColumnDefinitions {
		out.Columns = append(out.Columns, playground.Column{Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority})
	}
	for _, row := range table.Rows {
		out.Rows = append(out.Rows, row.Cells)
	}
	return ageless(out)
}

// ageless is a table without what kubectl makes of it and without ages, which
// the judge takes from the clock.
func ageless(table playground.Table) playground.Table {
	out := playground.Table{Version: table.Version, Columns: table.Columns, Rows: [][]any{}}
	for _, row := range table.Rows {
		row = slices.Clone(row)
		for i, cell := range row {
			if table.Columns[i].Type == "date" && ageCell.MatchString(fmt.Sprint(cell)) {
				row[i] = "<age>"
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
