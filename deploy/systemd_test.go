package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSystemdUnit lets systemd check the unit. It replaces the program, which need not be
// installed here.
func TestSystemdUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skipf("systemd is not installed: %v", err)
	}
	unit, err := os.ReadFile("systemd/crdlab.service")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "crdlab.service")
	installed := strings.ReplaceAll(string(unit), "/usr/local/bin/crdlab", program)
	if err := os.WriteFile(file, []byte(installed), 0o644); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(analyze, "verify", file).CombinedOutput()
	if err != nil || len(output) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, output)
	}
}
