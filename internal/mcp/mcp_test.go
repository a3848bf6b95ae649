package mcp

import (
	"strings"
	"testing"
)

func TestBounded(t *testing.T) {
	if got := bounded(strings.Repeat("a", maxAnswer)); len(got) != maxAnswer {
		t.Errorf("an answer of the largest size has %d bytes", len(got))
	}
	want := strings.Repeat("a", maxAnswer-1) + "\n[cut: the answer has 65537 bytes; ask for less]\n"
	if got := bounded(strings.Repeat("a", maxAnswer-1) + "ä"); got != want {
		t.Errorf("the end of a longer answer: %q", got[maxAnswer-10:])
	}
}
