//go:build linux

package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// containerMemory is the memory in bytes of the container in docs/security.md.
const containerMemory = 4 << 30

// hierarchy names the files of one version of Linux's memory control groups.
type hierarchy struct {
	root, limit, peak, events string
}

var hierarchies = []hierarchy{
	{"/sys/fs/cgroup", "memory.max", "memory.peak", "memory.events"},
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"},
}

// container is the hierarchy of this machine; its root is empty if this process
// may not limit the memory of another one.
var container = usableHierarchy()

func usableHierarchy() hierarchy {
	for _, h := range hierarchies {
		group, err := os.MkdirTemp(h.root, "crdlab-attack-")
		if err != nil {
			continue
		}
		err = os.WriteFile(filepath.Join(group, h.limit), []byte(strconv.Itoa(containerMemory)), 0)
		if removed := os.Remove(group); err == nil && removed == nil {
			return h
		}
	}
	return hierarchy{}
}

func (h hierarchy) String() string {
	if h.root == "" {
		return "no memory limit: this user may not create control groups"
	}
	return fmt.Sprintf("each server in a control group of %d GiB", containerMemory>>30)
}

// group is the control group of one server.
type group struct {
	hierarchy
	directory string
}

// newGroup creates a control group that is removed at the end of the test. It
// returns nil if that is impossible.
func newGroup(t *testing.T) *group {
	t.Helper()
	if container.root == "" {
		return nil
	}
	directory, err := os.MkdirTemp(container.root, "crdlab-attack-")
	if err != nil {
		t.Fatal(err)
	}
	g := &group{container, directory}
	t.Cleanup(g.remove)
	if err := os.WriteFile(filepath.Join(directory, g.limit), []byte(strconv.Itoa(containerMemory)), 0); err != nil {
		t.Fatal(err)
	}
	// The kubelet of Kubernetes also sets this, so that one killed process ends the pod.
	_ = os.WriteFile(filepath.Join(directory, "memory.oom.group"), []byte("1"), 0)
	return g
}

// remove removes the group as soon as the last child has ended.
func (g *group) remove() {
	for range 100 {
		if os.Remove(g.directory) == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// enter returns a command that joins the group before it executes a program.
func (g *group) enter(program string, arguments []string) (string, []string) {
	if g == nil {
		return program, arguments
	}
	const script = `echo $$ > "$0/cgroup.procs" && exec "$@"`
	return "/bin/sh", append([]string{"-c", script, g.directory, program}, arguments...)
}

// usage returns the peak memory in bytes and the number of processes that the
// kernel killed.
func (g *group) usage() (peak int64, kills int) {
	if content, err := os.ReadFile(filepath.Join(g.directory, g.peak)); err == nil {
		peak, _ = strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	}
	content, _ := os.ReadFile(filepath.Join(g.directory, g.events))
	for line := range strings.Lines(string(content)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == "oom_kill" {
			kills, _ = strconv.Atoi(value)
		}
	}
	return peak, kills
}
