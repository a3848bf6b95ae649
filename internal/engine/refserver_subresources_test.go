//go:build !js

package engine_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// served is a reference server that serves the objects of a CRD.
type served struct {
	*testing.T
	*refserver.Server
	crd *apiextensionsv1.CustomResourceDefinition
}

// serve creates a CRD in a new reference server. If the CRD is rejected, it returns
// nil and the response.
func serve(t *testing.T, yaml string) (*served, kubeapi.Response) {
	server, err := refserver.New()
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Do(kubeapi.CreateCRD(kubeapi.Document{Data: []byte(yaml), ContentType: kubeapi.TypeYAML}))
	if err != nil {
		t.Fatal(err)
	}
	if response.Object == nil {
		return nil, response
	}
	crd, err := server.ServeCRD(response.Object)
	if err != nil {
		t.Fatal(err)
	}
	return &served{t, server, crd}, response
}

func (s *served) do(method, version string, object *unstructured.Unstructured, more string, query url.Values, body []byte) kubeapi.Response {
	resource := kubeapi.Resource{
		Group: s.crd.Spec.Group, Version: version, Plural: s.crd.Spec.Names.Plural,
		Namespaced: s.crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
	}
	response, err := s.Do(kubeapi.Request{Method: method, Path: resource.Collection(object.GetNamespace()) + more, Query: query, Body: body})
	if err != nil {
		s.Fatal(err)
	}
	return response
}

func (s *served) put(object *unstructured.Unstructured) {
	if err := s.StoreObject(object); err != nil {
		s.Fatal(err)
	}
}

// TestReadings compares the scales and the selectable fields of all cases with
// the responses of the reference server.
func TestReadings(t *testing.T) {
	scales, selectors := 0, 0
	for _, c := range readCases(t) {
		report := reportOn(t, c.Scenario)
		for _, object := range report.Objects {
			if len(object.Scale)+len(object.SelectableFields) == 0 || len(object.Stored) == 0 {
				continue
			}
			t.Run(c.Name+"/"+object.Name, func(t *testing.T) {
				server, response := serve(t, c.Scenario.CRD)
				if server == nil {
					t.Fatalf("the CRD is rejected: %+v", response.Status)
				}
				webhook, err := apiclient.NewWebhookReplay(report)
				if err != nil {
					t.Fatal(err)
				}
				server.SetConversionWebhook(webhook)
				stored := &unstructured.Unstructured{}
				if err := json.Unmarshal(object.Stored, &stored.Object); err != nil {
					t.Fatal(err)
				}
				server.put(stored)
				for _, scale := range object.Scale {
					server.compareScale(stored, scale)
					scales++
				}
				for _, version := range object.SelectableFields {
					for _, field := range version.Fields {
						server.compareSelector(stored, version.Version, field)
						selectors++
					}
				}
			})
		}
	}
	if scales == 0 || selectors == 0 {
		t.Errorf("%d scales and %d selectors in all cases", scales, selectors)
	}
}

func (s *served) compareScale(object *unstructured.Unstructured, got playground.Scale) {
	response := s.do(http.MethodGet, got.Version, object, "/"+object.GetName()+"/scale", nil, nil)
	want := playground.Scale{Version: got.Version, Status: playground.Status{Code: response.Code}, Hint: got.Hint, Scale: json.RawMessage("null")}
	if response.Status != nil {
		want.Status.Reason, want.Status.Message = string(response.Status.Reason), response.Status.Message
	}
	if response.Object != nil {
		unstructured.RemoveNestedField(response.Object.Object, "metadata", "resourceVersion")
		want.Scale = reencode(s.T, response.Object.Object)
	}
	var scale map[string]any
	if err := json.Unmarshal(got.Scale, &scale); err != nil {
		s.Fatal(err)
	}
	unstructured.RemoveNestedField(scale, "metadata", "resourceVersion")
	got.Scale = reencode(s.T, scale)
	if diff := gocmp.Diff(want, got); diff != "" {
		s.Errorf("scale at %s (-reference server +engine):\n%s", got.Version, diff)
	}
}

