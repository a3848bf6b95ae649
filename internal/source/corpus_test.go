package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/source"
)

// TestCorpus parses the CRDs and objects of real projects in the directory
// CRDLAB_CORPUS. It expects an error exactly when the decoder fails, and the
// correct source for each scalar.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a long time: make test-long")
	}
	root := os.Getenv("CRDLAB_CORPUS")
	if root == "" {
		t.Skip("CRDLAB_CORPUS is not set")
	}
	files, _ := filepath.Glob(filepath.Join(root, "*", "*.yaml"))
	if len(files) == 0 {
		t.Fatal("no files below", root)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			file, _ := source.Parse(string(data), source.Limits{})
			for _, d := range file.Documents {
				if _, err := kyaml.YAMLToJSON([]byte(d.Text)); (err == nil) != (d.Err == nil) {
					t.Errorf("the decoder says %v, this package %v", err, d.Err)
				}
				if d.Root().Node() != nil {
					scalars(d.Root().Node(), func(n *yaml.Node) { checkScalar(t, d, n) })
					checkScanner(t, d)
				}
			}
		})
	}
}
