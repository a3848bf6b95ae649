package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal that understands escape sequences.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

// isInteractive reports whether a user sees the output and can answer, on any kind of terminal.
func isInteractive(in io.Reader, out io.Writer) bool {
	return !slices.ContainsFunc([]any{in, out}, func(stream any) bool {
		file, ok := stream.(*os.File)
		return !ok || !term.IsTerminal(int(file.Fd()))
	})
}

// hasColours reports whether a stream may have colours, see https://no-color.org.
func hasColours(stream any) bool { return isTerminal(stream) && os.Getenv("NO_COLOR") == "" }

// progress shows the progress of long work on a terminal.
type progress struct {
	// noun names what is counted; empty for documents.
	noun   string
	out    io.Writer // nil if there is no terminal
	access sync.Mutex
}

func newProgress(out io.Writer) *progress {
	if !isTerminal(out) {
		out = nil
	}
	return &progress{out: out}
}

// report replaces the line with the progress.
func (p *progress) report(done, total int) {
	if p.out == nil {
		return
	}
	p.access.Lock()
	defer p.access.Unlock()
	fmt.Fprintf(p.out, "\r%d of %d %s", done, total, cmp.Or(p.noun, "documents"))
}

// clear removes the line.
func (p *progress) clear() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
