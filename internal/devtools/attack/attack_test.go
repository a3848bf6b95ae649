//go:build linux

package attack

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

var (
	serverFlag = flag.String("server", "", "attack the server in this `file`")
	tableFlag  = flag.String("table", "", "also write the table to this `file`")
)

// TestMain attacks nothing without a server: "make attack" builds it.
func TestMain(m *testing.M) {
	flag.Parse()
	if *serverFlag == "" {
		fmt.Println("no server to attack: see make attack")
		return
	}
	start := time.Now()
	code := m.Run()
	if err := results.print(*tableFlag, time.Since(start)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// attacks lists all attacks in the order of the table. Each starts a server of its
// own with the default settings.
var attacks = []struct {
	name string
	run  func(*testing.T)
}{
	{"memory", attackMemory},
	{"deadlock", attackDeadlock},
	{"large response", attackLargeResponse},
	{"unread responses", attackUnreadResponses},
	{"costly evaluations", attackCostly},
	{"waiting requests", attackWaiting},
	{"quick requests", attackQuick},
	{"slow readers", attackSlowReaders},
	{"slow writers", attackSlowWriters},
	{"stalled bodies", attackStalledBodies},
	{"pages of links", attackSharedPages},
	{"frames of links", attackEmbeds},
	{"panels", attackPanels},
	{"fair division", attackDivision},
	{"child processes", attackChildren},
	{"full store", attackFullStore},
	{"full disk", attackFullDisk},
	{"damaged file", attackDamagedFile},
	{"kills", attackKills},
	{"database outage", attackDatabase},
	{"every attack", checkEveryAttack},
}

// TestAttacks runs all attacks. With -short, each is brief.
func TestAttacks(t *testing.T) {
	t.Logf("%d CPUs, %s", runtime.NumCPU(), container.String())
	for _, a := range attacks {
		t.Run(a.name, a.run)
	}
}

// briefly returns the first duration with -short and the second one without.
func briefly(short, complete time.Duration) time.Duration {
	if testing.Short() {
		return short
	}
	return complete
}
