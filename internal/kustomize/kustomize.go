// Package kustomize replaces the files of kustomizations by what kustomize builds from them. Kustomize's own
// library builds, without a network. The package leads each value of the result to the file it comes from.
package kustomize

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/manifest"
)

// Options describe the file system of an input.
type Options struct {
	Files filesys.FileSystem
	// Path returns the absolute path of a file of the input; ok is false if the file is in another file system.
	Path func(*manifest.File) (path string, ok bool)
	// Name returns the path of a file in the form of the input.
	Name func(path string) string
	// Texts holds texts that replace files, by their absolute paths.
	Texts map[string]string
	// Directories holds further directories with kustomizations. Those that name a file of the input are
	// built, too.
	Directories []string
	// Only is the absolute path of a file; if it is set, what is built without this file is left out.
	Only string
}

// Apply builds the kustomizations of an input, and those above its files that name one of them as a patch. What is built
// replaces the documents of the files from which it is built, unless it is the same. The documents of
// patches and configurations are removed, because no API server receives them. Apply reports whether there is
// such a kustomization.
func Apply(in *manifest.Input, o Options) bool {
	t := &tree{FileSystem: o.Files, texts: o.Texts, name: o.Name, known: map[string]*manifest.File{}, kustomizations: map[string]*kustomization{}}
	paths := map[*manifest.File]string{}
	for _, f := range in.Files() {
		if path, ok := o.Path(f); ok {
			paths[f], t.known[f.Path] = path, f
		}
	}
	for _, path := range paths {
		t.addAbove(filepath.Dir(path))
	}
	concerned := map[string]bool{}
	for _, directory := range o.Directories {
		k := t.add(directory)
		for _, path := range paths {
			if k != nil && slices.Contains(k.resources, path) {
				concerned[k.directory] = true
			}
		}
	}
	for _, path := range paths {
		for _, k := range t.kustomizations {
			if k != nil && (k.path == path || slices.Contains(k.parts, path)) {
				concerned[k.directory] = true
			}
		}
	}
	if len(concerned) == 0 {
		return false
	}
	t.replace(in, t.buildAll(in, concerned), paths, o.Only)
	return true
}

// A tree holds the kustomizations of a file system.
type tree struct {
	filesys.FileSystem
	texts map[string]string
	name  func(string) string
	// known holds the files of the input by their paths there.
	known map[string]*manifest.File
	// kustomizations holds those that can be read by their directories; nil for other directories.
	kustomizations map[string]*kustomization
}

// ReadFile implements [filesys.FileSystem].
func (t *tree) ReadFile(path string) ([]byte, error) {
	if text, ok := t.texts[path]; ok {
		return []byte(text), nil
	}
	return t.FileSystem.ReadFile(path)
}

// add reads the kustomization in a directory. It returns nil if there is none.
func (t *tree) add(directory string) *kustomization {
	if k, ok := t.kustomizations[directory]; ok {
		return k
	}
	t.kustomizations[directory] = nil
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		path := filepath.Join(directory, name)
		if !t.Exists(path) {
			continue
		}
		if text, err := t.ReadFile(path); err == nil {
			if k, err := parse(t, path, text); err == nil {
				t.kustomizations[directory] = k
			}
		}
	}
	return t.kustomizations[directory]
}

// addAbove reads the kustomizations in a directory and above, within the repository.
func (t *tree) addAbove(directory string) {
	for {
		if _, ok := t.kustomizations[directory]; ok {
			return
		}
		t.add(directory)
		if t.Exists(filepath.Join(directory, ".git")) || directory == filepath.Dir(directory) {
			return
		}
		directory = filepath.Dir(directory)
	}
}

