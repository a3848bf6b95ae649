package kustomize

import (
	"path/filepath"
	"slices"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// A built is the result of a kustomization.
type built struct {
	root *kustomization
	// read holds the kustomizations of the build, the root first.
	read    []*kustomization
	objects []*object
}

// remote returns what the build leaves out.
func (b *built) remote() []string {
	var all []string
	for _, k := range b.read {
		all = append(all, k.remote...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// building guards the library, which keeps the schema of a build in a global variable.
var building sync.Mutex

// build builds a kustomization.
func (t *tree) build(root *kustomization) (*built, error) {
	building.Lock()
	defer building.Unlock()
	b := &built{root: root}
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	resources, err := krusty.MakeKustomizer(options).Run(&recording{t, b}, root.directory)
	if err != nil {
		return nil, err
	}
	all := resources.Resources()
	origins := make([]*resource.Origin, len(all))
	for i, r := range all {
		if origins[i], err = r.GetOrigin(); err != nil {
			return nil, err
		}
	}
	if err := resources.RemoveOriginAnnotations(); err != nil {
		return nil, err
	}
	for i, r := range all {
		text, err := r.AsYAML()
		if err != nil {
			return nil, err
		}
		o := &object{tree: t, build: b, text: string(text), kind: r.GetKind(), name: r.GetName()}
		if origins[i] != nil && origins[i].Repo == "" && origins[i].Path != "" {
			o.path = filepath.Join(root.directory, origins[i].Path)
		}
		b.objects = append(b.objects, o)
	}
	return b, nil
}

// recording is the file system of a build. It remembers the kustomizations that are read.
type recording struct {
	*tree
	build *built
}

// ReadFile implements [filesys.FileSystem].
func (r *recording) ReadFile(path string) ([]byte, error) {
	text, err := r.tree.ReadFile(path)
	if err != nil || !IsKustomization(path) {
		return text, err
	}
	k, err := parse(r.tree, path, text)
	if err != nil {
		return text, nil //nolint:nilerr // kustomize reports the mistake.
	}
	r.build.read = append(r.build.read, k)
	return k.source(path == r.build.root.path)
}

var _ filesys.FileSystem = (*recording)(nil)
