package inspect

import (
	"fmt"
	"io"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
)

// A StoredCRD is a CRD as the API server returns it after a create.
type StoredCRD struct {
	CRD CRD `json:"crd"`
	// Object has no managedFields and no status, which the controllers set.
	Object map[string]any `json:"object"`
	// Changes lists the differences from the document.
	Changes []ExplainedChange `json:"changes"`
}

// An ExplainedChange is a change with its reason.
type ExplainedChange struct {
	Change
	Because string `json:"because"`
}

// Stored returns the CRD of a subject as stored, or nothing if it is rejected. The scenario must
// have CRDStored.
func Stored(s Subject) []StoredCRD {
	object := withoutOwners(s.Report.CRD.Stored)
	if object == nil {
		return nil
	}
	delete(object, "status")
	stored := StoredCRD{s.crd(), object, []ExplainedChange{}}
	for _, c := range s.Report.CRD.StoredChanges {
		stored.Changes = append(stored.Changes, ExplainedChange{Change{c.Op, c.Path, c.Value}, c.Because})
	}
	return []StoredCRD{stored}
}

// storedWords maps the operations of changes to the words of the output.
var storedWords = map[playground.ChangeOp]string{
	playground.ChangeAdd: "added", playground.ChangeRemove: "dropped", playground.ChangeReplace: "changed",
}

// WriteText writes the CRD as a YAML document that begins with comments about the changes.
func (s StoredCRD) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "---\n# %s:%d: CustomResourceDefinition %q as stored\n", s.CRD.Path, s.CRD.Line, s.CRD.Name)
	for _, c := range s.Changes {
		fmt.Fprintf(w, "# %s %s %s: %s\n", storedWords[c.Op], c.Path, c.Value, c.Because)
	}
	text, err := yaml.Marshal(s.Object)
	if err != nil {
		return fmt.Errorf("encode the CRD: %w", err)
	}
	_, err = w.Write(text)
	return err
}
