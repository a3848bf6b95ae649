// Package inspect formats the content of the page's panels for manifests: for people, and as
// values for JSON and YAML.
package inspect

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Subject is a CRD with the objects of its kind, and the report on them.
type Subject struct {
	check.Group
	Report playground.Report
}

// A CRD identifies the CRD of a result. Line is counted from 1.
type CRD struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Name string `json:"name"`
}

// A TooManyError reports more objects of a CRD than a scenario may have.
type TooManyError struct {
	CRD     CRD
	Objects int
}

// MaxObjects is the number of objects that a scenario may have.
const MaxObjects = 100

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%s:%d: the CRD has %d objects in these paths; name at most %d", e.CRD.Path, e.CRD.Line, e.Objects, MaxObjects)
}

// Reports evaluates each group in a scenario that starts as template, which has neither
// CRD nor objects. The error is a [TooManyError], or from evaluate.
func Reports(ctx context.Context, evaluate playground.Evaluate, groups []check.Group, template playground.Scenario) ([]Subject, error) {
	var subjects []Subject
	for _, group := range groups {
		subject := Subject{Group: group}
		if n := len(group.Objects); n > MaxObjects {
			return nil, &TooManyError{subject.crd(), n}
		}
		report, err := reportOn(ctx, evaluate, group, template)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", group.CRD.File.Path, group.CRD.Line+1, err)
		}
		subject.Report = report
		subjects = append(subjects, subject)
	}
	return subjects, nil
}

// reportOn evaluates a group. Unless the template has an operation, objects from a cluster are in the
// cluster as they are, and the others are created.
func reportOn(ctx context.Context, evaluate playground.Evaluate, group check.Group, template playground.Scenario) (playground.Report, error) {
	var created, stored []*manifest.Document
	for _, d := range group.Objects {
		if template.Operation == "" && isStored(d) {
			stored = append(stored, d)
		} else {
			created = append(created, d)
		}
	}
	if len(stored) == 0 {
		return evaluate(ctx, Scenario(group, template))
	}
	update := Scenario(check.Group{CRD: group.CRD, Objects: stored}, template)
	update.OldObject = update.Object
	report, err := evaluate(ctx, update)
	if err != nil || len(created) == 0 || !report.CRD.Accepted {
		return report, err
	}
	creation, err := evaluate(ctx, Scenario(check.Group{CRD: group.CRD, Objects: created}, template))
	if err != nil {
		return report, err
	}
	var all []playground.Object
	for _, d := range group.Objects {
		from := &creation.Objects
		if isStored(d) {
			from = &report.Objects
		}
		all, *from = append(all, (*from)[0]), (*from)[1:]
	}
	report.Objects = all
	return report, nil
}

// isStored reports whether an object is as a cluster stores it: it has a status or a UID, or the
// comment that marks stored objects in tests.
func isStored(d *manifest.Document) bool {
	return d.Has("status") || d.Has("metadata", "uid") || storedComment.MatchString(d.Text)
}

var storedComment = regexp.MustCompile(`(?m)^# crdlab: stored$`)

// Scenario returns a template with the CRD and the objects of a group.
func Scenario(group check.Group, template playground.Scenario) playground.Scenario {
	template.CRD = group.CRD.Text
	template.Object = Join(group.Objects)
	return template
}

// Join returns documents as one document of a scenario.
func Join(documents []*manifest.Document) string {
	var texts []string
	for _, d := range documents {
		texts = append(texts, strings.TrimRight(d.Text, "\r\n"))
	}
	return strings.Join(texts, "\n---\n")
}

func (s Subject) crd() CRD {
	return CRD{s.CRD.File.Path, s.CRD.Line + 1, s.CRD.Name}
}

// Rejected returns sentences, with their places, about the documents that the API server does
// not certainly accept. The objects of a rejected CRD are not listed.
func (s Subject) Rejected() []string {
	if !s.Report.CRD.Accepted {
		return []string{rejection(s.CRD)}
	}
	var all []string
	for i, o := range s.Report.Objects {
		switch d := s.Objects[i]; {
		case len(o.DependsOn) > 0:
			all = append(all, fmt.Sprintf("%s:%d: the %s depends on %s, whose response is not known", d.File.Path, d.Line+1, named(d), strings.Join(o.DependsOn, " and ")))
		case !o.Accepted:
			all = append(all, rejection(d))
		}
	}
	return all
}

func rejection(d *manifest.Document) string {
	return fmt.Sprintf(`%s:%d: the API server rejects the %s; "crdlab check" lists the errors`, d.File.Path, d.Line+1, named(d))
}

// named returns the kind and the name of an object.
func named(d *manifest.Document) string { return strings.TrimSpace(d.Kind.Kind + " " + d.Name) }

// selects reports whether a version is selected: by its name, or if the selection is empty
// by its position in the order of priority.
func selects(selected, version string, index int) bool {
	if selected == "" {
		return index == 0
	}
	return selected == version || selected == AllVersions
}

// AllVersions selects each served version.
const AllVersions = "all"
