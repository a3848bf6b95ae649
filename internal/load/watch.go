package load

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/crdlab/crdlab/internal/manifest"
)

// settle is the time without further events after which a save is complete: editors write a
// file in several steps.
const settle = 15 * time.Millisecond

// A Watcher reports the changes of the manifests at paths.
type Watcher struct {
	reader  Reader
	paths   []string
	watcher *fsnotify.Watcher
}

// Watch watches the files at paths. Addresses and revisions do not change.
func (r Reader) Watch(paths []string) (*Watcher, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &Watcher{r, paths, watcher}
	if err := w.add(); err != nil {
		_ = watcher.Close()
		return nil, err
	}
	return w, nil
}

// Close stops watching.
func (w *Watcher) Close() error { return w.watcher.Close() }

// Next waits for a change, and returns the paths of the changed files in order. The error is
// from ctx or the file system.
func (w *Watcher) Next(ctx context.Context) ([]string, error) {
	changed := map[string]bool{}
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err := <-w.watcher.Errors:
			return nil, err
		case event := <-w.watcher.Events:
			if event.Op == fsnotify.Chmod || !w.concerns(event.Name) {
				continue
			}
			changed[filepath.Clean(event.Name)] = true
			settled = time.After(settle)
		case <-settled:
			return slices.Sorted(maps.Keys(changed)), w.add() // The change may be a new directory.
		}
	}
}

// concerns reports whether a file may affect the result: a manifest, the expectations beside
// it, a Go file if an argument is a pattern, a file that an argument names, or a directory.
func (w *Watcher) concerns(name string) bool {
	if IsManifestName(strings.TrimSuffix(name, ".want")) {
		return true
	}
	if filepath.Ext(name) == ".go" && slices.ContainsFunc(w.paths, manifest.IsGoPattern) {
		return true
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return !IsIgnored(info.Name())
	}
	return slices.ContainsFunc(w.paths, func(path string) bool {
		return filepath.Clean(w.reader.absolute(path)) == filepath.Clean(name)
	})
}

// add watches the directories of all paths. A directory that is watched already remains so.
func (w *Watcher) add() error {
	for _, path := range w.paths {
		if manifest.IsGoPattern(path) {
			path = strings.TrimSuffix(path, "...") // the directory
		}
		matches, _ := filepath.Glob(w.reader.absolute(path)) // A bad pattern has no matches.
		for _, match := range append(matches, filepath.Dir(w.reader.absolute(path))) {
			if err := w.addTree(match, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTree watches a directory with its subdirectories, or the directory of a file, because
// editors replace files.
func (w *Watcher) addTree(root, path string) error {
	info, err := os.Stat(root)
	switch {
	case err != nil: // no file: an address, a revision, or a file that was removed
		return nil
	case !info.IsDir():
		return w.watcher.Add(filepath.Dir(root))
	case root == filepath.Dir(w.reader.absolute(path)) && filepath.Clean(w.reader.absolute(path)) != root:
		return w.watcher.Add(root)
	}
	return filepath.WalkDir(root, func(directory string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return nil // An unreadable directory is a problem of the input.
		case directory != root && IsIgnored(entry.Name()):
			return fs.SkipDir
		}
		return w.watcher.Add(directory)
	})
}
