package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/conversion"
)

// TestPlansWithWebhook carries out the plans for a field that a real conversion webhook renames.
func TestPlansWithWebhook(t *testing.T) {
	var calls int
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		var review apiextensionsv1.ConversionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			t.Error(err)
			return
		}
		review.Response = &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		for _, o := range review.Request.Objects {
			review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Raw: renamed(t, o.Raw, review.Request.DesiredAPIVersion)})
		}
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	}))
	defer webhook.Close()
	authority := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw}))
	crd := func(versions ...string) string {
		return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: disks.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Disk, plural: disks, singular: disk, listKind: DiskList}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: %q, caBundle: %s}}
  versions:
%s`, webhook.URL+"/convert", authority, strings.Join(versions, ""))
	}
	version := func(name, field string, isStored bool) string {
		return fmt.Sprintf("  - {name: %s, served: true, storage: %v, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s: {type: integer}}}}}}}\n", name, isStored, field)
	}
	c := newCluster(t)
	c.engine = engine.NewWithWebhooks(conversion.Webhooks{URLs: []string{webhook.URL + "/convert"}, Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	older, both := version("v1alpha1", "size", true), version("v1alpha1", "size", false)+version("v1", "sizeGi", true)
	for _, pair := range [][2]string{{crd(older), crd(both)}, {crd(both), crd(version("v1", "sizeGi", true))}, {crd(older), crd(version("v1", "sizeGi", true))}} {
		for i, step := range c.carryOut(t, pair[0], pair[1]).Steps {
			if len(step.Effects) > 0 {
				t.Errorf("step %d, %s, has effects: %+v", i+1, step.Title, step.Effects)
			}
		}
	}
	if calls == 0 {
		t.Error("nobody has called the webhook")
	}
}

// renamed returns an object at a version, in which the field has the name of the version.
func renamed(t *testing.T, object []byte, version string) []byte {
	fields := map[string]any{}
	if err := json.Unmarshal(object, &fields); err != nil {
		t.Error(err)
	}
	fields["apiVersion"] = version
	from, to := "size", "sizeGi"
	if strings.HasSuffix(version, "v1alpha1") {
		from, to = to, from
	}
	if spec, ok := fields["spec"].(map[string]any); ok {
		if size, ok := spec[from]; ok {
			delete(spec, from)
			spec[to] = size
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		t.Error(err)
	}
	return data
}
