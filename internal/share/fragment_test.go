package share_test

import (
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
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
	payload, _, _ := strings.Cut(strings.TrimPrefix(fragment, "#1="), "&")
	value, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.RawURLEncoding, strings.NewReader(payload))))
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := share.Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	return scenario
}

func TestFragmentIsLimited(t *testing.T) {
	random := make([]byte, share.MaxFragment)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random) // It never fails.
	_, err := share.Fragment(playground.Scenario{CRD: base64.StdEncoding.EncodeToString(random)})
	if tooLong := (*share.TooLongError)(nil); !errors.As(err, &tooLong) {
		t.Errorf("got %v, want a TooLongError", err)
	}
}
