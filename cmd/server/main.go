// Command server serves the playground. It is the same program as "crdlab serve", without
// the other subcommands.
package main

import (
	"os"

	"github.com/crdlab/crdlab/internal/server"
)

// version is the release or commit of this build. The linker sets it.
var version = "unknown"

func main() { os.Exit(server.Program{Version: version}.Main(os.Args[1:])) }
