package lsp

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/cluster"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
)

// A workspace finds the CRDs of kinds in the folders of the editor. It reads the files of a kind
// when an object of the kind is opened, and again after files have changed.
type workspace struct {
	options Options
	// warn tells the user which paths of the settings cannot be read.
	warn func([]manifest.Problem)
	// working shows the user that files are read.
	working func(context.Context) (done func())

	// outdated reports that files have changed since they were read. A notification sets it without
	// the lock, because the messages behind it must not wait until CRDs are read.
	outdated atomic.Bool

	// access guards the fields below. Nobody holds it while files are read: a function reads them once, for all
	// who need them.
	access  sync.Mutex
	folders []string
	// known returns the CRDs of kinds in the folders.
	known map[bundle.Kind]func() []*manifest.Document
	// goPackages returns the directories of the Go packages in the folders by the groups of their kinds.
	goPackages func() map[string][]string
	// kustomizations returns the directories of kustomizations in the folders.
	kustomizations func() []string
	// further returns the CRDs of the settings and of the cluster; nil if they are not asked for yet.
	further func() *manifest.Input
	// former is the last value of further, for the settings with a number. Its addresses and CRDs of the cluster are
	// not read again.
	former      *manifest.Input
	cluster     map[string]string
	settingsNow int
}

func newWorkspace(o Options, warn func([]manifest.Problem), working func(context.Context) (done func())) *workspace {
	return &workspace{options: o, warn: warn, working: working, known: map[bundle.Kind]func() []*manifest.Document{}}
}

// setFolders adds and removes folders.
func (w *workspace) setFolders(added, removed []string) {
	w.forget()
	w.access.Lock()
	defer w.access.Unlock()
	w.folders = slices.DeleteFunc(append(w.folders, added...), func(path string) bool { return slices.Contains(removed, path) })
}

func (w *workspace) allFolders() []string {
	w.access.Lock()
	defer w.access.Unlock()
	return slices.Clone(w.folders)
}

// forget reads files again when they are needed.
func (w *workspace) forget() { w.outdated.Store(true) }

// forgetSettings reads everything again when it is needed.
func (w *workspace) forgetSettings() {
	w.forget()
	w.access.Lock()
	defer w.access.Unlock()
	w.former, w.cluster = nil, nil
	w.settingsNow++
}

// crds returns the CRDs of a kind. The problems of other files do not matter.
func (w *workspace) crds(ctx context.Context, s settings, kind bundle.Kind) []*manifest.Document {
	ctx = context.WithoutCancel(ctx) // Otherwise each keystroke would begin anew.
	w.access.Lock()
	w.refresh()
	known, isKnown := w.known[kind]
	isKnown = isKnown && w.further != nil
	further := w.furtherCRDs(ctx, s)
	if known == nil {
		folders := slices.Clone(w.folders)
		known = sync.OnceValue(func() []*manifest.Document {
			reader := load.Reader{Wants: func(text string) bool {
				return isOfCRD(text) && strings.Contains(text, kind.Kind) && strings.Contains(text, kind.Group)
			}}
			found := crdsOf(reader.Read(ctx, folders), kind)
			if len(found)+len(crdsOf(further(), kind)) == 0 {
				found = w.generated(ctx, kind)
			}
			return found
		})
		w.known[kind] = known
	}
	w.access.Unlock()
	if !isKnown {
		defer w.working(ctx)()
	}
	return append(slices.Clone(known()), crdsOf(further(), kind)...)
}

// refresh forgets what was read before files changed. The caller holds access.
func (w *workspace) refresh() {
	if !w.outdated.Swap(false) && w.goPackages != nil {
		return
	}
	clear(w.known)
	w.further = nil
	folders := slices.Clone(w.folders)
	w.goPackages = sync.OnceValue(func() map[string][]string { return goPackages(folders) })
	w.kustomizations = sync.OnceValue(func() []string { return kustomizationsIn(folders) })
}

