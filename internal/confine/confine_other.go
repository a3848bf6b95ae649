//go:build !linux

package confine

// Process does nothing on this system.
func Process(Options) (missing []string, err error) {
	return []string{"RLIMIT_DATA", "Landlock", "seccomp"}, nil
}

// Hide does nothing on this system.
func Hide() error { return nil }
