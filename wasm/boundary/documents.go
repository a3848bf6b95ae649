//go:build js && wasm

package boundary

import (
	"syscall/js"

	"github.com/crdlab/crdlab/internal/playground"
)

// documents caches the documents of the last request by name, because copying
// strings from JavaScript is expensive.
type documents map[string]document

// document is a JavaScript string and its copy.
type document struct {
	value js.Value
	copy  string
}

// read sets the documents of a scenario from the properties of a JavaScript object.
func (d documents) read(sources js.Value, into *playground.Scenario) {
	if sources.Type() != js.TypeObject {
		return
	}
	names := js.Global().Get("Object").Call("keys", sources)
	for i := range names.Length() {
		name := names.Index(i).String()
		if source := into.Text(playground.Document(name)); source != nil {
			*source = d.get(name, sources.Get(name))
		}
	}
}

// get returns a copy of value. It reuses the last copy if the string is unchanged.
func (d documents) get(name string, value js.Value) string {
	known := d[name]
	if !known.value.Equal(value) {
		known = document{value, value.String()}
		d[name] = known
	}
	return known.copy
}