// groups returns the directories of the Go packages in the folders by the groups of their kinds.
func (w *workspace) groups() map[string][]string {
	w.access.Lock()
	w.refresh()
	read := w.goPackages
	w.access.Unlock()
	return read()
}

// allCRDs returns the CRDs in the folders, and those of the settings and of the cluster.
func (w *workspace) allCRDs(ctx context.Context, s settings) []*manifest.Document {
	w.access.Lock()
	w.refresh()
	further := w.furtherCRDs(context.WithoutCancel(ctx), s)
	w.access.Unlock()
	in := load.Reader{Wants: isOfCRD}.Read(ctx, w.allFolders())
	return slices.DeleteFunc(append(in.Documents, further().Documents...), func(d *manifest.Document) bool { return !d.IsCRD })
}

// objects returns the objects of a kind in the folders.
func (w *workspace) objects(ctx context.Context, kind bundle.Kind) []*manifest.Document {
	reader := load.Reader{Wants: func(text string) bool { return strings.Contains(text, kind.Group) && strings.Contains(text, kind.Kind) }}
	in := reader.Read(ctx, w.allFolders())
	return slices.DeleteFunc(in.Documents, func(d *manifest.Document) bool { return d.IsCRD || d.Kind != kind })
}

func isOfCRD(text string) bool { return strings.Contains(text, "CustomResourceDefinition") }

// furtherCRDs returns the function that reads the CRDs of the settings and of the cluster. The caller holds access.
func (w *workspace) furtherCRDs(ctx context.Context, s settings) func() *manifest.Input {
	if w.further != nil {
		return w.further
	}
	former, inCluster, number, directory := w.former, w.cluster, w.settingsNow, ""
	if len(w.folders) > 0 {
		directory = w.folders[0]
	}
	w.further = sync.OnceValue(func() *manifest.Input {
		reader := newReader(directory, gotypes.Options{})
		reader.Previous = former
		in := reader.Read(ctx, s.CRDs)
		if s.FromCluster && inCluster == nil {
			var err error
			if inCluster, err = w.options.clusterCRDs(ctx); err != nil {
				in.Problems = append(in.Problems, manifest.Problem{Path: "cluster", Err: err})
			}
		}
		for _, path := range slices.Sorted(maps.Keys(inCluster)) {
			in.Add(path, inCluster[path])
		}
		if former == nil { // Once is enough.
			w.warn(in.Problems)
		}
		w.access.Lock()
		defer w.access.Unlock()
		if number == w.settingsNow {
			w.former, w.cluster = in, inCluster
		}
		return in
	})
	return w.further
}

