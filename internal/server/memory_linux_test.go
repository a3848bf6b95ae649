package server

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// TestMemoryOfEvaluation evaluates a rule that builds a string of gigabytes in one call
// of a library function, during which the process can check nothing. The kernel reports
// the peak of the process.
func TestMemoryOfEvaluation(t *testing.T) {
	var child *exec.Cmd
	pool := procpool.New(func() *exec.Cmd {
		child = testChild()
		return child
	}, 1)
	defer pool.Close()
	scenario, err := json.Marshal(playground.Scenario{
		CRD:    thing("s: {type: string, maxLength: 6000}", "self.s.replace('', self.s.replace('', self.s.substring(0,120))).size() >= 0"),
		Object: ofThing("s: " + strings.Repeat("x", 6000)),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = pool.Render(t.Context(), playground.Request{Task: playground.TaskReport, Body: scenario})
	if _, ok := errors.AsType[*playground.StoppedError](err); !ok {
		t.Fatalf("got %v", err)
	}
	const mebibyte = 1 << 10 // the kernel counts KiB
	if peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > procpool.MemoryLimit>>10/10*11 {
		t.Errorf("the peak is %d MiB", peak/mebibyte)
	} else {
		t.Logf("the peak is %d MiB", peak/mebibyte)
	}
}
