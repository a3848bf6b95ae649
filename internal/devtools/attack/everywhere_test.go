//go:build linux

package attack

import (
	"fmt"
	"path"
	"sync"
	"testing"
	"time"
)

// extremes holds the worst measurement of all attacks.
type extremes struct {
	mu               sync.Mutex
	server, child    worst
	container        worst
	oomKills         int
	probes, failures int
	failure          string
	slowest          time.Duration
	servers          int
}

// worst is the largest value of a figure and its attack.
type worst struct {
	value  int64
	attack string
}

func (w *worst) add(value int64, attack string) {
	if value > w.value {
		*w = worst{value, path.Base(attack)}
	}
}

// everywhere collects the measurements of all servers.
var everywhere extremes

// add records the measurements of a server at the end of its test.
func (e *extremes) add(attack string, s *server) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.servers++
	resident, child := s.memory.peaks()
	e.server.add(resident, attack)
	e.child.add(child, attack)
	if s.group != nil {
		peak, kills := s.group.usage()
		e.container.add(peak>>20, attack)
		e.oomKills += kills
	}
	if r := s.readiness; r != nil {
		e.probes += r.probes
		e.failures += r.failures
		e.slowest = max(e.slowest, r.slowest)
		if r.failures > 0 {
			e.failure = fmt.Sprintf(", in %s: %.100s", path.Base(attack), r.failure)
		}
	}
}

// checkEveryAttack reports the worst figures of the attacks before it.
func checkEveryAttack(t *testing.T) {
	e := &everywhere
	report(t, "server memory in every attack", fmt.Sprintf("≤ %d MiB", maxServer), e.server.value <= maxServer, "%d MiB (%s)", e.server.value, e.server.attack)
	report(t, "memory of a child in every attack", fmt.Sprintf("≤ %d MiB", maxChild), e.child.value <= maxChild, "%d MiB (%s)", e.child.value, e.child.attack)
	report(t, "/readyz in every attack", "status 200 within the probe's 10 s", e.failures == 0, "%d of %d probes failed, slowest %s%s", e.failures, e.probes, milliseconds(e.slowest), e.failure)
	if container.root == "" {
		skip(t, "container of 4 GiB in every attack", "the kernel kills nothing", container.String())
	}
	report(t, "container of 4 GiB in every attack", "the kernel kills nothing", e.oomKills == 0, "%d killed processes, peak %d MiB (%s)", e.oomKills, e.container.value, e.container.attack)
}
