package object

import (
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// A change is a changed value of the object, with the reason for the change.
type change struct {
	jsonvalue.Change
	cause   playground.ChangeCause
	because string
}

// explainChanges returns the changes between two states of an object, all with the same
// cause. because returns the reason for each of them.
func explainChanges(before, after any, cause playground.ChangeCause, because func(jsonvalue.Change) string) []change {
	found := jsonvalue.Diff(before, after, nil)
	changes := make([]change, len(found))
	for i, c := range found {
		changes[i] = change{c, cause, because(c)}
	}
	return changes
}

func describeSchemaPath(path crdschema.Path) string {
	if len(path) == 0 {
		return "its root"
	}
	return path.String()
}
