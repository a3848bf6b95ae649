package confine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// limitResources requests that the kernel refuse memory to this process above a limit in
// bytes.
func limitResources(memory uint64) error {
	if err := lowerLimit(unix.RLIMIT_DATA, memory); err != nil {
		return fmt.Errorf("limit the memory: %w", err)
	}
	// The Go runtime first reserves address space and then maps memory over it. Linux
	// does not count such memory against RLIMIT_DATA before the next new mapping, so a
	// single allocation may exceed this limit. RLIMIT_AS refuses the reservation.
	present, err := addressSpace()
	if err != nil {
		return err
	}
	if err := lowerLimit(unix.RLIMIT_AS, present+memory); err != nil {
		return fmt.Errorf("limit the address space: %w", err)
	}
	// A core file would contain the documents of users.
	if err := lowerLimit(unix.RLIMIT_CORE, 0); err != nil {
		return fmt.Errorf("forbid core files: %w", err)
	}
	return nil
}

// addressSpace returns the size of the address space of this process, in bytes.
func addressSpace() (uint64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("read the size of the address space: %w", err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return 0, fmt.Errorf("read the size of the address space: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}

// volunteer requests that the kernel kill this process before others if the system runs
// out of memory.
func volunteer() error {
	return os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// lowerLimit sets the soft and the hard limit of a resource. It keeps lower limits.
func lowerLimit(resource int, limit uint64) error {
	var present unix.Rlimit
	if err := unix.Getrlimit(resource, &present); err != nil {
		return err
	}
	lower := min(limit, present.Cur, present.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: lower, Max: lower})
}
