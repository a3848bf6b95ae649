package procpool

import (
	"strings"
	"testing"
)

func TestStderr(t *testing.T) {
	long := strings.Repeat("x", maxTail)
	for _, c := range []struct {
		name, written    string
		reason, contents string
	}{
		{"nothing", "", "", ""},
		{"block", "runtime: out of memory: cannot allocate 1-byte block\nfatal error: out of memory\n\ngoroutine 1\n", "it took more than 1024 MiB of memory", ""},
		{"pages", "fatal error: runtime: out of memory\n", "it took more than 1024 MiB of memory", ""},
		{"metadata", "fatal error: runtime: cannot allocate memory\n", "it took more than 1024 MiB of memory", ""},
		{"stack", "runtime: goroutine stack exceeds 268435456-byte limit\nfatal error: stack overflow\n", "it took more than 256 MiB for nested calls", ""},
		{"first of two", "fatal error: concurrent map writes\nfatal error: out of memory\n", "", ""},
		{"another fatal error", "fatal error: all goroutines are asleep - deadlock!\n", "", ""},
		{"behind other output", long + "\nfatal error: out of memory\n" + long, "it took more than 1024 MiB of memory", long},
		{"in a panic", "panic: fatal error: out of memory\n", "", ""},
	} {
		for _, step := range []int{1, 7, len(c.written)} {
			s := &stderr{}
			for rest := c.written; rest != ""; rest = rest[min(step, len(rest)):] {
				if n, err := s.Write([]byte(rest[:min(step, len(rest))])); n != min(step, len(rest)) || err != nil {
					t.Fatalf("%s: written %d, %v", c.name, n, err)
				}
			}
			want := c.contents
			if want == "" {
				want = strings.TrimSpace(c.written)
			}
			if reason := s.exhausted(); reason != c.reason || s.contents() != want {
				t.Errorf("%s in steps of %d: %q, want %q; kept %d bytes", c.name, step, reason, c.reason, len(s.contents()))
			}
		}
	}
}
