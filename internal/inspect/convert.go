package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Reading is a stored object as the API server returns it at a version.
type Reading struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Object is null if the version cannot be read; Error then has the reason.
	Object map[string]any `json:"object"`
	Error  string         `json:"error"`
	// Warning is the deprecation warning of the version, or empty.
	Warning string `json:"warning"`
	// Lost lists the stored fields that the version lacks.
	Lost []string `json:"lost"`
	// RoundTrip lists the changes to the stored object if a client reads it at this version
	// and writes it back.
	RoundTrip []Change `json:"roundTrip"`
}

// A Change is a change to a stored object, see [playground.Change].
type Change struct {
	Op    playground.ChangeOp `json:"op"`
	Path  string              `json:"path"`
	Value json.RawMessage     `json:"value"`
}

// Readings returns the accepted objects of a subject at a version; an empty version means
// all served versions.
func Readings(s Subject, version string) []Reading {
	var all []Reading
	for i, o := range s.Report.Objects {
		for _, v := range o.Versions {
			if version != "" && !selects(version, v.Name, 0) {
				continue
			}
			d := s.Objects[i]
			r := Reading{
				Path: d.File.Path, Line: d.Line + 1, Kind: o.Kind, Name: o.Name, Version: v.Name,
				Object: withoutOwners(v.Object), Error: v.Error, Warning: v.Warning, Lost: append([]string{}, v.Lost...), RoundTrip: []Change{},
			}
			for _, c := range v.RoundTrip {
				r.RoundTrip = append(r.RoundTrip, Change{c.Op, c.Path, c.Value})
			}
			all = append(all, r)
		}
	}
	return all
}

// withoutOwners returns an object without managedFields, as kubectl prints it.
func withoutOwners(text json.RawMessage) map[string]any {
	object := &unstructured.Unstructured{}
	if object.UnmarshalJSON(text) != nil {
		return nil // the version cannot be read
	}
	object.SetManagedFields(nil)
	return object.Object
}

// changeWords maps the operations of changes to the words of the output.
var changeWords = map[playground.ChangeOp]string{
	playground.ChangeAdd: "added", playground.ChangeRemove: "lost", playground.ChangeReplace: "changed",
}

// roundTrip describes the changes after a write-back.
func (r Reading) roundTrip() []string {
	var all []string
	for _, c := range r.RoundTrip {
		change := changeWords[c.Op] + " " + c.Path
		if c.Op != playground.ChangeRemove {
			change += " to " + string(c.Value)
		}
		all = append(all, change)
	}
	return all
}

// WriteText writes the object as a YAML document that begins with comments about the
// conversion.
func (r Reading) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "---\n# %s:%d: %s %q at version %s\n", r.Path, r.Line, r.Kind, r.Name, r.Version)
	if r.Warning != "" {
		fmt.Fprintf(w, "# Warning: %s\n", oneLine(r.Warning))
	}
	if r.Error != "" {
		_, err := fmt.Fprintf(w, "# cannot be read: %s\n", oneLine(r.Error))
		return err
	}
	if len(r.Lost) > 0 {
		fmt.Fprintf(w, "# not in this version: %s\n", strings.Join(r.Lost, ", "))
	}
	if len(r.RoundTrip) > 0 {
		fmt.Fprintf(w, "# after write-back: %s\n", strings.Join(r.roundTrip(), ", "))
	}
	text, err := yaml.Marshal(r.Object)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
