package share

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// idBytes are so many of the hash that no two scenarios will ever meet.
	idBytes = 14
	// IDLength is how many digits of base 62 hold them.
	IDLength = 19
	idDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// Encode returns what is stored of a scenario, and its id. The same scenario
// has the same id for ever, wherever it is shared.
func Encode(scenario playground.Scenario) (id string, value []byte, err error) {
	if scenario.FieldValidation == playground.FieldValidationStrict {
		scenario.FieldValidation = ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(scenario); err != nil {
		return "", nil, fmt.Errorf("encode a scenario: %w", err)
	}
	value = bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	return idOf(value), value, nil
}

// Decode is the scenario in a stored value. Members that this version does not
// know are left out.
func Decode(value []byte) (playground.Scenario, error) {
	var scenario playground.Scenario
	if err := json.Unmarshal(value, &scenario); err != nil {
		return scenario, fmt.Errorf("decode a stored scenario: %w", err)
	}
	return scenario, nil
}

// idOf is the beginning of the value's SHA-256 as a number of fixed length.
func idOf(value []byte) string {
	hash := sha256.Sum256(value)
	number := new(big.Int).SetBytes(hash[:idBytes]).Text(62)
	return strings.Repeat("0", IDLength-len(number)) + number
}

// IsID reports whether a text has the form of an id.
func IsID(text string) bool {
	return len(text) == IDLength && strings.Trim(text, idDigits) == ""
}

// YAML is a scenario's CRD and object as one stream of YAML documents, as
// kubectl reads them.
func YAML(scenario playground.Scenario) string {
	var stream strings.Builder
	for _, text := range []string{scenario.CRD, scenario.Object} {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if stream.Len() > 0 {
			stream.WriteString(separator(text))
		}
		stream.WriteString(strings.TrimSuffix(text, "\n"))
		stream.WriteString("\n")
	}
	return stream.String()
}

// separator is what has to stand between a document and the text after it.
func separator(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	switch {
	case strings.HasPrefix(text, "%"):
		return "...\n"
	case strings.HasPrefix(text, "---"):
		return ""
	}
	return "---\n"
}
