package load

import (
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/crdlab/crdlab/internal/kustomize"
	"github.com/crdlab/crdlab/internal/manifest"
)

// kustomize builds the kustomizations of an input: those on disk, and those of each revision, which has only
// the files that were read.
func (r Reader) kustomize(in *manifest.Input) {
	kustomize.Apply(in, onDisk(r.Directory))
	revisions := map[string]filesys.FileSystem{}
	for _, f := range in.Files() {
		name, file, ok := strings.Cut(f.Path, ":")
		if f.Writable || !ok || strings.HasPrefix(f.Path, "https://") {
			continue
		}
		if revisions[name] == nil {
			revisions[name] = filesys.MakeFsInMemory()
		}
		_ = revisions[name].WriteFile(path.Join("/", file), []byte(f.Text)) // never fails in memory
	}
	for name, files := range revisions {
		kustomize.Apply(in, kustomize.Options{
			Files: files,
			Path: func(f *manifest.File) (string, bool) {
				file, ok := strings.CutPrefix(f.Path, name+":")
				return path.Join("/", file), ok && !f.Writable
			},
			Name: func(file string) string { return name + ":" + strings.TrimPrefix(file, "/") },
		})
	}
}

// onDisk returns the options for files on disk. The paths of files in a directory are relative to it; empty means
// the directory of the process.
func onDisk(directory string) kustomize.Options {
	base, _ := filepath.Abs(directory)
	base = resolved(base)
	directories := map[string]string{}
	names := map[string]string{}
	return kustomize.Options{
		Files: filesys.MakeFsOnDisk(),
		Path: func(f *manifest.File) (string, bool) {
			if !f.Writable {
				return "", false
			}
			above, name := filepath.Split(f.Path)
			if _, ok := directories[above]; !ok {
				directories[above] = resolved(Reader{Directory: base}.absolute(above))
			}
			path := filepath.Join(directories[above], name)
			names[path] = f.Path
			return path, true
		},
		Name: func(path string) string {
			if name, ok := names[path]; ok {
				return name
			}
			if name, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(name) {
				return name
			}
			return path
		},
	}
}

// resolved returns a path without symbolic links, if it exists.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
