package kustomize

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// A kustomization is the file of this name in a directory.
type kustomization struct {
	types.Kustomization

	path, directory string
	text            string
	// resources and parts hold the files that it names: those with objects, and patches and other
	// files that are objects only together with others.
	resources, parts []string
	// bases and plugins hold the directories that it names: those with further objects, and those with
	// transformers.
	bases, plugins []string
	// remote holds what is not in the file system.
	remote []string
}

// parse reads a kustomization. It leaves out everything remote, and replaces deprecated fields.
func parse(files filesys.FileSystem, path string, text []byte) (*kustomization, error) {
	k := &kustomization{path: path, directory: filepath.Dir(path), text: string(text)}
	if err := k.Unmarshal(text); err != nil {
		return nil, err
	}
	k.FixKustomization()
	if err := k.FixKustomizationPreMarshalling(within{files, k.directory}); err != nil {
		return nil, err
	}
	for _, names := range []*[]string{&k.Resources, &k.Components} {
		k.local(files, names, &k.resources, &k.bases)
	}
	for _, names := range []*[]string{&k.Transformers, &k.Generators, &k.Validators} {
		k.local(files, names, &k.parts, &k.plugins)
	}
	k.local(files, &k.Configurations, &k.parts, &k.plugins)
	k.local(files, &k.Crds, new([]string), new([]string))
	if path := k.OpenAPI["path"]; strings.Contains(path, "://") {
		k.OpenAPI, k.remote = nil, append(k.remote, path)
	}
	k.Patches = slices.DeleteFunc(k.Patches, func(p types.Patch) bool { return k.isPart(p.Path) })
	k.Replacements = slices.DeleteFunc(k.Replacements, func(r types.ReplacementField) bool { return k.isPart(r.Path) })
	k.ConfigMapGenerator = slices.DeleteFunc(k.ConfigMapGenerator, func(g types.ConfigMapArgs) bool { return k.readsRemote(g.KvPairSources) })
	k.SecretGenerator = slices.DeleteFunc(k.SecretGenerator, func(g types.SecretArgs) bool { return k.readsRemote(g.KvPairSources) })
	return k, nil
}

// isPart adds the file of a part, unless it is inline. It reports whether the file is remote.
func (k *kustomization) isPart(path string) (remote bool) {
	switch {
	case strings.Contains(path, "://"):
		k.remote = append(k.remote, path)
		return true
	case path != "":
		k.parts = append(k.parts, k.absolute(path))
	}
	return false
}

// readsRemote reports whether a generator reads something remote, and remembers it.
func (k *kustomization) readsRemote(from types.KvPairSources) bool {
	before := len(k.remote)
	for _, name := range slices.Concat(from.FileSources, from.EnvSources) {
		if strings.Contains(name, "://") {
			k.remote = append(k.remote, name)
		}
	}
	return len(k.remote) > before
}

// remoteName matches the addresses that kustomize downloads or clones.
var remoteName = regexp.MustCompile(`^(?:[a-z]+://|git@|git::|[\w-]+(?:\.[\w-]+)+[:/])`)

// local removes the remote names from a list, and adds the others to files or directories.
func (k *kustomization) local(files filesys.FileSystem, names, to, directories *[]string) {
	*names = slices.DeleteFunc(*names, func(name string) bool {
		path := k.absolute(name)
		switch {
		case files.IsDir(path):
			*directories = append(*directories, path)
		case files.Exists(path):
			*to = append(*to, path)
		case remoteName.MatchString(name):
			k.remote = append(k.remote, name)
			return true
		}
		return false
	})
}

func (k *kustomization) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(k.directory, name)
}

// isComponent reports whether the kustomization is built only as a part of others.
func (k *kustomization) isComponent() bool { return k.Kind == types.ComponentKind }

// source returns the kustomization as kustomize reads it. That of a build requests annotations of the origin.
func (k *kustomization) source(isRoot bool) ([]byte, error) {
	changed := k.Kustomization
	changed.BuildMetadata = nil
	if isRoot {
		changed.BuildMetadata = []string{types.OriginAnnotations}
	}
	return yaml.Marshal(changed)
}

// within reads the files of a directory by their relative paths.
type within struct {
	filesys.FileSystem
	directory string
}

// ReadFile implements [filesys.FileSystem].
func (w within) ReadFile(path string) ([]byte, error) {
	return w.FileSystem.ReadFile(filepath.Join(w.directory, path))
}

// IsKustomization reports whether a file has the name of kustomizations.
func IsKustomization(path string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path))
}
