package examples_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

const messagesFile = "messages.json"

// TestMessages compares the messages that the search finds with the engine's messages.
func TestMessages(t *testing.T) {
	engine := engine.New()
	all := map[string][]string{}
	for _, example := range examples.All() {
		report, err := engine.Evaluate(t.Context(), example.Scenario)
		if err != nil {
			t.Fatalf("%s: %v", example.ID, err)
		}
		if messages := messagesOf(report); len(messages) > 0 {
			all[example.ID] = messages
		}
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(all); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(messagesFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(messagesFile)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s differs from the engine's messages (-update): %v", messagesFile, err)
	}
}

// maxMessage limits a message without its quoted value; some quote a whole schema.
const maxMessage = 300

// quoted matches a value that a message quotes as JSON, such as a whole rule.
var quoted = regexp.MustCompile(`(?s)\{"Rule".*?\}: |^Invalid value: \{.*\}: `)

// messagesOf returns the messages and the failed conditions of a report, each once.
func messagesOf(report playground.Report) []string {
	var messages []string
	add := func(message string) {
		message = quoted.ReplaceAllString(message, "")
		if runes := []rune(message); len(runes) > maxMessage {
			message = string(runes[:maxMessage])
		}
		if message != "" && !slices.Contains(messages, message) {
			messages = append(messages, message)
		}
	}
	for _, f := range report.CRD.Findings {
		add(strings.TrimSpace(f.Field + " " + f.Message))
	}
	for _, condition := range report.CRD.Conditions {
		if condition.Type == "NonStructuralSchema" || condition.Status == "False" {
			add(condition.Type + " " + condition.Message)
		}
	}
	for _, object := range report.Objects {
		for _, f := range object.Findings {
			add(strings.TrimSpace(f.Field + " " + f.Message))
		}
		for _, warning := range object.Warnings {
			add(warning)
		}
	}
	return messages
}
