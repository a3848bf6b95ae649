// Package confine removes the rights of a process that executes untrusted input. It is a
// second line of defence: the engine is memory-safe, but its libraries may have errors.
package confine

// Options selects the resources and the rights that a process keeps.
type Options struct {
	// Memory limits the memory of the process in bytes.
	Memory uint64
	// Network permits connections to other hosts, including the lookup of their names.
	Network bool
}
