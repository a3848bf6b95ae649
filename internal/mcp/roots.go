package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
)

// roots lists the directories whose files are read.
type roots []string

// roots returns the roots of a request. If the client must name its own first, it returns the
// request for them.
func (o Options) roots(r *sdk.CallToolRequest, in input) (all roots, pending *sdk.CallToolResult) {
	const id = "roots"
	client := r.Session.InitializeParams()
	needed := false
	for _, source := range in.sources() {
		needed = needed || len(source.Paths) > 0
	}
	answer, answered := r.Params.InputResponses[id].(*sdk.ListRootsResult) //nolint:staticcheck // deprecated for a year: clients still name their folders so
	switch {
	case answered:
		for _, root := range answer.Roots {
			if address, err := url.Parse(root.URI); err == nil && address.Scheme == "file" {
				all = append(all, filepath.FromSlash(address.Path))
			}
		}
	case needed && client != nil && client.Capabilities != nil && client.Capabilities.RootsV2 != nil: //nolint:staticcheck // see above
		return nil, &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{id: &sdk.ListRootsParams{}}} //nolint:staticcheck // see above
	}
	return append(all, o.Roots...), nil
}

// read reads the documents of a source. It returns a line for each problem.
func (r roots) read(s source) (in *manifest.Input, problems []string) {
	in = manifest.NewInput()
	if s.Text != "" {
		in.Add(s.name, s.Text)
	}
	for _, path := range s.Paths {
		if err := r.readPath(in, path); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", path, err))
		}
	}
	for _, p := range in.Problems {
		problems = append(problems, p.Error())
	}
	return in, problems
}

// readPath reads the file, or the manifests in the directory, at a path below a root. A link that
// leaves the root is an error.
func (r roots) readPath(in *manifest.Input, path string) error {
	failure := errors.New("not below a root: the client or the flag --root must name its directory")
	for _, directory := range r {
		name := path
		if filepath.IsAbs(path) {
			name, _ = filepath.Rel(directory, path)
		}
		if !filepath.IsLocal(name) {
			continue
		}
		root, err := os.OpenRoot(directory)
		if err != nil {
			failure = err
			continue
		}
		defer root.Close()
		if _, failure = root.Stat(name); failure == nil {
			return walk(in, root, path, filepath.ToSlash(filepath.Clean(name)))
		}
	}
	return cause(failure)
}

// cause returns an error without the name of the file.
func cause(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// walk reads a file, or the manifests in a directory: path for the client, and start below root.
func walk(in *manifest.Input, root *os.Root, path, start string) error {
	var failures []error
	err := fs.WalkDir(root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != start && load.IsIgnored(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || name != start && !load.IsManifestName(name):
			return nil
		}
		text, err := readFile(root, name)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", name, cause(err)))
			return nil
		}
		beside := func(suffix string) (string, error) {
			again, err := os.OpenRoot(root.Name())
			if err != nil {
				return "", err
			}
			defer again.Close()
			return readFile(again, name+suffix)
		}
		in.AddFile(filepath.Join(path, filepath.FromSlash(strings.TrimPrefix(name, start))), text, beside)
		return nil
	})
	return errors.Join(append(failures, err)...)
}

// maxFile is the largest size of a file in bytes.
const maxFile = 16 << 20

func readFile(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular(): // reading a named pipe may never end
		return "", errors.New("not a file")
	case info.Size() > maxFile:
		return "", fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	text, err := root.ReadFile(name)
	return string(text), err
}
