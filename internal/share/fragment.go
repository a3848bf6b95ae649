package share

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// MaxFragment is the number of characters of the longest payload that the page reads.
const MaxFragment = 1 << 20

// maxDecoded is the size of the longest scenario in a link, in bytes of JSON, as in the page.
const maxDecoded = 8 << 20

// A TooLongError reports documents that are too large for a link.
type TooLongError struct{ Length, Max int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the documents are too large for a link: %d characters, at most %d", e.Length, e.Max)
}

// Fragment returns the fragment of a permanent link to a scenario, with the number sign. It
// contains the documents themselves in format 1 of the page's file web/src/share/codec.ts:
// JSON in raw deflate in base64url. The error is a [TooLongError].
func Fragment(scenario playground.Scenario) (string, error) {
	_, value, err := Encode(scenario)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	writer, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := writer.Write(value); err != nil {
		return "", err
	}
	if err := writer.Close(); err != nil {
		return "", err
	}
	payload := base64.RawURLEncoding.EncodeToString(packed.Bytes())
	if len(payload) > MaxFragment {
		return "", &TooLongError{len(payload), MaxFragment}
	}
	return "#1=" + payload, nil
}

// FromLink returns the scenario in an address with a fragment in format 1. ok is false for another
// address. The error is about a damaged link.
func FromLink(address string) (scenario playground.Scenario, ok bool, err error) {
	_, fragment, _ := strings.Cut(address, "#")
	payload, ok := strings.CutPrefix(fragment, "1=")
	if !ok {
		return scenario, false, nil
	}
	payload, _, _ = strings.Cut(payload, "&") // the place in the page
	packed, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return scenario, true, fmt.Errorf("the link is damaged: %w", err)
	}
	value, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxDecoded+1))
	if err == nil && len(value) > maxDecoded {
		err = errors.New("its documents are too large")
	}
	if err == nil {
		scenario, err = Decode(value)
	}
	if err != nil {
		return scenario, true, fmt.Errorf("the link is damaged: %w", err)
	}
	return scenario, true, nil
}
