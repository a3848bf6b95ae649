package server

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "update generated files")

const (
	settingsDocument = "../../docs/self-hosting.md"
	settingsStart    = "<!-- settings: go test ./internal/server -run TestSettingsTable -update -->\n"
	settingsEnd      = "<!-- end of settings -->\n"
)

// variables documents the settings without a flag.
var variables = []struct{ name, value, meaning string }{
	{operatorTokenVariable, "token", "bearer token that authorizes the deletion and the backup of short links; if empty, both are forbidden"},
	{operatorTokenVariable + fileSuffix, "file", "file with this token, instead of the variable"},
	{storeVariable + fileSuffix, "file", "file with the address of the store, instead of the variable, for addresses with a password"},
	{webhooksVariable, "URLs", "comma-separated `https` URLs of conversion webhooks that the server may call"},
	{webhookNetworksVariable, "networks", "comma-separated networks of these webhooks, in addition to public addresses"},
}

// TestSettingsTable compares the settings in docs/self-hosting.md with the flags.
func TestSettingsTable(t *testing.T) {
	content, err := os.ReadFile(settingsDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, foundStart := strings.Cut(string(content), settingsStart)
	table, after, foundEnd := strings.Cut(rest, settingsEnd)
	if !foundStart || !foundEnd {
		t.Fatalf("%s lacks the markers of the settings", settingsDocument)
	}
	want := settingsTable()
	if *update {
		if err := os.WriteFile(settingsDocument, []byte(before+settingsStart+want+settingsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("%s is not current: run go test ./internal/server -run TestSettingsTable -update", settingsDocument)
	}
}

// settingsTable returns a Markdown table of all settings.
func settingsTable() string {
	var out strings.Builder
	row := func(cells ...string) { fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | ")) }
	row("flag", "environment variable", "value", "default", "meaning")
	out.WriteString("|---|---|---|---|---|\n")
	new(settings).flags().VisitAll(func(f *pflag.Flag) {
		unit, usage := pflag.UnquoteUsage(f)
		row("`--"+f.Name+"`", "`"+variableOf(f)+"`", unit, code(f.DefValue), usage)
	})
	for _, v := range variables {
		row("", "`"+v.name+"`", v.value, "", v.meaning)
	}
	return out.String()
}

func code(value string) string {
	if value == "" {
		return ""
	}
	return "`" + value + "`"
}
