//go:build !js

package judge_test

import (
	"testing"

	"github.com/crdlab/crdlab/internal/engine/judge"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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

// request is one step of a conversation with a server.
type request struct {
	name string
	send func(*judge.Server) (judge.Answer, error)
	code int
	// path and value are a field of the answer and what it must be.
	path  []string
	value any
	// message is that of a refusal.
	message string
	warning string
}

func TestServerKeepsState(t *testing.T) {
	yaml := judge.Write{ContentType: judge.YAML}
	server := newServer(t)
	for _, r := range []request{{
		name: "create drops status",
		send: func(s *judge.Server) (judge.Answer, error) { return s.Create("v1", "default", []byte(crontab), yaml) },
		code: 201, path: []string{"status"},
	}, {
		name:    "create again",
		send:    func(s *judge.Server) (judge.Answer, error) { return s.Create("v1", "default", []byte(crontab), yaml) },
		code:    409,
		message: `crontabs.example.com "a" already exists`,
	}, {
		name: "another version prunes and warns",
		send: func(s *judge.Server) (judge.Answer, error) { return s.Get("v1beta1", "default", "a") },
		code: 200, path: []string{"spec", "replicas"},
		warning: "example.com/v1beta1 CronTab is deprecated; use example.com/v1 CronTab",
	}, {
		name: "a transition rule sees the old object",
		send: func(s *judge.Server) (judge.Answer, error) {
			return s.Patch("v1", "default", "a", []byte(`{"spec":{"replicas":2}}`), judge.Write{ContentType: judge.MergePatch})
		},
		code:    422,
		message: `CronTab.example.com "a" is invalid: spec.replicas: Invalid value: 2: failed rule: self >= oldSelf`,
	}, {
		name: "apply",
		send: func(s *judge.Server) (judge.Answer, error) {
			patch := "apiVersion: example.com/v1\nkind: CronTab\nspec: {replicas: 4}\n"
			return s.Patch("v1", "default", "a", []byte(patch), judge.Write{ContentType: judge.Apply})
		},
		code: 200, path: []string{"spec", "replicas"}, value: int64(4),
	}, {
		name: "scale",
		send: func(s *judge.Server) (judge.Answer, error) { return s.Scale("v1", "default", "a") },
		code: 200, path: []string{"spec", "replicas"}, value: int64(4),
	}, {
		name: "an unserved version",
		send: func(s *judge.Server) (judge.Answer, error) { return s.Get("v2", "default", "a") },
		code: 404,
	}, {
		name: "delete",
		send: func(s *judge.Server) (judge.Answer, error) { return s.Delete("v1", "default", "a") },
		code: 200,
	}, {
		name:    "deleted",
		send:    func(s *judge.Server) (judge.Answer, error) { return s.Get("v1", "default", "a") },
		code:    404,
		message: `crontabs.example.com "a" not found`,
	}} {
		t.Run(r.name, func(t *testing.T) { r.check(t, server) })
	}
}

func (r request) check(t *testing.T, server *judge.Server) {
	answer, err := r.send(server)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Code != r.code {
		t.Fatalf("code %d, want %d: %+v", answer.Code, r.code, answer.Status)
	}
	if r.message != "" && (answer.Status == nil || answer.Status.Message != r.message) {
		t.Errorf("status %+v, want message %q", answer.Status, r.message)
	}
	if r.warning != "" && (len(answer.Warnings) != 1 || answer.Warnings[0] != r.warning) {
		t.Errorf("warnings %q, want %q", answer.Warnings, r.warning)
	}
	if r.path == nil {
		return
	}
	got, _, err := unstructured.NestedFieldNoCopy(answer.Object.Object, r.path...)
	if err != nil || got != r.value {
		t.Errorf("%v is %v (%v), want %v", r.path, got, err, r.value)
	}
}

func newServer(t *testing.T) *judge.Server {
	answer, err := judge.CreateCRD([]byte(crontabs), judge.YAML, "Strict")
	if err != nil || answer.Code != 201 {
		t.Fatal(err, answer.Status)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object.Object, &crd); err != nil {
		t.Fatal(err)
	}
	server, err := judge.NewServer(&crd)
	if err != nil {
		t.Fatal(err)
	}
	return server
}
