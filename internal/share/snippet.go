package share

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// idBytes is the length of the hash prefix in an id. 112 bits make collisions
	// practically impossible.
	idBytes = 14
	// IDLength is the length of an id: idBytes in base 62.
	IDLength = 19
	idDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// Encode returns the stored form of a scenario and its id. The id depends only on
// the scenario and must never change between versions or servers.
func Encode(scenario playground.Scenario) (id string, value []byte, err error) {
	if scenario.FieldValidation == playground.FieldValidationStrict {
		scenario.FieldValidation = ""
	}
	if value, err = playground.EncodeJSON(scenario); err != nil {
		return "", nil, fmt.Errorf("encode a scenario: %w", err)
	}
	return idOf(value), value, nil
}

// Decode decodes a stored scenario. It ignores unknown fields, which a later version
// may have written.
func Decode(value []byte) (playground.Scenario, error) {
	var scenario playground.Scenario
	if err := json.Unmarshal(value, &scenario); err != nil {
		return scenario, fmt.Errorf("decode a stored scenario: %w", err)
	}
	return scenario, nil
}

// idOf returns the first idBytes of the value's SHA-256 hash in base 62, padded to IDLength.
func idOf(value []byte) string {
	hash := sha256.Sum256(value)
	number := new(big.Int).SetBytes(hash[:idBytes]).Text(62)
	return strings.Repeat("0", IDLength-len(number)) + number
}

// Matches reports whether the id belongs to the stored form of a scenario.
func Matches(id string, value []byte) bool { return idOf(value) == id }

// IsID reports whether a string has the syntax of an id.
func IsID(s string) bool {
	return len(s) == IDLength && strings.Trim(s, idDigits) == ""
}

// YAML returns the CRD and the objects of a scenario as a YAML stream for kubectl.
func YAML(scenario playground.Scenario) string {
	var stream strings.Builder
	for _, source := range []string{scenario.CRD, scenario.Object} {
		if strings.TrimSpace(source) == "" {
			continue
		}
		if stream.Len() > 0 {
			stream.WriteString(separator(source))
		}
		stream.WriteString(strings.TrimSuffix(source, "\n"))
		stream.WriteString("\n")
	}
	return stream.String()
}

// separator returns the required YAML separator between a document and the next source.
func separator(source string) string {
	source = strings.TrimPrefix(source, "\ufeff")
	switch {
	case strings.HasPrefix(source, "%"):
		return "...\n"
	case strings.HasPrefix(source, "---"):
		return ""
	}
	return "---\n"
}
