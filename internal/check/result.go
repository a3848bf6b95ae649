package check

import (
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Result has the verdicts on manifests.
type Result struct {
	// Releases lists the Kubernetes releases that judged.
	Releases []Release `json:"releases"`
	// Documents lists the CRDs, the objects with a CRD and the admission policies, in the order of
	// the input.
	Documents []Document `json:"documents"`
	// Admission is [playground.Scenario.Admission] with which the objects were judged.
	Admission string `json:"-"`
	// WithoutCRD lists the objects whose CRD is missing, and BuiltIn those of the API server's own kinds.
	// Neither are judged.
	WithoutCRD []Object `json:"withoutCRD"`
	BuiltIn    []Object `json:"builtIn"`
	// Packages lists the Go packages from which CRDs were generated.
	Packages []Package `json:"packages"`
	// Skipped lists files that are not manifests.
	Skipped []Skipped `json:"skipped"`
	// Builds lists the kustomizations and charts that were built.
	Builds []manifest.Build `json:"builds"`
	// Problems lists unusable files.
	Problems []Problem `json:"problems"`
}

// A Package is the pattern of Go packages, with the options of controller-gen that their project uses.
type Package struct {
	Pattern     string `json:"pattern"`
	Options     string `json:"options"`
	OptionsFrom string `json:"optionsFrom"`
}

// A Release is a Kubernetes release.
type Release struct {
	// Kubernetes is the minor release, such as "1.37".
	Kubernetes string `json:"kubernetes"`
	// Approximate reports that the libraries of the newest release judged instead of the
	// release's own.
	Approximate bool `json:"approximate"`
}

// An Object identifies an object in a file.
type Object struct {
	Path string `json:"path"`
	// Line is the line of the object's first field, counted from 1.
	Line       int    `json:"line"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// BuiltBy is the file of the kustomization or chart that builds the object; empty for others.
	BuiltBy string `json:"builtBy,omitempty"`
}

// A Skipped file contains no objects.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// A Problem is a file, or a line of a file, that cannot be used.
type Problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Problems returns the problems of inputs.
func Problems(inputs ...*manifest.Input) []Problem {
	var all []Problem
	for _, in := range inputs {
		for _, p := range in.Problems {
			all = append(all, Problem{p.Path, p.Err.Error()})
		}
	}
	return all
}

// A Document is an object with its verdicts.
type Document struct {
	Object
	// CRD is the position of the object's CRD as PATH:LINE; empty for a CRD.
	CRD string `json:"crd"`
	// Verdicts has one entry for each of the releases.
	Verdicts []Verdict `json:"verdicts"`

	source *manifest.Document
}

// Source returns the document of the input; nil for Go packages.
func (d Document) Source() *manifest.Document { return d.source }

// Verdict is the verdict of a release on a document.
type Verdict struct {
	Kubernetes string `json:"kubernetes"`
	Accepted   bool   `json:"accepted"`
	// Approximate reports that the libraries of the newest release judged instead of the
	// release's own. The document then does not count as accepted.
	Approximate bool `json:"approximate,omitempty"`
	// Unknown is the reason why the verdict is not known; otherwise empty.
	Unknown string            `json:"unknown"`
	Status  playground.Status `json:"status"`
	// Output is the output of kubectl.
	Output   string             `json:"output"`
	Findings []manifest.Finding `json:"findings"`
	// Cost is the cost of the rules in CEL cost units: estimated for a CRD, and actual for
	// an object.
	Cost      uint64 `json:"cost"`
	CostLimit uint64 `json:"costLimit"`
}

// DropNotes removes crdlab's own notes.
func (r *Result) DropNotes() {
	for _, d := range r.Documents {
		for i := range d.Verdicts {
			d.Verdicts[i].Findings = slices.DeleteFunc(d.Verdicts[i].Findings, func(f manifest.Finding) bool { return f.Reason == playground.ReasonNote })
		}
	}
}

// CRDOf returns the CRD of an object, or nil for a CRD.
func (r *Result) CRDOf(d Document) *Document {
	for i, crd := range r.Documents {
		if d.CRD != "" && crd.CRD == "" && crd.position() == d.CRD {
			return &r.Documents[i]
		}
	}
	return nil
}

// position returns the position of an object as PATH:LINE.
func (o Object) position() string { return fmt.Sprintf("%s:%d", o.Path, o.Line) }

// Counts has the number of documents for each outcome. A document counts once, for the worst
// of its verdicts.
type Counts struct{ Accepted, Rejected, Unknown int }

// Count counts the documents. A document is rejected if a release rejects it, and otherwise
// unknown if a release does not judge it, or judges it approximately.
func (r *Result) Count() Counts {
	var c Counts
	for _, d := range r.Documents {
		switch {
		case slices.ContainsFunc(d.Verdicts, Verdict.Rejects):
			c.Rejected++
		case slices.ContainsFunc(d.Verdicts, func(v Verdict) bool { return v.Unknown != "" || v.Approximate }):
			c.Unknown++
		default:
			c.Accepted++
		}
	}
	return c
}

// Rejects reports whether the release rejects the document.
func (v Verdict) Rejects() bool { return !v.Accepted && v.Unknown == "" }

func objectOf(d *manifest.Document) Object {
	place := manifest.Place{File: d.File, Range: playground.Range{Start: playground.Position{Line: d.Line}}}
	switch {
	case d.BuiltBy != "":
		place = d.Place(d.At("kind"))
	case d.IsGenerated():
		place = d.Place(d.At("spec", "versions"))
	}
	return Object{place.Path(), place.Line(), d.APIVersion, d.Kind.Kind, d.Namespace, d.Name, d.BuiltBy}
}
