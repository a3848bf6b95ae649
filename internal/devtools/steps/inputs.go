package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// settings are the prefixes of the environment variables that affect tests.
var settings = []string{"ARCHES=", "CGO_", "CHROMIUM=", "CI=", "CRDLAB_", "GO", "LANG=", "LC_", "NODE_", "PATH=", "TZ="}

// hashInputs returns a hash of every file of the repository that is not
// ignored, of the corpus, of the programs and of the environment. It returns ""
// outside a repository.
func hashInputs(programs []string) (string, error) {
	output, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return "", nil // There is no repository.
	}
	sum := sha256.New()
	for name := range bytes.SplitSeq(bytes.TrimSuffix(output, []byte{0}), []byte{0}) {
		if err := hashFile(sum, string(name)); err != nil {
			return "", err
		}
	}
	for _, program := range programs {
		if err := hashProgram(sum, program); err != nil {
			return "", err
		}
	}
	if err := hashCorpus(sum, os.Getenv("CRDLAB_CORPUS")); err != nil {
		return "", err
	}
	hashEnvironment(sum)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func hashFile(sum hash.Hash, name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(sum, "%q is missing\n", name)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%q %v\n", name, info.Mode())
	if !info.Mode().IsRegular() {
		target, err := os.Readlink(name)
		fmt.Fprintf(sum, "%q\n", target)
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(sum, file)
	return err
}

// hashProgram identifies an installed program by its size and time of
// modification.
func hashProgram(sum hash.Hash, name string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		fmt.Fprintf(sum, "%s is not installed\n", name)
		return nil
	}
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%s %s %d %v\n", name, path, info.Size(), info.ModTime())
	return nil
}

// hashCorpus identifies the files of a directory outside the repository by size
// and time of modification.
func hashCorpus(sum hash.Hash, directory string) error {
	if directory == "" {
		return nil
	}
	return filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %d %v\n", path, info.Size(), info.ModTime())
		return nil
	})
}

func hashEnvironment(sum hash.Hash) {
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH, os.Getuid())
	for _, variable := range slices.Sorted(slices.Values(os.Environ())) {
		if slices.ContainsFunc(settings, func(prefix string) bool { return strings.HasPrefix(variable, prefix) }) {
			fmt.Fprintf(sum, "%q\n", variable)
		}
	}
}

// A record describes a run of a step without failures.
type record struct {
	Inputs  string `json:"inputs"`
	Passed  int    `json:"passed"`
	Skipped int    `json:"skipped"`
}

const recordName = "passed.json"

// readRecord returns the tests of an earlier run with the same inputs.
func readRecord(directory, inputs string) (tally, bool) {
	content, err := os.ReadFile(filepath.Join(directory, recordName))
	if err != nil || inputs == "" {
		return tally{}, false
	}
	var earlier record
	if err := json.Unmarshal(content, &earlier); err != nil || earlier.Inputs != inputs {
		return tally{}, false
	}
	return tally{passed: earlier.Passed, skipped: earlier.Skipped}, true
}

func writeRecord(directory, inputs string, tests tally) error {
	content, err := json.Marshal(record{inputs, tests.passed, tests.skipped})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, recordName), content, 0o600)
}
