//go:build js && wasm

package boundary

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is the memory that the program may allocate between two collections, in bytes.
// The page collects garbage while it is idle, so that a collection rarely delays a
// keystroke.
const headroom = 96 << 20

// minGarbage is the smallest allocation that is worth a collection in an idle page, in bytes.
const minGarbage = 16 << 20

// usualMemory is the memory in bytes at which the garbage collector runs more often, unless the
// live heap is large. The program ends at the module's maximum, see MODULE_MEMORY in the
// Makefile.
const usualMemory = 320 << 20

// minPercent saves about a fifth of the time if the live heap is large.
const minPercent = 200

// A collector collects garbage while the page is idle.
type collector struct{ allocated uint64 } // at the last collection, in bytes since the start

// rest collects garbage if the program has allocated much since the last call that did.
func (c *collector) rest() {
	if readBytes("/gc/heap/allocs:bytes")-c.allocated < minGarbage {
		return
	}
	c.collect()
}

func (c *collector) collect() {
	runtime.GC()
	c.allocated = readBytes("/gc/heap/allocs:bytes")
	live := liveHeap()
	debug.SetGCPercent(int(max(minPercent, headroom*100/max(live, 1))))
	// Near this limit, the collector would use half of the time.
	debug.SetMemoryLimit(int64(max(usualMemory, 2*live)))
}

// liveHeap returns the size of the heap that the last collection left, in bytes.
func liveHeap() uint64 { return readBytes("/gc/heap/live:bytes") }

func readBytes(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
