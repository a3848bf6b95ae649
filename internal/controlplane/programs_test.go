package controlplane

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestPrograms installs programs from a server with an index and archives as those of the Kubernetes project.
func TestPrograms(t *testing.T) {
	var archive bytes.Buffer
	packed := gzip.NewWriter(&archive)
	files := tar.NewWriter(packed)
	for _, name := range []string{"kube-apiserver", "etcd", "kubectl"} {
		if err := files.WriteHeader(&tar.Header{Name: "controller-tools/envtest/" + name, Mode: 0o755, Size: int64(len(name)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = files.Close(), packed.Close()
	platform := runtime.GOOS + "-" + runtime.GOARCH
	var index string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/index" {
			fmt.Fprint(w, index)
			return
		}
		_, _ = w.Write(archive.Bytes())
	}))
	defer server.Close()
	entry := func(version, platform string, hash [sha512.Size]byte) string {
		return fmt.Sprintf("  %s: {envtest-%s-%s.tar.gz: {hash: %x, selfLink: %s/archive}}\n", version, version, platform, hash, server.URL)
	}
	right := sha512.Sum512(archive.Bytes())
	index = "releases:\n" + entry("v1.33.0", platform, right) + entry("v1.33.2", platform, right) + entry("v1.33.3", "plan9-mips", right) +
		entry("v1.34.0", platform, [sha512.Size]byte{}) + entry("v1.35.0", "plan9-mips", right)

	var downloads []string
	source := Source{Directory: t.TempDir(), Index: server.URL + "/index", Downloading: func(name string) { downloads = append(downloads, name) }}
	want := filepath.Join(source.Directory, "k8s", "1.33.2-"+platform)
	for range 2 {
		directory, err := source.Programs(t.Context(), "1.33")
		if err != nil || directory != want {
			t.Fatalf("the directory is %q (%v), want %q", directory, err, want)
		}
		if text, err := os.ReadFile(filepath.Join(directory, "etcd")); string(text) != "etcd" {
			t.Errorf("etcd is %q (%v)", text, err)
		}
	}
	if got := strings.Join(downloads, " "); got != "1.33.2" {
		t.Errorf("the downloads are %q", got)
	}

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for minor, test := range map[string]struct {
		ctx  context.Context
		want string
	}{
		"1.34": {t.Context(), "checksum"},
		"1.35": {t.Context(), "there are no programs of Kubernetes 1.35 for"},
		"1.36": {canceled, "context canceled"},
	} {
		if _, err := source.Programs(test.ctx, minor); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v", minor, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(source.Directory, "*", "*")); len(left) != 1 {
		t.Errorf("the directory has %q", left)
	}

	// Several processes may install the same programs.
	fresh := Source{Directory: t.TempDir(), Index: source.Index, Downloading: func(string) {}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if directory, err := fresh.Programs(t.Context(), "1.33"); err != nil || !isComplete(directory) {
				t.Errorf("the directory is %q (%v)", directory, err)
			}
		})
	}
	all.Wait()
	if left, _ := filepath.Glob(filepath.Join(fresh.Directory, ".download-*")); len(left) != 0 {
		t.Errorf("the directory has %q", left)
	}
}
