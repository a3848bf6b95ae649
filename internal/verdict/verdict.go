// Package verdict compares reports of the engine with responses of an API server.
// Both are converted to a [Verdict].
package verdict

import (
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Verdict is the outcome of a scenario.
type Verdict struct {
	CRD CRD `json:"crd"`
	// Objects has one entry for each document. It is empty if the CRD is
	// rejected.
	Objects []Object `json:"objects,omitempty"`
	// Tables holds the table of the accepted objects at each served version at
	// which all of them can be read. It is empty if the verdict on an object is
	// open.
	Tables []Table `json:"tables,omitempty"`
}

// A Response is the response to a request, without the object.
type Response struct {
	Code     int      `json:"code"`
	Reason   string   `json:"reason,omitempty"`
	Message  string   `json:"message,omitempty"`
	Causes   []Cause  `json:"causes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// A Cause describes one error of a status with reason Invalid.
type Cause struct {
	Reason  string `json:"reason,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message,omitempty"`
}

// Accepted reports whether the request succeeded.
func (r Response) Accepted() bool { return r.Code >= 200 && r.Code < 300 }

// A CRD is the response to the CRD's request and, if it is accepted, the status
// that the controllers set.
type CRD struct {
	Response
	// Conditions is nil if no controllers ran.
	Conditions     []playground.Condition `json:"conditions,omitempty"`
	StoredVersions []string               `json:"storedVersions,omitempty"`
	Names          *playground.Names      `json:"names,omitempty"`
	// Stored is the CRD in the response; nil unless the scenario has CRDStored. Its status
	// does not count, because the controllers change it.
	Stored any `json:"stored,omitempty"`
}

// An Object is the response to an object's request and, if it is accepted, the
// stored object with its readings.
type Object struct {
	Response
	// Open reports that the response depends on a conversion webhook for which
	// the scenario has no response. If Stored is nil, the stored object depends
	// on it, too.
	Open bool `json:"open,omitempty"`
	// Stored is the object as it is persisted.
	Stored any `json:"stored,omitempty"`
	// Deleted reports that the object no longer exists after the request.
	Deleted bool `json:"deleted,omitempty"`
	// Returned is the object in the response; nil if it is deleted, or if the
	// response is a Scale.
	Returned any `json:"returned,omitempty"`
	// Versions maps each served version to the response to a GET request.
	Versions map[string]Reading `json:"versions,omitempty"`
	// Scale maps each served version to the response to GET …/scale. It is empty
	// unless a served version has the scale subresource.
	Scale map[string]Scale `json:"scale,omitempty"`
}

// A Scale is the response to a request for an object's scale.
type Scale struct {
	Response
	// Scale is the autoscaling/v1 Scale; nil if the request fails.
	Scale any `json:"scale,omitempty"`
}

// A Reading is the object that a served version returns.
type Reading struct {
	Object  any    `json:"object,omitempty"`
	Warning string `json:"warning,omitempty"`
	// Error is the message if the request fails.
	Error string `json:"error,omitempty"`
}

// A Table is the response to `kubectl get`.
type Table struct {
	Version string              `json:"version"`
	Columns []playground.Column `json:"columns"`
	Rows    [][]any             `json:"rows"`
}

// Of converts a report to a verdict.
func Of(report playground.Report) Verdict {
	v := Verdict{CRD: CRD{Response: responseOf(report.CRD.Status, report.CRD.Findings, report.CRD.Warnings)}}
	if !report.CRD.Accepted {
		return v
	}
	v.CRD.Conditions = report.CRD.Conditions
	v.CRD.StoredVersions = report.CRD.StoredVersions
	v.CRD.Names = &report.CRD.Names
	if len(report.CRD.Stored) > 0 {
		v.CRD.Stored = report.CRD.Stored
	}
	for _, object := range report.Objects {
		v.Objects = append(v.Objects, objectOf(object))
	}
	for _, t := range report.Tables {
		if isReadable(report.Objects, t.Version) {
			v.Tables = append(v.Tables, Table{Version: t.Version, Columns: t.Columns, Rows: t.Rows})
		}
	}
	return v
}

func responseOf(status playground.Status, findings []playground.Finding, warnings []string) Response {
	r := Response{Code: status.Code, Reason: status.Reason, Message: status.Message, Warnings: warnings}
	if status.Reason != "Invalid" {
		return r
	}
	for _, f := range findings {
		if f.Severity == playground.SeverityError {
			r.Causes = append(r.Causes, Cause{Reason: f.Reason, Field: f.Field, Message: f.Message})
		}
	}
	return r
}

func objectOf(object playground.Object) Object {
	o := Object{Response: responseOf(object.Status, object.Findings, object.Warnings)}
	if !object.Accepted {
		o.Open = len(object.DependsOn) > 0
		return o
	}
	if object.Deleted {
		o.Deleted = true
		return o
	}
	o.Open = !isStored(object)
	if isStored(object) {
		o.Stored = object.Stored
	}
	o.addVersions(object)
	o.addScales(object.Scale)
	return o
}

func (o *Object) addVersions(object playground.Object) {
	o.Versions = map[string]Reading{}
	for _, v := range object.Versions {
		isRequested := strings.HasSuffix(object.APIVersion, "/"+v.Name)
		if v.Cause == playground.CauseUnansweredWebhook {
			o.Open = o.Open || isRequested
			continue
		}
		reading := Reading{Warning: v.Warning, Error: v.Error}
		if v.Error == "" {
			reading.Object = v.Object
		}
		o.Versions[v.Name] = reading
		if isRequested && object.Operation != playground.OperationScale {
			o.Returned = v.Object
		}
	}
}

func (o *Object) addScales(scales []playground.Scale) {
	for _, scale := range scales {
		if scale.Cause == playground.CauseUnansweredWebhook {
			continue
		}
		if o.Scale == nil {
			o.Scale = map[string]Scale{}
		}
		o.Scale[scale.Version] = Scale{Response: responseOf(scale.Status, nil, nil), Scale: scale.Scale}
	}
}

// isStored reports whether the report has the stored object. In a report decoded
// from JSON, an absent object is null.
func isStored(object playground.Object) bool {
	return len(object.Stored) > 0 && string(object.Stored) != "null"
}

// isReadable reports whether all accepted objects can be read at a version.
func isReadable(objects []playground.Object, version string) bool {
	for _, object := range objects {
		if object.Accepted && !isStored(object) && !object.Deleted || !object.Accepted && len(object.DependsOn) > 0 {
			return false
		}
		for _, v := range object.Versions {
			if v.Name == version && v.Error != "" {
				return false
			}
		}
	}
	return true
}

// IsLimited reports whether a limit of the playground ended the evaluation before
// it reached the API server's code, which has no such limit.
func IsLimited(report playground.Report) bool {
	exceedsLimit := func(f playground.Finding) bool { return f.Reason == playground.ReasonLimit }
	for _, object := range report.Objects {
		if slices.ContainsFunc(object.Findings, exceedsLimit) {
			return true
		}
	}
	return slices.ContainsFunc(report.CRD.Findings, exceedsLimit)
}
