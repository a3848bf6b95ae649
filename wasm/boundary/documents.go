//go:build js && wasm

package boundary

import (
	"syscall/js"

	"github.com/crdlab/crdlab/internal/playground"
)

// documents are the texts of the last request by name: of one that is the same in
// the next request no copy is made.
type documents map[string]document

// document is a string of JavaScript and its copy.
type document struct {
	value js.Value
	text  string
}

// read sets the texts of a scenario that are in an object of JavaScript.
func (d documents) read(texts js.Value, into *playground.Scenario) {
	if texts.Type() != js.TypeObject {
		return
	}
	names := js.Global().Get("Object").Call("keys", texts)
	for i := range names.Length() {
		name := names.Index(i).String()
		if text := into.Text(playground.Document(name)); text != nil {
			*text = d.copy(name, texts.Get(name))
		}
	}
}

func (d documents) copy(name string, value js.Value) string {
	known := d[name]
	if !known.value.Equal(value) {
		known = document{value, value.String()}
		d[name] = known
	}
	return known.text
}
