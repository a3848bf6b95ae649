package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// inflating is a CRD whose rule stays within CEL's cost limits and builds a
// string as long as the square of the object's.
const inflating = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          s: {type: string, maxLength: 40000}
        x-kubernetes-validations:
        - rule: "!has(self.s) || self.s.replace('', self.s).size() >= 0"
`

func TestEvaluationThatEatsMemoryIsEnded(t *testing.T) {
	pool := procpool.New(testChild)
	defer pool.Close()
	app, _ := start(t, pool.Evaluate)
	for _, c := range []struct {
		length, status int
		contains       string
	}{
		{39_000, http.StatusUnprocessableEntity, "The evaluation was ended: it took more than 1024 MiB of memory."},
		{39, http.StatusOK, `"accepted":true`},
	} {
		scenario, err := json.Marshal(playground.Scenario{
			CRD:    inflating,
			Object: "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\ns: " + strings.Repeat("x", c.length) + "\n",
		})
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Post(app.url()+"/api/v1/evaluate", "application/json", strings.NewReader(string(scenario)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.status || !strings.Contains(string(body), c.contains) {
			t.Errorf("%d characters: status %d: %.200s", c.length, response.StatusCode, body)
		}
	}
}
