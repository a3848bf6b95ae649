//go:build !js

package refserver_test

import (
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/refserver"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
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

// crontabsAt returns the resource at a version of the CRD.
func crontabsAt(version string) kubeapi.Resource {
	return kubeapi.Resource{Group: "example.com", Version: version, Plural: "crontabs", Namespaced: true}
}

func yamlDocument(text string) kubeapi.Document {
	return kubeapi.Document{Data: []byte(text), ContentType: kubeapi.TypeYAML}
}

// A step is one request of a sequence, with the expected response.
type step struct {
	name    string
	request kubeapi.Request
	code    int
	// path names a field of the returned object; value is its expected value.
	path    []string
	value   any
	message string // of the expected status
	warning string
}

func TestServerKeepsState(t *testing.T) {
	server, err := refserver.New()
	if err != nil {
		t.Fatal(err)
	}
	serveCRD(t, server)
	crontabs := crontabsAt("v1")
	create := crontabs.Create("default", yamlDocument(crontab))
	for _, s := range []step{
		{name: "create drops status", request: create, code: 201, path: []string{"status"}},
		{name: "create again", request: create, code: 409, message: `crontabs.example.com "a" already exists`},
		{
			name: "another version prunes and warns", request: crontabsAt("v1beta1").Get("default", "a"),
			code: 200, path: []string{"spec", "replicas"},
			warning: "example.com/v1beta1 CronTab is deprecated; use example.com/v1 CronTab",
		},
		{
			name: "a transition rule sees the old object",
			request: kubeapi.Request{
				Method: http.MethodPatch, Path: crontabs.Item("default", "a"),
				ContentType: kubeapi.TypeMergePatch, Body: []byte(`{"spec":{"replicas":2}}`),
			},
			code: 422, message: `CronTab.example.com "a" is invalid: spec.replicas: Invalid value: 2: failed rule: self >= oldSelf`,
		},
		{
			name:    "apply",
			request: crontabs.Apply("default", "a", yamlDocument("apiVersion: example.com/v1\nkind: CronTab\nspec: {replicas: 4}\n"), "test", true),
			code:    200, path: []string{"spec", "replicas"}, value: int64(4),
		},
		{name: "scale", request: crontabs.GetScale("default", "a"), code: 200, path: []string{"spec", "replicas"}, value: int64(4)},
		{name: "a version that is not served", request: kubeapi.Request{Method: http.MethodGet, Path: crontabsAt("v2").Collection("default")}, code: 404},
		{name: "delete", request: crontabs.Delete("default", "a"), code: 200},
		{name: "deleted", request: crontabs.Get("default", "a"), code: 404, message: `crontabs.example.com "a" not found`},
	} {
		t.Run(s.name, func(t *testing.T) { s.check(t, server) })
	}
}

// serveCRD creates the CRD and serves its objects.
func serveCRD(t *testing.T, server *refserver.Server) {
	response, err := server.Do(kubeapi.CreateCRD(yamlDocument(crontabs)))
	if err != nil || response.Object == nil {
		t.Fatal(err, response.Status)
	}
	if _, err := server.ServeCRD(response.Object); err != nil {
		t.Fatal(err)
	}
}

// check sends the request and compares the response.
func (s step) check(t *testing.T, server *refserver.Server) {
	response, err := server.Do(s.request)
	if err != nil {
		t.Fatal(err)
	}
	if response.Code != s.code {
		t.Fatalf("code %d, want %d: %+v", response.Code, s.code, response.Status)
	}
	if s.message != "" && (response.Status == nil || response.Status.Message != s.message) {
		t.Errorf("status %+v, want message %q", response.Status, s.message)
	}
	if s.warning != "" && (len(response.Warnings) != 1 || response.Warnings[0] != s.warning) {
		t.Errorf("warnings %q, want %q", response.Warnings, s.warning)
	}
	if s.path == nil {
		return
	}
	got, _, err := unstructured.NestedFieldNoCopy(response.Object.Object, s.path...)
	if err != nil || got != s.value {
		t.Errorf("%v is %v (%v), want %v", s.path, got, err, s.value)
	}
}
