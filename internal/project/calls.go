//go:build !js

package project

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A Call is a command that starts controller-gen for CRDs.
type Call struct {
	File string
	// Line counts from 1.
	Line int
	// Options are those after "crd:".
	Options string
	// directories are those of its packages, or none.
	directories []string
}

// Reach returns how near the packages of the call are to a directory: the length of the directory that contains them, or 0.
func (c Call) Reach(directory string) int {
	longest := 0
	for _, above := range c.directories {
		if below, err := filepath.Rel(above, directory); err == nil && filepath.IsLocal(below) {
			longest = max(longest, len(above))
		}
	}
	return longest
}

// scripts are the patterns of the files that may call controller-gen.
var scripts = []string{"*.go", "Makefile", "makefile", "GNUmakefile", "*.mk", "make/*.mk", "hack/*.go", "hack/*.sh", "hack/*.mk", "hack/*/*.sh", "scripts/*.sh"}

// callsIn returns the calls in the scripts of a directory, in their order.
func callsIn(directory string) []Call {
	var all []Call
	for _, pattern := range scripts {
		paths, _ := filepath.Glob(filepath.Join(directory, pattern)) // The patterns are right.
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
				continue
			}
			if text, err := os.ReadFile(path); err == nil {
				base := directory
				if filepath.Ext(path) == ".go" {
					base = filepath.Dir(path) // as the go command
				}
				all = append(all, callsOf(path, base, string(text))...)
			}
		}
	}
	return all
}

// maxScript limits the files that are searched, in bytes.
const maxScript = 1 << 20

var (
	// generatorCall matches the name of controller-gen, its package, and variables with its path.
	generatorCall = regexp.MustCompile(`(?i)controller[-_]gen`)
	// setVariable matches the value of a variable of make or of a shell.
	setVariable = regexp.MustCompile(`(?m)^\s*(?:export\s+)?(\w+)\s*[:?]*=\s*(.*)$`)
	reference   = regexp.MustCompile(`\$[({](\w+)[)}]|\$(\w+)`)
)

// callsOf returns the calls in a script. In Go files, only lines for "go generate" count.
func callsOf(path, base, text string) []Call {
	if !generatorCall.MatchString(text) {
		return nil
	}
	isGo := filepath.Ext(path) == ".go"
	variables := map[string]string{}
	if !isGo {
		for _, m := range setVariable.FindAllStringSubmatch(text, -1) {
			if _, ok := variables[m[1]]; !ok {
				variables[m[1]] = strings.Trim(m[2], `"'`)
			}
		}
	}
	var all []Call
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		first, line := i, lines[i]
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + " " + lines[i]
		}
		line = strings.TrimSpace(line)
		if isGo != strings.HasPrefix(line, "//go:generate") || strings.HasPrefix(line, "#") || !generatorCall.MatchString(line) {
			continue
		}
		c := Call{File: path, Line: first + 1}
		for range 3 { // A variable may have others.
			line = reference.ReplaceAllStringFunc(line, func(name string) string {
				if value, ok := variables[strings.Trim(name, "${}()")]; ok {
					return value
				}
				return name
			})
		}
		options, paths, isCRD := Arguments(line)
		for _, name := range paths {
			c.directories = append(c.directories, filepath.Join(base, strings.TrimSuffix(name, "...")))
		}
		if c.Options = options; isCRD && !strings.Contains(options, "$") {
			all = append(all, c)
		}
	}
	return all
}
