package crdtest_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/crdtest"
)

func TestStartServer(t *testing.T) {
	var post func(object string) string
	t.Run("the server creates objects", func(t *testing.T) {
		post = poster(t, crdtest.StartServer(t, "testdata/crontabs.yaml").Kubeconfig)
		for object, want := range map[string]string{
			`{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {"schedule": "", "replicas": 3}}`:  "201 Created",
			`{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "b"}, "spec": {"schedule": "", "replicas": 11}}`: "422 Unprocessable Entity",
		} {
			if got := post(object); got != want {
				t.Errorf("%s: %s, want %s", object, got, want)
			}
		}
	})
	if got := post("{}"); !strings.Contains(got, "connection refused") {
		t.Errorf("after the test: %s", got)
	}
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("{apiVersion: v1, kind: Namespace, metadata: {name: A}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	messages := messagesOf(func(recorded testing.TB) { crdtest.StartServer(withDirectory{recorded, t.TempDir()}, bad) })
	if !strings.Contains(messages, "fatal: crdlab has stopped") || !strings.Contains(messages, `Namespace "A" is invalid: metadata.name: Invalid value: "A"`) {
		t.Errorf("a refused object: %s", messages)
	}
}

// A withDirectory is a test with a temporary directory.
type withDirectory struct {
	testing.TB
	directory string
}

func (t withDirectory) TempDir() string { return t.directory }

// poster returns a function that creates a CronTab with a kubeconfig, and returns the status.
func poster(t *testing.T, kubeconfig []byte) func(object string) string {
	value := func(key string) string {
		match := regexp.MustCompile(key + `: (\S+)`).FindSubmatch(kubeconfig)
		if match == nil {
			t.Fatalf("no %s in %s", key, kubeconfig)
		}
		return string(match[1])
	}
	authority, err := base64.StdEncoding.DecodeString(value("certificate-authority-data"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	address, token := value("server")+"/apis/example.com/v1/namespaces/default/crontabs", value("token")
	return func(object string) string {
		request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(object))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
		response, err := transport.RoundTrip(request)
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		return response.Status
	}
}
