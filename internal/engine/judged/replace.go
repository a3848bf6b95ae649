package judged

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/verdict"
)

// ReplaceCRD returns the report of the CRD with the response of an older release.
func ReplaceCRD(c *crd.CRD, older verdict.CRD) playground.CRD {
	report := c.Respond(errorOf(older.Response, "CustomResourceDefinition", c.Report.Name), older.Warnings)
	if report.Accepted {
		report.Status.Code = older.Code
		report.StoredVersions = append([]string{}, older.StoredVersions...)
		if older.Names != nil {
			report.Names = *older.Names
		}
	}
	return report
}

// errorOf returns the error in a response, or nil if the request was accepted.
func errorOf(r verdict.Response, kind, name string) error {
	if r.Accepted() {
		return nil
	}
	status := metav1.Status{Status: metav1.StatusFailure, Code: int32(r.Code), Reason: metav1.StatusReason(r.Reason), Message: r.Message}
	if status.Reason == metav1.StatusReasonInvalid {
		status.Details = &metav1.StatusDetails{Kind: kind, Name: name}
		for _, c := range r.Causes {
			status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{Type: metav1.CauseType(c.Reason), Field: c.Field, Message: c.Message})
		}
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// ReplaceObjects replaces the responses and the stored objects in the report by those
// of an older release if they differ.
func ReplaceObjects(report *playground.Report, s playground.Scenario, now time.Time, v verdict.Verdict, differences []playground.Difference) {
	documents := objectDocuments(s.Object)
	for i := range min(len(report.Objects), len(v.Objects)) {
		differsHere := slices.ContainsFunc(differences, func(d playground.Difference) bool {
			return d.Document == playground.DocumentObject && d.Object == i && d.Part != playground.PartTable
		})
		if i >= len(documents) || !differsHere && report.Objects[i].Status.Code == v.Objects[i].Code {
			continue
		}
		r := replacement{object: &report.Objects[i], scenario: s, now: now}
		r.replace(v.Objects[i], documents[i])
	}
	if slices.ContainsFunc(differences, func(d playground.Difference) bool {
		return d.Part == playground.PartTable || d.Part == playground.PartVerdict
	}) {
		report.Tables = tables(v.Tables)
	}
}

// objectDocuments returns the documents that the objects of a report belong to.
func objectDocuments(yaml string) []*source.Document {
	file, err := source.Parse(yaml, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return nil
	}
	return file.NonEmpty()
}

// A replacement replaces the verdict on one object.
type replacement struct {
	object   *playground.Object
	scenario playground.Scenario
	now      time.Time
}

func (r replacement) replace(older verdict.Object, document *source.Document) {
	if older.Open {
		return
	}
	err := errorOf(older.Response, r.object.Kind, r.object.Name)
	if err != nil {
		object.Reject(r.object, r.scenario, document, err, older.Warnings)
		return
	}
	object.Accept(r.object, document, older.Code, older.Warnings)
	r.object.Deleted = older.Deleted
	r.object.Stored = r.adopt(older.Stored)
	r.replaceVersions(older)
	r.replaceScales(older)
}

// replaceVersions replaces the object at each served version. It keeps the order of
// the report.
func (r replacement) replaceVersions(older verdict.Object) {
	known := map[string]playground.ObjectVersion{}
	var names []string
	for _, v := range r.object.Versions {
		known[v.Name] = v
		names = append(names, v.Name)
	}
	for name := range older.Versions {
		if _, ok := known[name]; !ok {
			names = append(names, name)
		}
	}
	if len(known) == 0 {
		slices.Sort(names)
	}
	r.object.Versions = []playground.ObjectVersion{}
	for _, name := range names {
		reading, ok := older.Versions[name]
		if !ok {
			continue
		}
		version, ok := known[name]
		if !ok {
			version = playground.ObjectVersion{Name: name, Lost: []string{}, LostSteps: [][]string{}, RoundTrip: []playground.Change{}}
		}
		version.Object, version.Warning, version.Error = r.adopt(reading.Object), reading.Warning, reading.Error
		r.object.Versions = append(r.object.Versions, version)
	}
}

func (r replacement) replaceScales(older verdict.Object) {
	for i := range r.object.Scale {
		scale := &r.object.Scale[i]
		reading, ok := older.Scale[scale.Version]
		if !ok {
			continue
		}
		scale.Status = playground.Status{Code: reading.Code, Reason: reading.Reason, Message: reading.Message}
		if reading.Code != http.StatusOK {
			scale.Scale = json.RawMessage("null")
			continue
		}
		scale.Hint, scale.Scale = "", r.adopt(reading.Scale)
	}
}

// adopt returns an object whose random and volatile metadata are replaced by the
// metadata that the engine gives it.
func (r replacement) adopt(value any) json.RawMessage {
	fields, ok := value.(map[string]any)
	if !ok {
		return json.RawMessage("null")
	}
	metadata := verdict.Metadata(fields)
	own := r.ownMetadata()
	for _, name := range []string{"uid", "resourceVersion"} {
		if _, ok := metadata[name]; ok {
			metadata[name] = own[name]
		}
		if metadata[name] == nil {
			delete(metadata, name)
		}
	}
	if _, ok := metadata["creationTimestamp"]; ok {
		metadata["creationTimestamp"] = r.now.Format(time.RFC3339)
	}
	entries, _ := metadata["managedFields"].([]any)
	for _, entry := range entries {
		if entry, ok := entry.(map[string]any); ok {
			entry["time"] = r.now.Format(time.RFC3339)
		}
	}
	return jsonvalue.Encode(fields)
}

// ownMetadata returns the metadata of the object that the engine validated or read.
func (r replacement) ownMetadata() map[string]any {
	metadata := map[string]any{}
	documents := []json.RawMessage{r.object.Validated, r.object.Stored}
	for _, v := range r.object.Versions {
		documents = append(documents, v.Object)
	}
	for _, document := range documents {
		var object struct {
			Metadata map[string]any `json:"metadata"`
		}
		if json.Unmarshal(document, &object) != nil {
			continue
		}
		maps.Copy(metadata, object.Metadata)
	}
	return metadata
}

// tables returns the tables of a verdict with the output of kubectl.
func tables(older []verdict.Table) []playground.Table {
	out := []playground.Table{}
	for _, t := range older {
		table := playground.Table{Version: t.Version, Columns: t.Columns, Rows: t.Rows}
		table.Get = kubectl.FormatTable(table, false)
		table.Wide = kubectl.FormatTable(table, true)
		out = append(out, table)
	}
	return out
}

// NewRelease returns the row of a release that judged the scenario.
func NewRelease(kubernetes, library string, v verdict.Verdict, differences []playground.Difference) playground.Release {
	crd := releaseVerdict(v.CRD.Response, false)
	row := playground.Release{Kubernetes: kubernetes, Library: library, CRD: &crd, Objects: []playground.ReleaseVerdict{}, Differences: differences}
	for _, o := range v.Objects {
		row.Objects = append(row.Objects, releaseVerdict(o.Response, o.Open))
	}
	return row
}

// NewUnjudgedRelease returns the row of a release that did not judge the scenario.
func NewUnjudgedRelease(kubernetes, reason string) playground.Release {
	return playground.Release{Kubernetes: kubernetes, Unjudged: reason, Objects: []playground.ReleaseVerdict{}, Differences: []playground.Difference{}}
}

func releaseVerdict(r verdict.Response, open bool) playground.ReleaseVerdict {
	r.Message = strings.TrimSpace(r.Message)
	return playground.ReleaseVerdict{Accepted: r.Accepted(), Open: open, Status: statusOf(r), Warnings: nonNil(r.Warnings)}
}
