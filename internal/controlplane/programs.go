// Package controlplane runs the API server of another Kubernetes release: its kube-apiserver with etcd. The
// programs are those that the Kubernetes project builds for tests with envtest.
package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/tools/setup-envtest/remote"
	"sigs.k8s.io/controller-runtime/tools/setup-envtest/store"
	"sigs.k8s.io/controller-runtime/tools/setup-envtest/versions"
)

// A Source has the programs of releases.
type Source struct {
	// Directory keeps the programs, as setup-envtest does with --bin-dir.
	Directory string
	// Index is the address of the list of archives; if it is empty, the one of the Kubernetes project.
	Index string
	// Downloading is called before a download with the name of a patch release, such as "1.32.4".
	Downloading func(name string)
}

// NewSource returns a source with the directory of setup-envtest, so that no program is there twice.
func NewSource(downloading func(name string)) (Source, error) {
	directory, err := store.DefaultStoreDir()
	return Source{Directory: directory, Downloading: downloading}, err
}

// Programs returns the directory with the programs kube-apiserver and etcd of a minor release, such as
// "1.32". It downloads the newest patch release, unless the directory has one already.
func (s Source) Programs(ctx context.Context, minor string) (directory string, err error) {
	wanted, err := versions.FromExpr(minor + ".x")
	if err != nil {
		return "", err
	}
	ctx = logr.NewContext(ctx, logr.Discard())
	installed, platform := store.NewAt(s.Directory), versions.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if err := installed.Initialize(ctx); err != nil {
		return "", err
	}
	items, err := installed.List(ctx, store.Filter{Version: wanted, Platform: platform})
	if err != nil {
		return "", err
	}
	for _, item := range items {
		if directory, err = installed.Path(item); err == nil && isComplete(directory) {
			return directory, nil
		}
	}
	archives := &remote.HTTPClient{Log: logr.Discard(), IndexURL: s.Index}
	sets, err := archives.ListVersions(ctx)
	if err != nil {
		return "", err
	}
	for _, set := range sets { // the newest first
		for _, archive := range set.Platforms {
			if wanted.Matches(set.Version) && archive.Platform == platform {
				return s.download(ctx, archives, set.Version, archive)
			}
		}
	}
	return "", fmt.Errorf("there are no programs of Kubernetes %s for %s/%s", minor, platform.OS, platform.Arch)
}

// download installs an archive. An interrupt leaves no part of it.
func (s Source) download(ctx context.Context, archives remote.Client, version versions.Concrete, archive versions.PlatformItem) (directory string, err error) {
	s.Downloading(version.String())
	var content bytes.Buffer
	if err := archives.GetVersion(ctx, version, archive, &content); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(s.Directory, ".download-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	item, unpacked := store.Item{Version: version, Platform: archive.Platform}, store.NewAt(temporary)
	if err := unpacked.Add(ctx, item, &content); err != nil {
		return "", err
	}
	from, err := unpacked.Path(item)
	if err != nil {
		return "", err
	}
	if directory, err = store.NewAt(s.Directory).Path(item); err != nil {
		return "", err
	}
	_ = os.Chmod(from, 0o755)                                                    //nolint:gosec // only a writable directory can be renamed
	if err := os.Rename(from, directory); err != nil && !isComplete(directory) { // Another process may have been faster.
		return "", err
	}
	return directory, nil
}

// isComplete reports whether a directory has the programs.
func isComplete(directory string) bool {
	for _, name := range []string{"kube-apiserver", "etcd"} {
		if _, err := exec.LookPath(filepath.Join(directory, name)); err != nil {
			return false
		}
	}
	return true
}