// buildAll builds the kustomizations in directories. One that others name is built as their part, unless
// they fail.
func (t *tree) buildAll(in *manifest.Input, directories map[string]bool) []*built {
	for changed := true; changed; { // add those that name them
		changed = false
		for _, k := range t.kustomizations {
			if k == nil || directories[k.directory] {
				continue
			}
			if slices.ContainsFunc(slices.Concat(k.bases, k.plugins), func(base string) bool { return directories[base] }) {
				directories[k.directory], changed = true, true
			}
		}
	}
	named := map[string]int{}
	var all []string
	for directory := range directories {
		all = append(all, directory)
		for _, base := range slices.Concat(t.kustomizations[directory].bases, t.kustomizations[directory].plugins) {
			named[base]++
		}
	}
	slices.Sort(all)
	var builds []*built
	done := map[string]bool{}
	var visit func(string)
	visit = func(directory string) {
		k := t.kustomizations[directory]
		if k == nil || done[directory] || k.isComponent() || !directories[directory] {
			return
		}
		done[directory] = true
		b, err := t.build(k)
		if err == nil {
			builds = append(builds, b)
			in.Builds = append(in.Builds, manifest.Build{Path: t.name(k.path), Objects: len(b.objects), LeftOut: b.remote()})
			return
		}
		in.Skip(t.name(k.path), "not built: "+k.reason(err))
		for _, base := range k.bases {
			visit(base)
		}
	}
	for _, directory := range all {
		if named[directory] == 0 {
			visit(directory)
		}
	}
	return builds
}

// nested matches what kustomize puts before the cause of an error.
var nested = regexp.MustCompile(`^(?:accumulating (?:resources|components)|recursed accumulation of path '[^']*'|accumulat(?:ion|eDirectory|eFile)[^:]*|accumulating resources from '[^']*'|trouble configuring builtin \w+ with config: ` + "`[^`]*`" + `|loader\.New "?[^:]*): `)

// reason returns the cause of an error of kustomize.
func (k *kustomization) reason(err error) string {
	text := strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), k.directory+string(filepath.Separator), "")
	for {
		shorter := nested.ReplaceAllString(text, "")
		if shorter == text {
			break
		}
		text = shorter
	}
	text, _, _ = strings.Cut(text, "': ") // Then follow the consequences.
	if short := []rune(text); len(short) > maxReason {
		text = string(short[:maxReason]) + "…"
	}
	return text
}

// maxReason limits the characters of a reason.
const maxReason = 200

// replace replaces the documents of the files from which objects are built.
func (t *tree) replace(in *manifest.Input, builds []*built, paths map[*manifest.File]string, only string) {
	documents := map[string][]*manifest.Document{}
	for _, d := range in.Documents {
		if path, ok := paths[d.File]; ok && !d.IsGenerated() {
			documents[path] = append(documents[path], d)
		}
	}
	// same holds the documents that are built as they are.
	same := map[*manifest.Document]bool{}
	resources := map[string]bool{}
	for _, b := range builds {
		for _, k := range b.read {
			for _, path := range k.resources {
				resources[path] = true
			}
		}
		for _, o := range b.objects {
			for _, d := range documents[o.path] {
				if isSame(d.Text, o.text) {
					same[d], o.document = true, d
				}
			}
		}
	}
	kept := map[string]bool{}
	for path, all := range documents {
		kept[path] = !slices.ContainsFunc(all, func(d *manifest.Document) bool { return !same[d] })
	}
	isPart := map[string]bool{}
	for _, k := range t.kustomizations {
		if k != nil {
			for _, path := range k.parts {
				isPart[path] = true
			}
		}
	}
	in.Documents = slices.DeleteFunc(in.Documents, func(d *manifest.Document) bool {
		path, ok := paths[d.File]
		return ok && !d.IsGenerated() && (isPart[path] || resources[path] && !kept[path])
	})
	type key struct{ path, text string }
	added := map[key]bool{}
	for _, b := range builds {
		for _, o := range b.objects {
			if o.document != nil && kept[o.path] || added[key{o.path, o.text}] || only != "" && !o.comesFrom(only) {
				continue
			}
			added[key{o.path, o.text}] = true
			in.AddBuilt(t.name(b.root.path), o.generated())
		}
	}
}

// isSame reports whether two texts have the same object.
func isSame(a, b string) bool {
	first, errFirst := yaml.YAMLToJSON([]byte(a))
	second, errSecond := yaml.YAMLToJSON([]byte(b))
	return errors.Join(errFirst, errSecond) == nil && string(first) == string(second)
}
