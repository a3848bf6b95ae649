// Command explain compares the output of `kubectl explain` in reports with kubectl's own
// code, for each field of the CRDs of the cases and of real projects.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/openapi"
	kubectlexplain "k8s.io/kubectl/pkg/explain/v2"

	"github.com/crdlab/crdlab/conformance/seeds"
	"github.com/crdlab/crdlab/internal/engine"
	crdopenapi "github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

func main() {
	testdata := flag.String("cases", "../internal/engine/testdata", "`directory` of the cases")
	corpus := flag.String("corpus", os.Getenv("CRDLAB_CORPUS"), "`directory` of CRDs and objects")
	flag.Parse()
	differences, err := compareAll(*testdata, *corpus, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "explain:", err)
		os.Exit(2)
	case differences > 0:
		os.Exit(1)
	}
}

// compareAll compares the output for all CRDs and returns the number of differences.
func compareAll(testdata, corpus string, out io.Writer) (differences int, err error) {
	crds, err := readCRDs(testdata, corpus)
	if err != nil {
		return 0, err
	}
	c := comparison{engine: engine.New(), out: out}
	start := time.Now()
	for _, crd := range crds {
		if err := c.compareCRD(crd); err != nil {
			return 0, err
		}
	}
	fmt.Fprintf(out, "%d CRDs, %d versions, %d fields, %d outputs, %d differences; %v\n",
		len(crds), c.versions, c.fields, c.outputs, c.differences, time.Since(start).Round(time.Second))
	return c.differences, nil
}

// readCRDs returns the CRDs of the cases and of the corpus, each once.
func readCRDs(testdata, corpus string) ([]string, error) {
	all, err := cases.Read(testdata)
	if err != nil {
		return nil, fmt.Errorf("read the cases: %w", err)
	}
	var crds []string
	if corpus != "" {
		if crds, err = seeds.CorpusCRDs(corpus); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	for _, c := range all {
		if crd := c.Scenario.CRD; !known[crd] && c.Scenario.OldCRD == "" {
			known[crd] = true
			crds = append(crds, crd)
		}
	}
	return crds, nil
}

// A comparison counts compared outputs.
type comparison struct {
	engine *engine.Engine
	out    io.Writer

	versions, fields, outputs, differences int
}

func (c *comparison) compareCRD(crd string) error {
	report, err := c.engine.Evaluate(context.Background(), playground.Scenario{CRD: crd, Schemas: true})
	if err != nil {
		return err
	}
	for _, published := range report.Schemas {
		if err := c.compareVersion(report.CRD, published); err != nil {
			return fmt.Errorf("%s, version %s: %w", report.CRD.Name, published.Version, err)
		}
	}
	return nil
}

func (c *comparison) compareVersion(crd playground.CRD, published playground.Schema) error {
	c.versions++
	document, err := parse(published)
	if err != nil {
		return err
	}
	paths := c.newPaths(document)
	c.fields += len(paths)
	kind := schema.GroupVersionKind{Group: crd.Group, Version: published.Version, Kind: crd.Names.Kind}
	resource := kind.GroupVersion().WithResource(crd.Names.Plural)
	data, err := document.encode(resource)
	if err != nil {
		return err
	}
	server := newServer(resource, data)
	for _, recursive := range []bool{false, true} {
		shown := published.Explain
		if recursive {
			shown = published.ExplainRecursive
		}
		c.compare(resource, nil, kubectl(server, resource, nil, recursive), shown)
		for _, path := range append(paths, []string{"spec", "noSuchField"}) {
			got, err := crdopenapi.Explain(data, kind, path, recursive)
			if err != nil {
				got = "error: " + err.Error()
			}
			c.compare(resource, path, kubectl(server, resource, path, recursive), got)
		}
	}
	return nil
}

// newPaths returns the paths of all fields. All CRDs have the same metadata, so it returns
// the fields below the metadata once.
func (c *comparison) newPaths(d *document) [][]string {
	if c.versions == 1 {
		return d.fields
	}
	return slices.DeleteFunc(slices.Clone(d.fields), func(path []string) bool { return len(path) > 1 && path[0] == "metadata" })
}

// compare prints two outputs if they differ.
func (c *comparison) compare(resource schema.GroupVersionResource, path []string, want, got string) {
	c.outputs++
	if want != got {
		c.differences++
		fmt.Fprintf(c.out, "--- %s\nkubectl:\n%s\ncrdlab:\n%s\n", strings.Join(append([]string{resource.String()}, path...), "."), want, got)
	}
}

// kubectl returns the output of kubectl, or its error.
func kubectl(server openapi.Client, resource schema.GroupVersionResource, path []string, recursive bool) string {
	var out bytes.Buffer
	if err := kubectlexplain.PrintModelDescription(path, &out, server, resource, recursive, 0, "plaintext"); err != nil {
		return err.Error()
	}
	return out.String()
}
