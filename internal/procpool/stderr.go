package procpool

import (
	"bytes"
	"fmt"
	"sync"
)

// maxTail limits the kept end of a child's standard error, in bytes. It suffices for
// the stack traces of a panic.
const maxTail = 64 << 10

// maxStart limits the examined start of each line, in bytes.
const maxStart = 256

// stderr keeps the end of a child's standard error, and the message with which the Go
// runtime ended the process.
type stderr struct {
	mu    sync.Mutex
	tail  []byte
	start []byte // of the present line
	fatal []byte // without its prefix; nil if there is none
}

func (s *stderr) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range bytes.Lines(data) {
		s.examine(line)
	}
	s.tail = append(s.tail, data...)
	if len(s.tail) > 2*maxTail {
		s.tail = bytes.Clone(s.tail[len(s.tail)-maxTail:])
	}
	return len(data), nil
}

// examine handles a line or a part of it.
func (s *stderr) examine(part []byte) {
	s.start = append(s.start, part[:min(len(part), maxStart-len(s.start))]...)
	if !bytes.HasSuffix(part, []byte("\n")) {
		return
	}
	if message, ok := bytes.CutPrefix(s.start, []byte("fatal error: ")); ok && s.fatal == nil {
		s.fatal = bytes.Clone(bytes.TrimSpace(message))
	}
	s.start = s.start[:0]
}

// contents returns the kept end.
func (s *stderr) contents() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(bytes.TrimSpace(s.tail[max(0, len(s.tail)-maxTail):]))
}

// exhausted returns the reason for the end of the process if it exhausted its memory
// or its stack, or "". The runtime has no other sign: the exit status is the same after
// each fatal error, and the program can no longer execute code.
func (s *stderr) exhausted() (reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case bytes.Contains(s.fatal, []byte("out of memory")), bytes.Contains(s.fatal, []byte("cannot allocate memory")):
		return fmt.Sprintf("it took more than %d MiB of memory", MemoryLimit>>20)
	case bytes.Equal(s.fatal, []byte("stack overflow")):
		return fmt.Sprintf("it took more than %d MiB for nested calls", maxStack>>20)
	}
	return ""
}