// clusterCRDs returns the CRDs of the cluster by their paths in messages.
func (o Options) clusterCRDs(ctx context.Context) (map[string]string, error) {
	client, err := cluster.Open(o.Kubeconfig, o.Context)
	if err != nil {
		return nil, err
	}
	crds, err := client.CRDs(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, crd := range crds {
		all[cluster.Path("customresourcedefinitions", crd.Name)] = crd.YAML
	}
	return all, nil
}

func crdsOf(in *manifest.Input, kind bundle.Kind) []*manifest.Document {
	var found []*manifest.Document
	for _, d := range in.Documents {
		if d.IsCRD && d.Described == kind {
			found = append(found, d)
		}
	}
	return found
}

// headOf returns a function that reads the documents of a file in the last commit. They are none
// outside of repositories, without git, and for new files.
func (w *workspace) headOf(path string) func() *manifest.Input {
	return sync.OnceValue(func() *manifest.Input {
		if !filepath.IsAbs(path) || !load.IsManifestName(path) {
			return manifest.NewInput()
		}
		reader := load.Reader{Directory: filepath.Dir(path)}
		return reader.Read(context.Background(), []string{"HEAD:./" + filepath.Base(path)})
	})
}

// input returns the documents of an open file, and what judges them: the CRDs of their kinds, and in
// other open files the CRDs of their groups, and the policies with what they read. Files are in the
// order of their paths, as for "crdlab check".
func (s snapshot) input(ctx context.Context, f *file) *manifest.Input {
	own := f.read().Documents
	in := &manifest.Input{Documents: slices.Clone(own)}
	groups := map[string]bool{}
	for _, d := range own {
		groups[cmp.Or(d.Described.Group, d.Kind.Group)] = true
	}
	hasPolicy := slices.ContainsFunc(own, check.IsPolicy)
	open := s.openPaths()
	delete(groups, "")
	all := s.openDocuments(groups)
	for _, d := range all.Documents {
		if d.IsCRD && (hasPolicy || groups[d.Described.Group]) && d.File.Path != f.path {
			in.Documents = append(in.Documents, d)
		}
	}
	for _, d := range check.Policies(all) {
		if d.File.Path != f.path {
			in.Documents = append(in.Documents, d)
		}
	}
	asked := map[bundle.Kind]bool{}
	for _, d := range own {
		if d.IsCRD || asked[d.Kind] || cluster.HasKind(d.APIVersion, d.Kind.Kind) {
			continue
		}
		asked[d.Kind] = true
		for _, crd := range s.workspace.crds(ctx, s.settings, d.Kind) {
			if !open[crd.File.Path] {
				in.Documents = append(in.Documents, crd)
			}
		}
	}
	slices.SortStableFunc(in.Documents, func(a, b *manifest.Document) int { return strings.Compare(a.File.Path, b.File.Path) })
	return in
}

// openPaths returns the paths of the open files.
func (s snapshot) openPaths() map[string]bool {
	open := map[string]bool{}
	for _, f := range s.files {
		open[f.path] = true
	}
	return open
}

// openDocuments returns the documents of the open files that have a CRD of one of the groups. If a file has
// a policy, which may read any object, it returns the documents of all open files. Other files are not
// parsed, because a request must not wait for a large one.
func (s snapshot) openDocuments(groups map[string]bool) *manifest.Input {
	hasPolicy := false
	for _, f := range s.files {
		hasPolicy = hasPolicy || f.sets("apiVersion", check.AdmissionGroup)
	}
	all := &manifest.Input{}
	for _, uri := range slices.Sorted(maps.Keys(s.files)) {
		f := s.files[uri]
		if hasPolicy || slices.ContainsFunc(slices.Collect(maps.Keys(groups)), func(group string) bool { return f.sets("group", group) }) {
			all.Documents = append(all.Documents, f.read().Documents...)
		}
	}
	return all
}

// judgesOthers reports whether a file has documents with which other open files are judged.
func (s snapshot) judgesOthers(f *file) bool {
	policies := check.Policies(s.openDocuments(nil))
	return f.hasCRD() || f.isBuilt.Load() || slices.ContainsFunc(policies, func(d *manifest.Document) bool { return d.File.Path == f.path })
}

// targets returns the documents of an open file, in order, each with its CRD.
func (s snapshot) targets(ctx context.Context, f *file) []target {
	in := s.input(ctx, f)
	definitions, _ := check.Definitions(in, func(j check.Definition) bool {
		judged, err := f.judge(ctx, s)
		return err == nil && judged.reports[j.CRD].CRD.Accepted
	})
	admission := check.AdmissionOf(in)
	var all []target
	for _, d := range f.read().Documents {
		all = append(all, target{d, definitions[d].CRD, definitions[d].Old, admission})
	}
	return all
}

// targetAt returns the document in a line of an open file, with its CRD. ok is false if there is
// none, or if its CRD is unknown.
func (s snapshot) targetAt(ctx context.Context, f *file, line int) (t target, ok bool) {
	for _, t := range s.targets(ctx, f) {
		if r := t.document.Range; t.crd != nil && r.Start.Line <= line && line <= r.End.Line {
			return t, true
		}
	}
	return t, false
}
