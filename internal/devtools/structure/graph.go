package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A graph maps each package to the packages that it imports.
type graph map[string]map[string]bool

func (g graph) addImport(from, to string) {
	g.addPackage(from)
	g.addPackage(to)
	if from != to {
		g[from][to] = true
	}
}

func (g graph) addPackage(name string) {
	if g[name] == nil {
		g[name] = map[string]bool{}
	}
}

// collapsed lists directories whose packages appear as one package.
var collapsed = []string{"internal/source", "internal/share", "internal/engine/admission"}

// omitted lists directories that no program depends on.
var omitted = []string{"internal/devtools", "internal/enginetest", "internal/refserver", "cmd/worker/storetest", "deploy"}

// collapse returns the graph without the omitted packages and with one package
// for each collapsed directory.
func (g graph) collapse() graph {
	result := graph{}
	for from, imports := range g {
		if findDirectory(omitted, from) != "" {
			continue
		}
		result.addPackage(representative(from))
		for to := range imports {
			result.addImport(representative(from), representative(to))
		}
	}
	return result
}

// representative returns the name under which a package appears.
func representative(name string) string {
	if directory := findDirectory(collapsed, name); directory != "" {
		return directory
	}
	return name
}

// findDirectory returns the directory that is or contains a package, or an empty
// string.
func findDirectory(directories []string, name string) string {
	for _, directory := range directories {
		if name == directory || strings.HasPrefix(name, directory+"/") {
			return directory
		}
	}
	return ""
}

// reduce returns the graph without the imports that follow from others: if A
// imports B and B imports C, it omits the import of C by A. The graph must have
// no cycles.
func (g graph) reduce() graph {
	reachable := map[string]map[string]bool{}
	var reach func(string) map[string]bool
	reach = func(name string) map[string]bool {
		if reachable[name] != nil {
			return reachable[name]
		}
		all := map[string]bool{}
		for imported := range g[name] {
			all[imported] = true
			maps.Copy(all, reach(imported))
		}
		reachable[name] = all
		return all
	}
	result := graph{}
	for from, imports := range g {
		result.addPackage(from)
		for to := range imports {
			isIndirect := false
			for other := range imports {
				isIndirect = isIndirect || reach(other)[to]
			}
			if !isIndirect {
				result.addImport(from, to)
			}
		}
	}
	return result
}

// mermaid returns the graph as a Mermaid flowchart, sorted by name.
func (g graph) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, name := range slices.Sorted(maps.Keys(g)) {
		fmt.Fprintf(&b, "  %s[%s]\n", nodeID(name), strings.TrimPrefix(name, "internal/"))
	}
	for _, from := range slices.Sorted(maps.Keys(g)) {
		for _, to := range slices.Sorted(maps.Keys(g[from])) {
			fmt.Fprintf(&b, "  %s --> %s\n", nodeID(from), nodeID(to))
		}
	}
	return b.String()
}

// nodeID returns the identifier of a package in Mermaid, which permits no
// slashes.
func nodeID(name string) string { return strings.ReplaceAll(name, "/", "_") }
