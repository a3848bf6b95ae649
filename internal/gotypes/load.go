//go:build !js

package gotypes

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// ErrNoGo reports that the go command, which finds the imported packages, is not installed.
var ErrNoGo = errors.New("the go command is not installed; it finds the packages that the types import")

// Load generates the CRDs of the Go packages that match patterns, as the go command finds
// them. directory is the current directory of the patterns; empty means the directory of the process.
// The paths of files are relative to it.
func Load(ctx context.Context, directory string, patterns []string, o Options) (*Generated, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, ErrNoGo
	}
	for _, pattern := range patterns {
		if err := findDirectory(directory, pattern); err != nil {
			return nil, err
		}
	}
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Context: ctx, Dir: directory}, patterns...)
	if err != nil {
		return nil, err
	}
	return generate(roots, newFiles(directory, func(path string) string { return displayPath(directory, path) }), o)
}

// findDirectory returns an error if the directory of a pattern does not exist. The error of
// the go command would not say so.
func findDirectory(base, pattern string) error {
	path := filepath.FromSlash(strings.TrimSuffix(pattern, "..."))
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, ".") {
		return nil // an import path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return errors.New("no such directory: " + pattern)
	}
	return nil
}

// displayPath returns the path of a file relative to a directory if the file is inside it.
func displayPath(directory, path string) string {
	base, err := filepath.Abs(directory)
	if err != nil {
		return path
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return path
	}
	if !filepath.IsAbs(path) {
		return path
	}
	relative, err := filepath.Rel(base, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return path
	}
	return relative
}
