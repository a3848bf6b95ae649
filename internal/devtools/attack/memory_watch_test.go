//go:build linux

package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory holds the peaks of resident memory in bytes.
type memory struct {
	pid  int
	done chan struct{}
	over sync.WaitGroup

	mu            sync.Mutex
	server, child int64
}

// sampleInterval is shorter than the allocation of a gigabyte.
const sampleInterval = 10 * time.Millisecond

// watchMemory samples the memory of a server and its children until stop. The
// kernel keeps each process's peak, so that only the last interval of a child is lost.
func watchMemory(pid int) *memory {
	m := &memory{pid: pid, done: make(chan struct{})}
	m.over.Go(func() {
		for interval := time.Tick(sampleInterval); ; {
			m.sample()
			select {
			case <-m.done:
				return
			case <-interval:
			}
		}
	})
	return m
}

func (m *memory) stop() {
	select {
	case <-m.done:
	default:
		close(m.done)
	}
	m.over.Wait()
}

func (m *memory) sample() {
	server := peakOf(m.pid)
	var child int64
	for _, pid := range childrenOf(m.pid) {
		child = max(child, peakOf(pid))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.server, m.child = max(m.server, server), max(m.child, child)
}

// peaks returns the peaks of the server and of its largest child in MiB.
func (m *memory) peaks() (server, child int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.server >> 20, m.child >> 20
}

// peakOf returns the peak resident memory of a process in bytes.
func peakOf(pid int) int64 {
	kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(statusOf(pid, "VmHWM"), " kB"), 10, 64)
	return kilobytes << 10
}

// statusOf returns a field of /proc/PID/status, or "" if the process has ended.
func statusOf(pid int, field string) string {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(content)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// childrenOf returns the children of all threads of a process.
func childrenOf(pid int) []int {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var all []int
	for _, file := range files {
		content, _ := os.ReadFile(file)
		for word := range strings.FieldsSeq(string(content)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}
