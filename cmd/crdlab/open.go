package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/server"
	"github.com/crdlab/crdlab/internal/share"
)

// maxArgument is the number of characters of the longest link that operating systems pass to
// a browser: Linux limits an argument to 128 KiB.
const maxArgument = 128<<10 - 256

// openFlags holds the flags of the command open.
type openFlags struct {
	scenarioFlags
	address string
	browser bool
}

func newOpen() *cobra.Command {
	var flags openFlags
	command := &cobra.Command{
		Use:   "open [PATH...]",
		Short: "Serve the page on this machine, and open files in it",
		Long: `Serve the page on this machine until an interrupt, and open it in a browser with the CRDs
and objects at the paths. BROWSER names the program of another browser. The server has
no short links.

` + goHelp + inputHelp,
		Example: `  crdlab open crd.yaml object.yaml
  crdlab open --browser=false --addr 127.0.0.1:8080 config`,
		RunE: runE(func(command *cobra.Command, paths []string) (int, error) {
			return runOpen(command, flags, paths)
		}),
	}
	flags.add(command)
	command.Flags().StringVar(&flags.address, "addr", "127.0.0.1:0", "listen on `host:port`; port 0 is any free port")
	command.Flags().BoolVar(&flags.browser, "browser", true, "open the page in a browser")
	return command
}

func runOpen(command *cobra.Command, flags openFlags, paths []string) (int, error) {
	fragment, problems, err := flags.fragment(command, paths)
	if err != nil {
		return 0, err
	}
	if len(fragment) > maxArgument {
		return 0, usageError("%w", &share.TooLongError{Length: len(fragment), Max: maxArgument})
	}
	if problems > 0 {
		return statusUsage, nil
	}
	program := server.Program{Version: version, Serving: func(url string) {
		address := url + "/" + fragment
		fmt.Fprintln(command.OutOrStdout(), address)
		if !flags.browser {
			return
		}
		if err := openBrowser(address); err != nil {
			notify(command, "no browser: %v; open the address above", err)
		}
	}}
	return program.Main([]string{"--addr", flags.address, "--store", "none"}), nil
}

// openBrowser starts the browser of the user, or the program in the variable BROWSER.
func openBrowser(address string) error {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if browser := os.Getenv("BROWSER"); browser != "" {
		opener = strings.Fields(browser)
	}
	process := exec.Command(opener[0], append(opener[1:], address)...) //nolint:gosec // the user's program
	if err := process.Start(); err != nil {
		return err
	}
	go func() { _ = process.Wait() }() // Otherwise the process would remain as a zombie.
	return nil
}
