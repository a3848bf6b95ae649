package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/conformance/apiserver"
	"github.com/crdlab/crdlab/internal/naming"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// storedCRD is a CRD with the limit of spec.replicas as a parameter.
const storedCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList, shortNames: [ct]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          replicas: {type: integer, maximum: %d}
`

// storedObjects is more than the cluster returns in one response.
const storedObjects = 502

// TestCommandsOnCluster runs the commands of the plugin against a real API server with
// several pages of objects. They must find the affected objects, and only read.
func TestCommandsOnCluster(t *testing.T) {
	server, err := apiserver.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	cluster := server.Cluster()
	serveCRD(t, cluster, fmt.Sprintf(storedCRD, 10))
	for i := range storedObjects {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "CronTab",
			"metadata": map[string]any{"name": fmt.Sprintf("c%03d", i), "namespace": "default"},
			"replicas": int64(1 + 8*(i/(storedObjects-1))), // The last one has 9.
		}}
		if err := cluster.StoreObject(object); err != nil {
			t.Fatal(err)
		}
	}
	methods, kubeconfig := proxy(t, server)
	program := filepath.Join(t.TempDir(), "kubectl-crdlab")
	build := exec.Command("go", "build", "-o", program, "./cmd/crdlab")
	build.Dir = ".."
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	directory := t.TempDir()
	for name, text := range map[string]string{
		"smaller.yaml": fmt.Sprintf(storedCRD, 5),
		"larger.yaml":  fmt.Sprintf(storedCRD, 50),
		"object.yaml":  "apiVersion: example.com/v1\nkind: CronTab\nmetadata: {name: a}\nreplicas: 20\n",
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		arguments []string
		status    int
		contains  []string
	}{
		{[]string{"check", "--from-cluster", "object.yaml"}, 1, []string{"should be less than or equal to 10", "2 documents: 1 accepted, 1 rejected"}},
		{[]string{"upgrade-check", "smaller.yaml"}, 1, []string{"502 objects in the cluster", "cluster:crontabs/default/c501", "affected objects: 1"}},
		{[]string{"upgrade-check", "larger.yaml"}, 0, []string{"502 objects in the cluster", "changes that break: 0"}},
	} {
		command := exec.Command(program, c.arguments...)
		command.Dir, command.Env = directory, append(os.Environ(), "KUBECONFIG="+kubeconfig)
		output, err := command.CombinedOutput()
		status, exit := 0, (*exec.ExitError)(nil)
		if errors.As(err, &exit) {
			status = exit.ExitCode()
		}
		if status != c.status {
			t.Errorf("%v: exit status %d, want %d: %s", c.arguments, status, c.status, output)
		}
		for _, part := range c.contains {
			if !strings.Contains(string(output), part) {
				t.Errorf("%v: the output lacks %q: %s", c.arguments, part, output)
			}
		}
	}
	if got := methods(); !slices.Equal(got, []string{http.MethodGet}) {
		t.Errorf("the commands sent %v requests", got)
	}
	compareNames(t, cluster)
}

// compareNames creates a CRD whose short name another CRD has, and compares the server's
// condition with the condition of package naming.
func compareNames(t *testing.T, cluster *apiserver.Cluster) {
	t.Helper()
	first := fmt.Sprintf(storedCRD, 10)
	second := strings.NewReplacer("crontabs", "jobs", "crontab", "job", "CronTab", "Job").Replace(first)
	stored := serveCRD(t, cluster, second)
	conditions, err := naming.Conditions(t.Context(), []playground.CRD{reported(t, first), reported(t, second)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range stored.Status.Conditions {
		got := playground.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message}
		if c.Type == apiextensionsv1.NamesAccepted && got != conditions[1] {
			t.Errorf("the server has %+v, package naming %+v", got, conditions[1])
		}
	}
	if conditions[1].Reason != "ShortNamesConflict" {
		t.Errorf("got the condition %+v", conditions[1])
	}
}

// reported returns the part of a report on a CRD that package naming needs.
func reported(t *testing.T, text string) playground.CRD {
	t.Helper()
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(text), &crd); err != nil {
		t.Fatal(err)
	}
	names := crd.Spec.Names
	return playground.CRD{Name: crd.Name, Group: crd.Spec.Group, Names: playground.Names{
		Plural: names.Plural, Singular: names.Singular, Kind: names.Kind, ListKind: names.ListKind, ShortNames: names.ShortNames,
	}}
}

// serveCRD creates a CRD, and waits until the controllers have finished.
func serveCRD(t *testing.T, cluster *apiserver.Cluster, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	response, err := cluster.Do(kubeapi.CreateCRD(kubeapi.Document{Data: []byte(text), ContentType: kubeapi.TypeYAML}))
	if err != nil || response.Code != http.StatusCreated {
		t.Fatalf("%v: %+v", err, response)
	}
	crd, err := cluster.ServeCRD(response.Object)
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// proxy serves an API server to other programs. It returns a function that lists the methods
// of their requests, and a kubeconfig file.
func proxy(t *testing.T, server *apiserver.Server) (methods func() []string, kubeconfig string) {
	t.Helper()
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	var access sync.Mutex
	seen := map[string]bool{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		access.Lock()
		seen[r.Method] = true
		access.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test}}]
clusters: [{name: test, cluster: {server: %q}}]
`, front.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() []string {
		access.Lock()
		defer access.Unlock()
		var all []string
		for method := range seen {
			all = append(all, method)
		}
		return all
	}, kubeconfig
}
