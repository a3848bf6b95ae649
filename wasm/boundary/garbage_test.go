//go:build js && wasm

package boundary

import (
	"runtime"
	"runtime/debug"
	"testing"
)

var sink []byte

func TestRest(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(minPercent))
	garbage := &collector{}
	garbage.collect()
	// Half of the headroom is garbage, so that only rest collects it.
	for _, step := range []struct {
		name             string
		allocate, cycles uint32
	}{
		{"little garbage", minGarbage / 4, 0},
		{"much garbage", headroom / 2, 1},
		{"no garbage", 0, 0},
	} {
		before := cycles()
		for range step.allocate >> 20 {
			sink = make([]byte, 1<<20)
		}
		garbage.rest()
		if got := cycles() - before; got != step.cycles {
			t.Errorf("%s: %d collections, want %d", step.name, got, step.cycles)
		}
	}
}

func cycles() uint32 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.NumGC
}
