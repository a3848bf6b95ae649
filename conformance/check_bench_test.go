package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/enginetest/corpus"
)

// BenchmarkCheck compares the processor time for verdicts on the accepted v1 CRDs in the corpus
// and their objects with other programs. The programs alternate. CRDLAB_BIN, KUBECTL_VALIDATE and
// KUBECONFORM name them. kubeconform judges only the objects, by the schemas without CEL rules.
func BenchmarkCheck(b *testing.B) {
	crdlab := os.Getenv("CRDLAB_BIN")
	if crdlab == "" {
		b.Skip("CRDLAB_BIN names no program")
	}
	crds, objects, schemas := writeCorpus(b)
	programs := []struct {
		name    string
		command []string
	}{
		{"crdlab", []string{crdlab, "check", crds, objects}},
		{"kubectl-validate", []string{os.Getenv("KUBECTL_VALIDATE"), "--local-crds", crds, crds, objects}},
		{"kubectl-validate-objects", []string{os.Getenv("KUBECTL_VALIDATE"), "--local-crds", crds, objects}},
		{"kubeconform-objects", []string{os.Getenv("KUBECONFORM"), "-schema-location", schemas, objects}},
	}
	total := map[string]time.Duration{}
	for b.Loop() {
		for _, p := range programs {
			if p.command[0] != "" {
				total[p.name] += processorTime(b, p.command)
			}
		}
	}
	for name, time := range total {
		b.ReportMetric(float64(time.Milliseconds())/float64(b.N), name+"-cpu-ms/op")
		b.ReportMetric(float64(total["crdlab"])/float64(time), "crdlab/"+name)
	}
}

// processorTime runs a command, which may reject documents, and returns its processor time.
func processorTime(b *testing.B, command []string) time.Duration {
	run := exec.Command(command[0], command[1:]...)
	if output, err := run.CombinedOutput(); run.ProcessState == nil || strings.Contains(string(output), "panic: ") {
		b.Fatalf("%s: %v: %.2000s", command[0], err, output)
	}
	return run.ProcessState.UserTime() + run.ProcessState.SystemTime()
}

// writeCorpus writes the accepted CRDs of the corpus and their objects into directories, and
// returns these and the location of the JSON schemas for kubeconform.
func writeCorpus(b *testing.B) (crds, objects, schemas string) {
	all := corpus.Open(b)
	directory := b.TempDir()
	crds, objects, schemas = filepath.Join(directory, "crds"), filepath.Join(directory, "objects"), filepath.Join(directory, "schemas")
	for _, project := range all.Projects {
		for _, crd := range project.CRDs {
			if !crd.Oracle.Accepted || crd.APIExtensions != "v1" {
				continue // kubectl-validate panics if a version has no schema.
			}
			text := all.Read(b, crd.File)
			writeFile(b, filepath.Join(crds, flat(crd.File)), text)
			writeSchemas(b, schemas, text)
			for _, sample := range crd.Samples {
				writeFile(b, filepath.Join(objects, flat(sample.File)), all.Read(b, sample.File))
			}
		}
	}
	return crds, objects, filepath.Join(schemas, "{{.Group}}", "{{.ResourceKind}}_{{.ResourceAPIVersion}}.json")
}

// flat returns a file name without directories: kubectl-validate does not search below the
// directory of CRDs.
func flat(file string) string { return strings.ReplaceAll(file, "/", "_") }

func writeSchemas(b *testing.B, directory, text string) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(text), &crd); err != nil {
		b.Fatal(err)
	}
	for _, version := range crd.Spec.Versions {
		schema, err := json.Marshal(version.Schema.OpenAPIV3Schema)
		if err != nil {
			b.Fatal(err)
		}
		writeFile(b, filepath.Join(directory, crd.Spec.Group, strings.ToLower(crd.Spec.Names.Kind)+"_"+version.Name+".json"), string(schema))
	}
}

func writeFile(b *testing.B, path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}
