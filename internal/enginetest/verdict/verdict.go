// Package verdict holds what the engine's reports and the answers of an API
// server are compared by. Tests and the conformance program use it; the product
// does not.
package verdict

import (
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Verdict is the outcome of a scenario.
type Verdict struct {
	CRD CRD `json:"crd"`
	// Objects has one entry for each document; none if the CRD is refused.
	Objects []Object `json:"objects,omitempty"`
	// Tables are those of the accepted objects at each served version at which
	// all of them can be read; none if one of them is open.
	Tables []Table `json:"tables,omitempty"`
}

// Response is what the response to a request says apart from the object.
type Response struct {
	Code     int      `json:"code"`
	Reason   string   `json:"reason,omitempty"`
	Message  string   `json:"message,omitempty"`
	Causes   []Cause  `json:"causes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Cause is one of the causes of a refusal with reason Invalid.
type Cause struct {
	Reason  string `json:"reason,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message,omitempty"`
}

// Accepted says whether the request was.
func (a Response) Accepted() bool { return a.Code >= 200 && a.Code < 300 }

// CRD is the answer to the CRD's request and, if it is accepted, what the
// controllers make of it.
type CRD struct {
	Response
	// Conditions are nil if nobody knows them: the handlers alone set none.
	Conditions     []playground.Condition `json:"conditions,omitempty"`
	StoredVersions []string               `json:"storedVersions,omitempty"`
	Names          *playground.Names      `json:"names,omitempty"`
}

// Object is the answer to an object's request and, if it is accepted, what is
// stored and what is read back.
type Object struct {
	Response
	// Open says that the answer hangs on a conversion webhook that nothing
	// stands for, and where nothing is stored what is stored, too.
	Open   bool `json:"open,omitempty"`
	Stored any  `json:"stored,omitempty"`
	// Deleted says that the object is gone after the request.
	Deleted bool `json:"deleted,omitempty"`
	// Returned is the object in the answer itself; nil if it is gone,
	// or if the answer is a Scale.
	Returned any `json:"returned,omitempty"`
	// Versions is what a GET request returns, by served version.
	Versions map[string]Reading `json:"versions,omitempty"`
	// Scale is the answer to GET …/scale, by served version; none unless one of
	// them has the scale subresource.
	Scale map[string]Scale `json:"scale,omitempty"`
}

// Scale is the answer to a request for an object's scale.
type Scale struct {
	Response
	// Scale is the autoscaling/v1 Scale, if there is one.
	Scale any `json:"scale,omitempty"`
}

// Reading is an object as one version returns it.
type Reading struct {
	Object  any    `json:"object,omitempty"`
	Warning string `json:"warning,omitempty"`
	// Error is the message if the version cannot be read.
	Error string `json:"error,omitempty"`
}

// Table is what the API server answers to `kubectl get`.
type Table struct {
	Version string              `json:"version"`
	Columns []playground.Column `json:"columns"`
	Rows    [][]any             `json:"rows"`
}

// Of is the verdict that a report gives.
func Of(report playground.Report) Verdict {
	v := Verdict{CRD: CRD{Response: responseOf(report.CRD.Status, report.CRD.Findings, report.CRD.Warnings)}}
	if !report.CRD.Accepted {
		return v
	}
	v.CRD.Conditions = report.CRD.Conditions
	v.CRD.StoredVersions = report.CRD.StoredVersions
	v.CRD.Names = &report.CRD.Names
	for _, object := range report.Objects {
		v.Objects = append(v.Objects, objectOf(object))
	}
	for _, t := range report.Tables {
		if readable(report.Objects, t.Version) {
			v.Tables = append(v.Tables, Table{Version: t.Version, Columns: t.Columns, Rows: t.Rows})
		}
	}
	return v
}

func responseOf(status playground.Status, findings []playground.Finding, warnings []string) Response {
	a := Response{Code: status.Code, Reason: status.Reason, Message: status.Message, Warnings: warnings}
	if status.Reason != "Invalid" {
		return a
	}
	for _, f := range findings {
		if f.Severity == playground.SeverityError {
			a.Causes = append(a.Causes, Cause{Reason: f.Reason, Field: f.Field, Message: f.Message})
		}
	}
	return a
}

func objectOf(object playground.Object) Object {
	o := Object{Response: responseOf(object.Status, object.Findings, object.Warnings)}
	if !object.Accepted {
		return o
	}
	if object.Deleted {
		o.Deleted = true
		return o
	}
	o.Open = !isStored(object)
	o.Versions = map[string]Reading{}
	for _, v := range object.Versions {
		if v.Cause == playground.CauseUnansweredWebhook {
			o.Open = o.Open || strings.HasSuffix(object.APIVersion, "/"+v.Name)
			continue
		}
		o.Versions[v.Name] = Reading{Object: v.Object, Warning: v.Warning, Error: v.Error}
		if strings.HasSuffix(object.APIVersion, "/"+v.Name) && object.Operation != playground.OperationScale {
			o.Returned = v.Object
		}
	}
	if isStored(object) {
		o.Stored = object.Stored
	}
	for _, scale := range object.Scale {
		if scale.Cause == playground.CauseUnansweredWebhook {
			continue
		}
		if o.Scale == nil {
			o.Scale = map[string]Scale{}
		}
		o.Scale[scale.Version] = Scale{Response: responseOf(scale.Status, nil, nil), Scale: scale.Scale}
	}
	return o
}

// isStored says whether it is known what is stored; reports as JSON have null.
func isStored(object playground.Object) bool {
	return len(object.Stored) > 0 && string(object.Stored) != "null"
}

// readable says whether all accepted objects can be read at a version.
func readable(objects []playground.Object, version string) bool {
	for _, object := range objects {
		if object.Accepted && !isStored(object) && !object.Deleted {
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

// Limited says whether a limit of the playground kept the engine from asking
// the API server's code, which then knows no such limit.
func Limited(report playground.Report) bool {
	limited := func(findings []playground.Finding) bool {
		for _, f := range findings {
			if f.Reason == playground.ReasonLimit {
				return true
			}
		}
		return false
	}
	for _, object := range report.Objects {
		if limited(object.Findings) {
			return true
		}
	}
	return limited(report.CRD.Findings)
}
