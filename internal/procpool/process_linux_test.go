package procpool

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// TestPeakMemory exceeds the memory limit in small and in large steps, and reads the
// peak of the child's resident memory from the kernel.
func TestPeakMemory(t *testing.T) {
	for _, text := range []string{"eat", "gulp"} {
		var child *exec.Cmd
		pool := New(func() *exec.Cmd {
			child = testCommand()
			return child
		}, 1)
		if _, err := render(t, pool, text); err == nil {
			t.Errorf("%s: no error", text)
		}
		peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		if peak > MemoryLimit/10*11 {
			t.Errorf("%s: the peak is %d MiB, the limit %d MiB", text, peak>>20, MemoryLimit>>20)
		}
	}
}

func TestChildIsKilledFirst(t *testing.T) {
	pool := newTestPool(t)
	body, err := render(t, pool, "one")
	if err != nil {
		t.Fatal(err)
	}
	if score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", childOf(body))); err != nil || string(score) != "1000\n" {
		t.Errorf("oom_score_adj is %q, %v", score, err)
	}
}

// TestKilledBySystem kills a child like a kernel without free memory, first during a
// request and then idle.
func TestKilledBySystem(t *testing.T) {
	pool := newTestPool(t)
	body, err := render(t, pool, "one")
	if err != nil {
		t.Fatal(err)
	}
	child := childOf(body)
	time.AfterFunc(20*time.Millisecond, func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	if _, err := render(t, pool, "spin"); err == nil || err.Error() != "the evaluation was stopped: the server ran out of memory" {
		t.Errorf("got %v", err)
	}
	if _, err = render(t, pool, "two"); err != nil {
		t.Fatal(err)
	}
	idle := pool.idle[0].command.Process
	if err := idle.Kill(); err != nil {
		t.Fatal(err)
	}
	for !hasExited(idle) {
		runtime.Gosched()
	}
	if _, err = render(t, pool, "three"); err != nil {
		t.Errorf("after the end of an idle child: %v", err)
	}
}
