package gotypes

import (
	"cmp"
	"embed"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/agnivade/levenshtein"
	"golang.org/x/tools/txtar"
)

// knownTexts has the declarations of types that CRDs import, in a file for each project:
// internal/devtools/knowntypes writes it. The program contains the files, so it also generates CRDs
// where there is no go command, such as in a browser.
//
//go:embed known
var knownTexts embed.FS

// knownFiles returns the files of each known package, by import path.
var knownFiles = sync.OnceValue(func() map[string][]txtar.File {
	byPackage := map[string][]txtar.File{}
	projects, _ := fs.Glob(knownTexts, "known/*.txtar") // The pattern is right.
	for _, project := range projects {
		text, err := knownTexts.ReadFile(project)
		if err != nil {
			panic(err) // The files are part of the program.
		}
		for _, file := range txtar.Parse(text).Files {
			byPackage[path.Dir(file.Name)] = append(byPackage[path.Dir(file.Name)], file)
		}
	}
	return byPackage
})

// nearestCount is the number of known packages that a hint lists at most.
const nearestCount = 3

// nearest returns the known packages whose paths are similar to a path, the most similar first.
func nearest(path string) []string {
	distances := map[string]int{}
	for known := range knownFiles() {
		if d := levenshtein.ComputeDistance(path, known); d <= len(path)/2 {
			distances[known] = d
		}
	}
	similar := slices.SortedFunc(maps.Keys(distances), func(a, b string) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(a, b))
	})
	return similar[:min(len(similar), nearestCount)]
}
