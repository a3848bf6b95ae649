package server

import (
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine/conversion"
)

// recordedSetting is a line of testdata/compat/settings.txt.
type recordedSetting struct {
	flag, variable, standard, other string
}

// changedDefaults holds the defaults that changed on purpose: see cmd/server/testdata/compat/README.md.
var changedDefaults = map[string]string{"share-lifetime": "2160h0m0s"}

// TestCompatSettings gives each recorded flag and environment variable a value.
func TestCompatSettings(t *testing.T) {
	for _, recorded := range readSettings(t) {
		t.Run(recorded.variable, func(t *testing.T) {
			variable := map[string]string{recorded.variable: recorded.other}
			set := configure(t, nil, variable)
			if reflect.DeepEqual(set, configure(t, nil, nil)) {
				t.Errorf("%s=%s has no effect", recorded.variable, recorded.other)
			}
			if recorded.flag == "" {
				return
			}
			if got := configure(t, []string{"-" + recorded.flag, recorded.other}, nil); !reflect.DeepEqual(got, set) {
				t.Errorf("-%s %s: got %+v, want %+v", recorded.flag, recorded.other, got, set)
			}
			standard := recorded.standard
			if changed, ok := changedDefaults[recorded.flag]; ok {
				standard = changed
			}
			var s settings
			if f := s.flags().Lookup(recorded.flag); f == nil || f.DefValue != standard {
				t.Errorf("-%s: got %+v, want the default %q", recorded.flag, f, standard)
			}
		})
	}
}

// configuration is the effect of all flags and variables.
type configuration struct {
	settings settings
	webhooks conversion.Webhooks
}

func configure(t *testing.T, arguments []string, variables map[string]string) configuration {
	t.Helper()
	env := func(name string) string { return variables[name] }
	s, err := parse(arguments, env, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := webhooks(env)
	if err != nil {
		t.Fatal(err)
	}
	return configuration{s, hooks}
}

func readSettings(t *testing.T) []recordedSetting {
	t.Helper()
	data, err := os.ReadFile("../../cmd/server/testdata/compat/settings.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []recordedSetting
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 4 {
			t.Fatalf("settings.txt: %q has %d fields, want 4", line, len(fields))
		}
		if fields[0] == "-" {
			fields[0] = ""
		}
		all = append(all, recordedSetting{fields[0], fields[1], strings.Trim(fields[2], `"`), fields[3]})
	}
	return all
}
