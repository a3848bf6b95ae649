//go:build !js

// Package project reads what a project says about itself: its settings for crdlab, and its calls of controller-gen.
package project

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"
)

// SettingsFile is the name of the file with the settings of a project.
const SettingsFile = ".crdlab.yaml"

// Settings is the content of a settings file.
type Settings struct {
	// File is the path of the file; empty without one.
	File string `json:"-"`
	// CRD has options of controller-gen as the flag --crd.
	CRD *string `json:"crd"`
	// Conventions requests notes on the conventions of the Kubernetes API.
	Conventions bool `json:"conventions"`
	// Ignore lists patterns of [path.Match] for files and directories that are not read, relative to the
	// directory of the settings file.
	Ignore []string `json:"ignore"`
}

// Ignores reports whether a file or directory is not read.
func (s Settings) Ignores(name string) bool {
	relative, err := filepath.Rel(filepath.Dir(s.File), name)
	if err != nil || !filepath.IsLocal(relative) {
		return false
	}
	for at := filepath.ToSlash(relative); at != "."; at = path.Dir(at) {
		if slices.ContainsFunc(s.Ignore, func(pattern string) bool {
			matches, _ := path.Match(path.Clean(pattern), at) // readSettings validates the patterns.
			return matches
		}) {
			return true
		}
	}
	return false
}

// readSettings reads a settings file. Without the file, the error is [fs.ErrNotExist].
func readSettings(file string) (s Settings, err error) {
	s.File = file
	text, err := os.ReadFile(file)
	if err != nil {
		return Settings{}, err
	}
	if err := yaml.UnmarshalStrict(text, &s); err != nil {
		return s, &fs.PathError{Op: "read", Path: file, Err: err}
	}
	for _, pattern := range s.Ignore {
		if _, err := path.Match(pattern, ""); err != nil {
			return s, &fs.PathError{Op: "read", Path: file, Err: fmt.Errorf("ignore: %q is not a pattern", pattern)}
		}
	}
	return s, nil
}

// SettingsAt returns the settings for a directory: those in it or above, within the repository.
func SettingsAt(directory string) (found Settings, err error) {
	err = climb(directory, func(at string) (goOn bool, err error) {
		found, err = readSettings(filepath.Join(at, SettingsFile))
		if errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
		return false, err
	})
	return found, err
}

// CallsAt returns the calls of controller-gen in a directory and above, within the repository.
func CallsAt(directory string) (all []Call) {
	_ = climb(directory, func(at string) (bool, error) { // never fails
		all = append(all, callsIn(at)...)
		return true, nil
	})
	return all
}

// climb visits a directory and those above it, within the repository.
func climb(directory string, visit func(at string) (goOn bool, err error)) error {
	for at := directory; ; at = filepath.Dir(at) {
		if goOn, err := visit(at); err != nil || !goOn {
			return err
		}
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil || at == filepath.Dir(at) {
			return nil
		}
	}
}

var conventionsLine = regexp.MustCompile(`(?m)^conventions:.*$`)

// RequestConventions makes the settings file of a directory's project request the notes on conventions. A new
// file is in root.
func RequestConventions(directory, root string) error {
	s, err := SettingsAt(directory)
	if err != nil {
		return err
	}
	if s.File == "" {
		s.File = filepath.Join(root, SettingsFile)
	}
	text, err := os.ReadFile(s.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	requested := []byte("conventions: true")
	if conventionsLine.Match(text) {
		text = conventionsLine.ReplaceAll(text, requested)
	} else {
		text = slices.Concat(bytes.TrimRight(text, "\n"), []byte("\n"), requested, []byte("\n"))
	}
	return os.WriteFile(s.File, bytes.TrimLeft(text, "\n"), 0o644) //nolint:gosec // as other files of the repository
}
