package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

const module = "github.com/crdlab/crdlab/"

// listings lists the arguments and environments of "go list" that find all
// packages: some packages exist only in WebAssembly.
var listings = []struct {
	patterns, environment []string
}{
	{[]string{"./..."}, nil},
	{[]string{"./wasm/...", "./cmd/worker/..."}, []string{"GOOS=js", "GOARCH=wasm"}},
}

// listImports returns the imports within this module, without tests.
func listImports() (graph, error) {
	imports := graph{}
	for _, listing := range listings {
		command := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports"}, listing.patterns...)...)
		command.Env = append(command.Environ(), listing.environment...)
		output, err := command.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if err := imports.addListing(output); err != nil {
			return nil, err
		}
	}
	return imports, nil
}

// addListing adds the packages in the JSON output of "go list".
func (g graph) addListing(output []byte) error {
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var listed struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&listed); err != nil {
			return fmt.Errorf("decode the output of go list: %w", err)
		}
		from, ok := strings.CutPrefix(listed.ImportPath, module)
		if !ok {
			continue // the root, which has only tests
		}
		g.addPackage(from)
		for _, path := range listed.Imports {
			if to, ok := strings.CutPrefix(path, module); ok {
				g.addImport(from, to)
			}
		}
	}
	return nil
}
