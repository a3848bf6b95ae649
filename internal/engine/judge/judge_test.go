//go:build !js

package judge_test

import (
	"net/http"
	"net/url"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/judge"
	"github.com/crdlab/crdlab/internal/engine/trial"
)

const crontabs = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {old: {type: string}}}}}}
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas:
                type: integer
                default: 1
                x-kubernetes-validations: [{rule: self >= oldSelf}]
          status: {type: object, properties: {replicas: {type: integer}}}
`

const crontab = `
apiVersion: example.com/v1
kind: CronTab
metadata: {name: a, namespace: default}
spec: {replicas: 3}
status: {replicas: 9}
`

const (
	typeYAML = "application/yaml"
	list     = "/apis/example.com/v1/namespaces/default/crontabs"
	item     = list + "/a"
)

// step is one request of a conversation with a cluster.
type step struct {
	name    string
	request trial.Request
	code    int
	// path and value are a field of the answer and what it must be.
	path  []string
	value any
	// message is that of a refusal.
	message string
	warning string
}

func TestClusterKeepsState(t *testing.T) {
	cluster, err := judge.New()
	if err != nil {
		t.Fatal(err)
	}
	create := trial.Request{Method: http.MethodPost, Path: list, ContentType: typeYAML, Body: []byte(crontab)}
	get := trial.Request{Method: http.MethodGet, Path: item}
	settle(t, cluster)
	for _, s := range []step{
		{name: "create drops status", request: create, code: 201, path: []string{"status"}},
		{name: "create again", request: create, code: 409, message: `crontabs.example.com "a" already exists`},
		{
			name: "another version prunes and warns", request: trial.Request{Method: http.MethodGet, Path: "/apis/example.com/v1beta1/namespaces/default/crontabs/a"},
			code: 200, path: []string{"spec", "replicas"},
			warning: "example.com/v1beta1 CronTab is deprecated; use example.com/v1 CronTab",
		},
		{
			name: "a transition rule sees the old object",
			request: trial.Request{
				Method: http.MethodPatch, Path: item, ContentType: "application/merge-patch+json", Body: []byte(`{"spec":{"replicas":2}}`),
			},
			code: 422, message: `CronTab.example.com "a" is invalid: spec.replicas: Invalid value: 2: failed rule: self >= oldSelf`,
		},
		{
			name: "apply",
			request: trial.Request{
				Method: http.MethodPatch, Path: item, ContentType: "application/apply-patch+yaml",
				Query: url.Values{"fieldManager": {"test"}, "force": {"true"}},
				Body:  []byte("apiVersion: example.com/v1\nkind: CronTab\nspec: {replicas: 4}\n"),
			},
			code: 200, path: []string{"spec", "replicas"}, value: int64(4),
		},
		{name: "scale", request: trial.Request{Method: http.MethodGet, Path: item + "/scale"}, code: 200, path: []string{"spec", "replicas"}, value: int64(4)},
		{name: "a version that is not served", request: trial.Request{Method: http.MethodGet, Path: "/apis/example.com/v2/namespaces/default/crontabs"}, code: 404},
		{name: "delete", request: trial.Request{Method: http.MethodDelete, Path: item}, code: 200},
		{name: "deleted", request: get, code: 404, message: `crontabs.example.com "a" not found`},
	} {
		t.Run(s.name, func(t *testing.T) { s.check(t, cluster) })
	}
}

func settle(t *testing.T, cluster *judge.Cluster) {
	answer, err := cluster.Do(trial.Request{Method: http.MethodPost, Path: trial.CRDPath, ContentType: typeYAML, Body: []byte(crontabs)})
	if err != nil || answer.Object == nil {
		t.Fatal(err, answer.Status)
	}
	if _, err := cluster.Settle(answer.Object); err != nil {
		t.Fatal(err)
	}
}

func (s step) check(t *testing.T, cluster *judge.Cluster) {
	answer, err := cluster.Do(s.request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Code != s.code {
		t.Fatalf("code %d, want %d: %+v", answer.Code, s.code, answer.Status)
	}
	if s.message != "" && (answer.Status == nil || answer.Status.Message != s.message) {
		t.Errorf("status %+v, want message %q", answer.Status, s.message)
	}
	if s.warning != "" && (len(answer.Warnings) != 1 || answer.Warnings[0] != s.warning) {
		t.Errorf("warnings %q, want %q", answer.Warnings, s.warning)
	}
	if s.path == nil {
		return
	}
	got, _, err := unstructured.NestedFieldNoCopy(answer.Object.Object, s.path...)
	if err != nil || got != s.value {
		t.Errorf("%v is %v (%v), want %v", s.path, got, err, s.value)
	}
}