func reencode(t *testing.T, value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compareSelector fails unless the selector selects the object and its negation
// does not.
func (s *served) compareSelector(object *unstructured.Unstructured, version string, field playground.SelectableField) {
	for selector, want := range map[string]int{
		field.Selector: 1,
		fields.OneTermNotEqualSelector(field.Name, field.Value).String(): 0,
	} {
		response := s.do(http.MethodGet, version, object, "", url.Values{"fieldSelector": {selector}}, nil)
		if response.Object == nil {
			s.Errorf("%s at %s: %+v", selector, version, response.Status)
			continue
		}
		list, err := response.Object.ToList()
		if err != nil {
			s.Fatal(err)
		}
		if len(list.Items) != want {
			s.Errorf("%s at %s finds %d objects, want %d", selector, version, len(list.Items), want)
		}
	}
}

// TestUpgraded creates the upgraded CRDs of all cases. The server must accept
// exactly those without manual upgrade steps.
func TestUpgraded(t *testing.T) {
	for _, c := range readCases(t) {
		report := reportOn(t, c.Scenario)
		if report.CRD.Upgraded == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			server, response := serve(t, report.CRD.Upgraded)
			if accepted := server != nil; accepted != (len(report.CRD.UpgradeSteps) == 0) {
				t.Errorf("accepted: %t %+v, steps: %+v", accepted, response.Status, report.CRD.UpgradeSteps)
			}
		})
	}
}

// TestStoredObjects stores the old objects of all cases in a reference server with
// the new CRD. It reads them, updates them with a new label, and creates copies.
func TestStoredObjects(t *testing.T) {
	for _, c := range readCases(t) {
		report := reportOn(t, c.Scenario)
		if len(report.StoredObjects) == 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			server, response := serve(t, c.Scenario.CRD)
			if server == nil {
				t.Skipf("the CRD is rejected on creation: %s", response.Status.Message)
			}
			i := 0
			for _, document := range documents(c.Scenario.OldObject) {
				if i < len(report.StoredObjects) && document.Range == report.StoredObjects[i].Range {
					server.compareStored([]byte(document.Text), report.StoredObjects[i])
					i++
				}
			}
		})
	}
}

func (s *served) compareStored(yaml []byte, got playground.StoredObject) {
	object := decodeYAML(s.T, yaml)
	if s.crd.Spec.Scope == apiextensionsv1.NamespaceScoped && object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	s.put(object)
	version := s.crd.Status.StoredVersions[len(s.crd.Status.StoredVersions)-1]
	read := s.do(http.MethodGet, version, object, "/"+object.GetName(), nil, nil)
	if read.Object == nil {
		_, cause, found := strings.Cut(got.Why, "read it: ") // the server wraps it in an error of the storage
		if got.Outcome != playground.OutcomeError || !found || !strings.HasSuffix(read.Status.Message, cause) {
			s.Errorf("%s cannot be read: %s, but the engine says %+v", got.Name, read.Status.Message, got)
		}
		return
	}
	labelled := read.Object.DeepCopy()
	labelled.SetLabels(map[string]string{"updated": "true"})
	updated := s.do(http.MethodPut, version, object, "/"+object.GetName(), nil, reencode(s.T, labelled.Object))
	fresh := read.Object.DeepCopy()
	for _, name := range []string{"uid", "resourceVersion"} {
		unstructured.RemoveNestedField(fresh.Object, "metadata", name)
	}
	fresh.SetName("fresh-" + object.GetName())
	created := s.do(http.MethodPost, version, object, "", url.Values{"dryRun": {"All"}}, reencode(s.T, fresh.Object))

	// A finding of stage apply is about the owners of the fields, which no create has.
	valid := !slices.ContainsFunc(got.Findings, func(f playground.Finding) bool { return f.Stage != playground.StageApply })
	if before := strings.HasPrefix(got.Why, "As invalid"); valid != (created.Code == http.StatusCreated) && !before {
		s.Errorf("%s as new: %d %+v, but the engine says %+v", got.Name, created.Code, created.Status, got)
	}
	if refused := strings.Contains(got.Why, "rejects updates"); refused == (updated.Code == http.StatusOK) {
		s.Errorf("%s updated: %d %+v, but the engine says %s", got.Name, updated.Code, updated.Status, got.Why)
	}
	for _, change := range got.Changes {
		if change.Op != playground.ChangeRemove {
			continue
		}
		if _, found, _ := unstructured.NestedFieldNoCopy(read.Object.Object, strings.Split(change.Path, ".")...); found {
			s.Errorf("%s: %s is still there", got.Name, change.Path)
		}
	}
}

func decodeYAML(t *testing.T, document []byte) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(document, &object.Object); err != nil {
		t.Fatal(err)
	}
	return object
}
