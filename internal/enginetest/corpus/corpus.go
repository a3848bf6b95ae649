// Package corpus reads the CRDs and objects of real projects in the directory
// CRDLAB_CORPUS.
package corpus

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

// A Corpus is the manifest corpus.yaml of a directory of CRDs and objects.
type Corpus struct {
	Projects []struct {
		CRDs []CRD `json:"crds"`
	} `json:"projects"`

	// Directory is the directory of the files.
	Directory string `json:"-"`
}

// A CRD is a CustomResourceDefinition of a project with its objects.
type CRD struct {
	File          string `json:"file"`
	APIExtensions string `json:"apiextensions"`
	// Oracle is the verdict of the API server's own code on the CRD.
	Oracle struct {
		Accepted   bool   `json:"accepted"`
		ErrorCount int    `json:"errorCount"`
		FirstError string `json:"firstError"`
	} `json:"oracle"`
	Samples []Sample `json:"samples"`
}

// A Sample is an object of a CRD.
type Sample struct {
	File string `json:"file"`
	// VersionServed reports whether the CRD serves the version of the object; nil
	// means that it does.
	VersionServed *bool `json:"versionServed"`
	// Oracle is the verdict on the object without its metadata.
	Oracle string   `json:"oracle"`
	Errors []string `json:"errors"`
}

// Open reads the manifest. It skips the test if CRDLAB_CORPUS is unset.
func Open(t testing.TB) *Corpus {
	t.Helper()
	c := &Corpus{Directory: os.Getenv("CRDLAB_CORPUS")}
	if c.Directory == "" {
		t.Skip("CRDLAB_CORPUS names no directory of CRDs and objects")
	}
	if err := yaml.Unmarshal([]byte(c.Read(t, "corpus.yaml")), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Read returns the content of a file, whose name is relative to the manifest.
func (c *Corpus) Read(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.Directory, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
