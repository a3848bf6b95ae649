package share

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// MaxFragment is the number of characters of the longest payload that the page reads.
const MaxFragment = 1 << 20

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
