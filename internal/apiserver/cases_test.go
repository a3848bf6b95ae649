package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	restclient "k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/livecluster"
	"github.com/crdlab/crdlab/internal/enginetest/verdictdiff"
	"github.com/crdlab/crdlab/internal/memetcd"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

var sendsCases = flag.Bool("cases", false, "send the cases of the engine to a server")

// TestCases compares the verdicts on the cases of the engine with those that are recorded from an API server
// with etcd.
func TestCases(t *testing.T) {
	if !*sendsCases {
		t.Skip("make conformance-apiextensions sends the cases")
	}
	klog.SetLogger(logr.Discard())
	const testdata = "../engine/testdata"
	all, err := cases.Read(testdata)
	if err != nil {
		t.Fatal(err)
	}
	recordings, err := cases.ReadRecordings(testdata)
	if err != nil {
		t.Fatal(err)
	}
	data, err := memetcd.New()
	if err != nil {
		t.Fatal(err)
	}
	server := newTestServer(t, Options{Data: data, AllowAll: true})
	go func() { _ = server.Run(context.Background()) }()
	<-server.Ready()
	client, err := restclient.HTTPClientFor(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	cluster := &testCluster{livecluster.Cluster{HTTP: client, URL: server.Config.Host, Etcd: data.KV, Prefix: keyPrefix}}
	cluster.CRD = cluster.readCRD
	verdicts := apiclient.New(cluster, nil)
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			recorded := recordings[c.Name]
			if recorded.Verdict == nil {
				t.Skip(recorded.Unasked)
			}
			got, err := verdicts.Run(c.Scenario)
			if unsupported := (*apiclient.UnsupportedError)(nil); errors.As(err, &unsupported) {
				t.Skip(unsupported.Reason)
			}
			if err == nil {
				got, err = got.Normal(c.Scenario)
			}
			if err != nil {
				t.Fatal(err)
			}
			if difference := verdictdiff.Describe(*recorded.Verdict, got); difference != "" {
				t.Errorf("(-recorded +got)\n%s", difference)
			}
		})
	}
}

// A testCluster is the cluster of a server.
type testCluster struct{ livecluster.Cluster }

// readCRD returns a CRD. When the server has answered to its change, the handlers know it.
func (c *testCluster) readCRD(name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	response, err := c.Do(kubeapi.Request{Method: http.MethodGet, Path: kubeapi.CRDPath + "/" + name})
	if err != nil {
		return nil, err
	}
	if response.Object == nil {
		return nil, apierrors.FromObject(response.Status)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	return crd, runtime.DefaultUnstructuredConverter.FromUnstructured(response.Object.Object, crd)
}

// SetAdmission implements [apiclient.Cluster]. The namespaces of the objects must exist.
func (c *testCluster) SetAdmission(s playground.Scenario) error {
	if strings.TrimSpace(s.Admission) != "" {
		return &apiclient.UnsupportedError{Reason: "the policies of the last case may still be effective"}
	}
	for _, name := range apiclient.Namespaces(s) {
		body, err := json.Marshal(map[string]any{"metadata": map[string]string{"name": name}})
		if err != nil {
			return err
		}
		response, err := c.Do(kubeapi.Request{Method: http.MethodPost, Path: "/api/v1/namespaces", ContentType: kubeapi.TypeJSON, Body: body})
		if err != nil {
			return err
		}
		if response.Code == http.StatusUnprocessableEntity {
			return &apiclient.UnsupportedError{Reason: response.Status.Message}
		}
	}
	return nil
}

// SetConversionWebhook implements [apiclient.Cluster].
func (*testCluster) SetConversionWebhook(http.Handler) {}
