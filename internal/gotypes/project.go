//go:build !js

package gotypes

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// SettingsFile is the file with the settings of a project.
const SettingsFile = ".crdlab.yaml"

// settings is the content of the file.
type settings struct {
	// CRD has options of controller-gen as the flag --crd.
	CRD *string `json:"crd"`
	// Conventions requests notes on the conventions of the Kubernetes API.
	Conventions bool `json:"conventions"`
}

// A call is a command that starts controller-gen for CRDs.
type call struct {
	file string
	// line counts from 1; 0 for the settings file.
	line int
	// options are those after "crd:".
	options string
	// directories are those of its packages, or none.
	directories []string
}

// ofProject adds the options that the project of a directory uses: those of the settings file, or otherwise those of
// the call of controller-gen for the directory. Options of the command remain.
func (o Options) ofProject(directory string) (Options, error) {
	calls, set, err := projectAt(directory)
	if err != nil {
		return o, err
	}
	o.Conventions = o.Conventions || set.settings.Conventions
	if o.isGiven {
		return o, nil
	}
	if set.settings.CRD != nil {
		return o.from(call{file: set.file, options: *set.settings.CRD})
	}
	if len(calls) == 0 {
		return o, nil
	}
	reach := func(c call) int { // the length of the directory that contains the packages
		longest := 0
		for _, above := range c.directories {
			if below, err := filepath.Rel(above, directory); err == nil && filepath.IsLocal(below) {
				longest = max(longest, len(above))
			}
		}
		return longest
	}
	used := slices.MaxFunc(calls, func(a, b call) int { return reach(a) - reach(b) })
	if found, err := o.from(used); err == nil {
		return found, nil
	}
	return o, nil // An older controller-gen may have had these options.
}

// from returns the options of a call.
func (o Options) from(c call) (Options, error) {
	parsed, err := ParseOptions(c.options)
	if err != nil {
		return o, err
	}
	o.generator = parsed.generator
	o.generator.HeaderFile = ""
	o.text, o.source = c.options, c.file
	if c.line > 0 {
		o.source += ":" + strconv.Itoa(c.line)
	}
	return o, nil
}

// settingsIn has the settings of a file.
type settingsIn struct {
	file     string
	settings settings
}

// projectAt reads the settings and the calls of controller-gen in a directory and above, within the repository.
func projectAt(directory string) (calls []call, set settingsIn, err error) {
	for at := directory; ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(at, SettingsFile)); err == nil && set.file == "" {
			set.file = filepath.Join(at, SettingsFile)
			if err := yaml.UnmarshalStrict(text, &set.settings); err != nil {
				return nil, set, &fs.PathError{Op: "read", Path: set.file, Err: err}
			}
		}
		calls = append(calls, callsIn(at)...)
		_, err := os.Stat(filepath.Join(at, ".git"))
		if err == nil || at == filepath.Dir(at) {
			return calls, set, nil
		}
	}
}

// scripts are the patterns of the files that may call controller-gen.
var scripts = []string{"*.go", "Makefile", "makefile", "GNUmakefile", "*.mk", "make/*.mk", "hack/*.go", "hack/*.sh", "hack/*.mk", "hack/*/*.sh", "scripts/*.sh"}

// callsIn returns the calls in the scripts of a directory, in their order.
func callsIn(directory string) []call {
	var all []call
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
func callsOf(path, base, text string) []call {
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
	var all []call
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
		c := call{file: path, line: first + 1}
		isCRD := false
		for range 3 { // A variable may have others.
			line = reference.ReplaceAllStringFunc(line, func(name string) string {
				if value, ok := variables[strings.Trim(name, "${}()")]; ok {
					return value
				}
				return name
			})
		}
		for _, argument := range strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(line)) {
			if options, ok := strings.CutPrefix(argument, "crd:"); ok {
				c.options, isCRD = options, true
			}
			isCRD = isCRD || argument == "crd"
			if paths, ok := strings.CutPrefix(argument, "paths="); ok {
				for _, name := range strings.FieldsFunc(strings.Trim(paths, "{}"), func(r rune) bool { return r == ';' || r == ',' }) {
					c.directories = append(c.directories, filepath.Join(base, strings.TrimSuffix(name, "...")))
				}
			}
		}
		if isCRD && !strings.Contains(c.options, "$") {
			all = append(all, c)
		}
	}
	return all
}

// HasConventions reports whether the settings of a directory's project request the notes on conventions.
func HasConventions(directory string) bool {
	_, set, _ := projectAt(directory)
	return set.settings.Conventions
}

var conventionsLine = regexp.MustCompile(`(?m)^conventions:.*$`)

// RequestConventions makes the settings file of a directory's project request the notes on conventions. A new
// file is beside the go.mod.
func RequestConventions(directory string) error {
	_, set, err := projectAt(directory)
	if err != nil {
		return err
	}
	if set.file == "" {
		root, _ := moduleAbove(directory, directory)
		set.file = filepath.Join(root, SettingsFile)
	}
	text, err := os.ReadFile(set.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	requested := []byte("conventions: true")
	if conventionsLine.Match(text) {
		text = conventionsLine.ReplaceAll(text, requested)
	} else {
		text = slices.Concat(bytes.TrimRight(text, "\n"), []byte("\n"), requested, []byte("\n"))
	}
	return os.WriteFile(set.file, bytes.TrimLeft(text, "\n"), 0o644) //nolint:gosec // as other files of the repository
}
