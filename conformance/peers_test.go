package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/conformance/apiserver"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// A pair is a CRD and one of its objects, with the path of the collection.
type pair struct{ name, crd, object, path string }

// BenchmarkPeers compares the time for a verdict with other programs: on a new CRD
// with an object, and on an object of a known CRD. The API server receives dry
// runs. KUBECTL_VALIDATE names the kubectl-validate program, which starts a
// process for each verdict.
func BenchmarkPeers(b *testing.B) {
	server, err := apiserver.Start()
	if err != nil {
		b.Fatal(err)
	}
	defer server.Stop()
	cluster := server.Cluster()
	for _, p := range pairs(b) {
		b.Run(p.name+"/CRD/crdlab", func(b *testing.B) {
			for b.Loop() {
				evaluate(b, p, engine.New().Evaluate, 0)
			}
		})
		b.Run(p.name+"/CRD/apiserver", func(b *testing.B) {
			for b.Loop() {
				createCRD(b, cluster, p)
				dryRun(b, cluster, p)
				b.StopTimer()
				if err := cluster.Reset(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
		b.Run(p.name+"/object/crdlab", func(b *testing.B) {
			e := engine.New()
			evaluate(b, p, e.Evaluate, 0)
			for i := 1; b.Loop(); i++ {
				evaluate(b, p, e.Evaluate, i)
			}
		})
		b.Run(p.name+"/object/apiserver", func(b *testing.B) {
			createCRD(b, cluster, p)
			for b.Loop() {
				dryRun(b, cluster, p)
			}
			if err := cluster.Reset(); err != nil {
				b.Fatal(err)
			}
		})
		b.Run(p.name+"/CRD/kubectl-validate", func(b *testing.B) { runKubectlValidate(b, p) })
	}
}

// pairs returns the pairs of the engine's benchmarks.
func pairs(b *testing.B) []pair {
	all, err := cases.Read("../internal/engine/testdata")
	if err != nil {
		b.Fatal(err)
	}
	var found []pair
	for _, c := range all {
		if c.Name == "docs/validation-rules" {
			found = append(found, newPair(b, "crontab", c.Scenario.CRD, strings.Replace(c.Scenario.Object, "replicas: 20", "replicas: 5", 1)))
		}
	}
	for _, name := range []string{"certificates.cert-manager.io", "prometheuses.monitoring.coreos.com", "httproutes.gateway.networking.k8s.io"} {
		files, _ := filepath.Glob(filepath.Join(os.Getenv("CRDLAB_CORPUS"), "*", "crd."+name+".yaml"))
		if len(files) == 0 {
			b.Logf("%s is not in CRDLAB_CORPUS", name)
			continue
		}
		found = append(found, newPair(b, name, readFile(b, files[0]), readFile(b, filepath.Join(filepath.Dir(files[0]), "cr."+name+".1.yaml"))))
	}
	return found
}

func newPair(b *testing.B, name, crdYAML, objectYAML string) pair {
	var crd apiextensionsv1.CustomResourceDefinition
	var object metav1.PartialObjectMetadata
	if err := errors.Join(yaml.Unmarshal([]byte(crdYAML), &crd), yaml.Unmarshal([]byte(objectYAML), &object)); err != nil {
		b.Fatal(err)
	}
	path := "/apis/" + object.APIVersion
	if crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		path += "/namespaces/" + cmp.Or(object.Namespace, metav1.NamespaceDefault)
	}
	return pair{name, crdYAML, objectYAML, path + "/" + crd.Spec.Names.Plural}
}

func readFile(b *testing.B, name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// evaluate evaluates the pair. A comment with the number i distinguishes the object
// from others.
func evaluate(b *testing.B, p pair, evaluate func(context.Context, playground.Scenario) (playground.Report, error), i int) {
	report, err := evaluate(b.Context(), playground.Scenario{CRD: p.crd, Object: p.object + "\n# " + strconv.Itoa(i)})
	if err != nil || len(report.Objects) != 1 || !report.Objects[0].Accepted {
		b.Fatalf("%v, %+v", err, report.CRD.Status)
	}
}

// createCRD creates the CRD and waits until it is established.
func createCRD(b *testing.B, cluster *apiserver.Cluster, p pair) {
	response, err := cluster.Do(kubeapi.CreateCRD(kubeapi.Document{Data: []byte(p.crd), ContentType: kubeapi.TypeYAML}))
	if err != nil || response.Code != http.StatusCreated {
		b.Fatalf("%v, %+v", err, response)
	}
	if _, err := cluster.ServeCRD(response.Object); err != nil {
		b.Fatal(err)
	}
}

func dryRun(b *testing.B, cluster *apiserver.Cluster, p pair) {
	response, err := cluster.Do(kubeapi.Request{
		Method: http.MethodPost, Path: p.path, Query: url.Values{"dryRun": {"All"}},
		ContentType: kubeapi.TypeYAML, Body: []byte(p.object),
	})
	if err != nil || response.Code != http.StatusCreated {
		b.Fatalf("%v, %+v", err, response)
	}
}

func runKubectlValidate(b *testing.B, p pair) {
	program := os.Getenv("KUBECTL_VALIDATE")
	if program == "" {
		b.Skip("KUBECTL_VALIDATE names no program")
	}
	directory := b.TempDir()
	crds, object := filepath.Join(directory, "crds"), filepath.Join(directory, "object.yaml")
	if err := errors.Join(os.Mkdir(crds, 0o755),
		os.WriteFile(filepath.Join(crds, "crd.yaml"), []byte(p.crd), 0o644), os.WriteFile(object, []byte(p.object), 0o644)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var output bytes.Buffer
		command := exec.Command(program, "--local-crds", crds, object)
		command.Stdout, command.Stderr = &output, &output
		if err := command.Run(); err != nil {
			b.Fatalf("%v: %s", err, output.String())
		}
	}
}
