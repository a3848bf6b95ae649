package share_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// TestFragment reads the links that the page has created, encodes their scenarios, and
// compares the result with the page's JSON.
func TestFragment(t *testing.T) {
	text, err := os.ReadFile("../../web/src/share/released-links.json")
	if err != nil {
		t.Fatal(err)
	}
	var links []struct{ About, Hash string }
	if err := json.Unmarshal(text, &links); err != nil || len(links) == 0 {
		t.Fatalf("%d links: %v", len(links), err)
	}
	compared := 0
	for _, link := range links {
		if !strings.HasPrefix(link.Hash, "#1=") {
			continue
		}
		scenario := unpack(t, link.Hash)
		fragment, err := share.Fragment(scenario)
		if err != nil {
			t.Fatal(err)
		}
		if got := unpack(t, fragment); got != scenario {
			t.Errorf("%s: got %+v, want %+v", link.About, got, scenario)
		}
		compared++
	}
	if compared == 0 {
		t.Error("no link contains a scenario")
	}
}

func unpack(t *testing.T, fragment string) playground.Scenario {
	t.Helper()
	scenario, ok, err := share.FromLink("https://example.com/" + fragment)
	if err != nil || !ok {
		t.Fatalf("%.100s: %t, %v", fragment, ok, err)
	}
	return scenario
}

func TestFromLinkOfOtherAddresses(t *testing.T) {
	huge, err := share.Fragment(playground.Scenario{CRD: strings.Repeat("a", 9<<20)})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"crd.yaml": "", "https://example.com/crd.yaml": "", "https://example.com/#example=a": "",
		"https://example.com/#1=%":    "the link is damaged: illegal base64 data at input byte 0",
		"https://example.com/#1=AAAA": "the link is damaged: unexpected EOF",
		"https://example.com/" + huge: "the link is damaged: its documents are too large",
	} {
		_, ok, err := share.FromLink(address)
		if ok != (want != "") || ok && err.Error() != want {
			t.Errorf("%.100s: %t, %v; want %q", address, ok, err, want)
		}
	}
}

func TestFragmentIsLimited(t *testing.T) {
	random := make([]byte, share.MaxFragment)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random) // It never fails.
	_, err := share.Fragment(playground.Scenario{CRD: base64.StdEncoding.EncodeToString(random)})
	if tooLong := (*share.TooLongError)(nil); !errors.As(err, &tooLong) {
		t.Errorf("got %v, want a TooLongError", err)
	}
}
