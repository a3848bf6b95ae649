//go:build !js

package crd_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestValidationIgnoresDescriptions validates the CRDs of all cases and of the corpus
// with and without their own descriptions. Both must be valid, or both invalid.
func TestValidationIgnoresDescriptions(t *testing.T) {
	crds := map[string]playground.Scenario{}
	all, err := cases.Read("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		crds[c.Name] = c.Scenario
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv("CRDLAB_CORPUS"), "*", "crd.*.yaml"))
	if err != nil || len(files) == 0 {
		t.Log("CRDLAB_CORPUS names no directory with CRDs")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crds[filepath.Base(file)] = playground.Scenario{CRD: string(data)}
	}
	described := 0
	for name, s := range crds {
		t.Run(name, func(t *testing.T) {
			with, without, differ := crd.ErrorsWithoutDescriptions(context.Background(), s)
			if differ {
				described++
			}
			if len(with) == 0 && len(without) > 0 || len(with) > 0 && len(without) == 0 {
				t.Errorf("with descriptions %q, without %q", with, without)
			}
		})
	}
	if described == 0 {
		t.Error("no CRD has a description")
	}
}
