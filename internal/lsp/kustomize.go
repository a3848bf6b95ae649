package lsp

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/kustomize"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
)

// build replaces the documents of a file in an input by the objects that kustomize builds from it. isBuilt reports that a
// kustomization names the file, or is the file.
func (s snapshot) build(ctx context.Context, f *file, in *manifest.Input) (changed *manifest.Input, isBuilt bool) {
	if !filepath.IsAbs(f.path) {
		return in, false
	}
	o := kustomize.Options{Files: filesys.MakeFsOnDisk(), Texts: map[string]string{}, Directories: s.workspace.kustomizationDirectories()}
	names := map[string]string{}
	for _, open := range s.files {
		path := open.path
		if directory, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(directory, filepath.Base(path))
		}
		o.Texts[path], names[path] = open.text, open.path
		if open.path == f.path {
			o.Only = path
		}
	}
	o.Path = func(file *manifest.File) (string, bool) { return o.Only, file.Path == f.path }
	o.Name = func(path string) string {
		if name, ok := names[path]; ok {
			return name
		}
		return path
	}
	built := *f.read()
	built.Documents, built.Skipped = slices.Clone(in.Documents), nil
	if !kustomize.Apply(&built, o) {
		return in, false
	}
	kinds := map[bundle.Kind]bool{}
	for _, d := range in.Documents {
		kinds[d.Described] = true
	}
	for _, d := range slices.Clone(built.Documents) {
		if d.BuiltBy == "" || d.IsCRD || kinds[d.Kind] {
			continue
		}
		kinds[d.Kind] = true
		built.Documents = append(built.Documents, s.workspace.crds(ctx, s.settings, d.Kind)...)
	}
	return &built, true
}

// kustomizationDirectories returns the directories of the kustomizations in the folders.
func (w *workspace) kustomizationDirectories() []string {
	w.access.Lock()
	w.refresh()
	read := w.kustomizations
	w.access.Unlock()
	return read()
}

func kustomizationsIn(folders []string) []string {
	directories := []string{}
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || entry.IsDir() && path != folder && load.IsIgnored(entry.Name()):
				return fs.SkipDir
			case kustomize.IsKustomization(path):
				directories = append(directories, filepath.Dir(path))
			}
			return nil
		})
	}
	return directories
}
