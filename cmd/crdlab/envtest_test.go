package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	restclient "k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// onlyJane lets the group testers create ConfigMaps. A policy lets only jane create them.
const onlyJane = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: testers}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: testers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: testers}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: testers}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: only-jane}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: ["*"], operations: [CREATE], resources: [configmaps]}]
  validations:
  - expression: request.userInfo.username == 'jane'
    messageExpression: "'not for ' + request.userInfo.username"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: only-jane}
spec: {policyName: only-jane, validationActions: [Deny]}
`

// TestEnvtest starts the programs as envtest of controller-runtime 0.25 does. Its own tests run at
// night (make conformance-envtest).
func TestEnvtest(t *testing.T) {
	cache := t.TempDir()
	printed := output(t, cache, "crdlab", "envtest")
	directory := strings.TrimSuffix(printed, "\n")
	etcd, server := filepath.Join(directory, "etcd"), filepath.Join(directory, "kube-apiserver")
	if again := output(t, cache, "crdlab", "envtest"); again != printed {
		t.Errorf("the directory is %q, and then %q", printed, again)
	}
	if help := output(t, cache, server, "--help"); !strings.Contains(help, "--secure-port") || strings.Contains(help, "--insecure-port") {
		t.Errorf("the help of kube-apiserver is %s", help)
	}
	output(t, cache, etcd, "--help")
	refused, err := exec.CommandContext(t.Context(), server, "--secure-port=0").CombinedOutput()
	if want := "crdlab: --secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0\n"; err == nil || string(refused) != want {
		t.Errorf("a server without a port: %v, %s", err, refused)
	}

	address := freeAddress(t)
	begin(t, etcd, "--advertise-client-urls=http://"+address, "--data-dir="+t.TempDir(), "--listen-client-urls=http://"+address, "--listen-peer-urls=http://"+freeAddress(t))
	awaitOK(t, http.DefaultClient, "http://"+address+"/health")

	config, anonymous, stderr := beginServer(t, server, "http://"+address)
	ctx := t.Context()
	admin, err := dynamic.NewForConfig(config("admin", "system:masters"))
	if err != nil {
		t.Fatal(err)
	}
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	create := func(config *restclient.Config) error {
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"generateName": "a-"}}}
		_, err = client.Resource(configMaps).Namespace("default").Create(ctx, object, metav1.CreateOptions{})
		return err
	}
	for name, config := range map[string]*restclient.Config{"a user without a certificate": anonymous, "a user without a role": config("joe")} {
		if err := create(config); !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for document := range strings.SplitSeq(onlyJane, "---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Fatal(err)
		}
		resource, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
		if _, err := admin.Resource(resource).Create(ctx, object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() bool {
		err := create(config("joe", "testers"))
		return err != nil && strings.Contains(err.Error(), "not for joe")
	})
	if err := create(config("jane", "testers")); err != nil {
		t.Errorf("the user of the policy: %v", err)
	}

	const notes = `crdlab: the flag --audit-log-path has no effect on this server
crdlab: the authorization mode Node is not part of this server
crdlab: the admission plugin AlwaysPullImages is not part of this server
crdlab: the API server is ready at `
	if got, want := stderr(), notes+anonymous.Host+"\n"; got != want {
		t.Errorf("the server says %s, want %s", got, want)
	}
}

// beginServer starts kube-apiserver with the certificates and flags of envtest, and waits until it is
// healthy. It returns the configurations of users with a certificate and of one without, and what
// ends the server.
func beginServer(t *testing.T, program, etcd string) (config func(user string, groups ...string) *restclient.Config, anonymous *restclient.Config, stderr func() string) {
	t.Helper()
	certificates := t.TempDir()
	authority := newAuthority(t)
	serving, servingKey := authority.sign(t, &x509.Certificate{DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	for name, data := range map[string][]byte{"apiserver.crt": serving, "apiserver.key": servingKey, "client-cert-auth-ca.crt": authority.pem} {
		if err := os.WriteFile(filepath.Join(certificates, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host, port, _ := net.SplitHostPort(freeAddress(t))
	stderr = begin(t, program, "--allow-privileged=true", "--authorization-mode=Node,RBAC", "--bind-address="+host, "--cert-dir="+certificates,
		"--client-ca-file="+filepath.Join(certificates, "client-cert-auth-ca.crt"), "--disable-admission-plugins=ServiceAccount",
		"--enable-admission-plugins=ValidatingAdmissionPolicy,AlwaysPullImages", "--audit-log-path", "audit", "--etcd-servers="+etcd,
		"--feature-gates=MutatingAdmissionPolicy=true,GenericWorkload=false",
		"--secure-port="+port, "--service-account-issuer=https://127.0.0.1/", "--service-cluster-ip-range=10.0.0.0/24")
	config = func(user string, groups ...string) *restclient.Config {
		certificate, key := authority.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: user, Organization: groups}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
		return &restclient.Config{Host: "https://" + net.JoinHostPort(host, port), TLSClientConfig: restclient.TLSClientConfig{CAData: authority.pem, CertData: certificate, KeyData: key}}
	}
	anonymous = &restclient.Config{Host: config("").Host, TLSClientConfig: restclient.TLSClientConfig{CAData: authority.pem}}
	client, err := restclient.HTTPClientFor(anonymous)
	if err != nil {
		t.Fatal(err)
	}
	awaitOK(t, client, anonymous.Host+"/healthz")
	return config, anonymous, stderr
}

// output runs a program and returns its standard output.
func output(t *testing.T, cache, program string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	command.Stderr = os.Stderr
	data, err := command.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", program, arguments, err)
	}
	return string(data)
}

// begin starts a program, which must end with success at the signal of the end of the test. The
// returned function ends it and returns its standard error.
func begin(t *testing.T, program string, arguments ...string) func() string {
	t.Helper()
	stderr := &bytes.Buffer{}
	command := exec.CommandContext(context.Background(), program, arguments...)
	command.Stderr = stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() string {
		if command.ProcessState != nil {
			return stderr.String()
		}
		_ = command.Process.Signal(syscall.SIGTERM)
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, stderr)
		}
		return stderr.String()
	}
	t.Cleanup(func() { end() })
	return end
}

// freeAddress returns an address of the loopback interface on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// awaitOK waits until an address answers with success.
func awaitOK(t *testing.T, client *http.Client, address string) {
	t.Helper()
	eventually(t, func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			return false
		}
		defer func() { _ = response.Body.Close() }()
		_, err = io.Copy(io.Discard, response.Body)
		return err == nil && response.StatusCode == http.StatusOK
	})
}

// eventually waits until a condition holds, at most 30 s.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatal("the condition does not hold within 30 s")
}

// An authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	a := authority{certificate: &x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}}
	a.pem, _ = a.sign(t, a.certificate)
	return a
}

// sign returns a PEM-encoded certificate and its key. The first one signs itself.
func (a *authority) sign(t *testing.T, template *x509.Certificate) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if a.key == nil {
		a.key = private
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	data, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &private.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: data}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded})
}
