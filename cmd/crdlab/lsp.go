package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/lsp"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/minors"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/server"
	"github.com/crdlab/crdlab/internal/share"
)

// lspFlags holds the flags of the command lsp.
type lspFlags struct {
	programFlags
	cluster clusterFlags
}

func newLSP() *cobra.Command {
	var flags lspFlags
	command := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor with the Language Server Protocol",
		Long: `Serve an editor on standard input and output with the Language Server Protocol: verdicts,
completion, hover, fixes and definitions in CRDs and their objects while they are typed.
docs/editors.md has the configuration of editors.`,
		Args: cobra.NoArgs,
		RunE: runE(func(command *cobra.Command, _ []string) (int, error) { return runLSP(command, flags) }),
	}
	flags.addDirectory(command.Flags())
	flags.cluster.add(command)
	// Editors add this flag to name the transport, which is the only one.
	command.Flags().Bool("stdio", true, "use standard input and output")
	return command
}

func runLSP(command *cobra.Command, flags lspFlags) (int, error) {
	programs := minors.Open(flags.path())
	defer programs.Close()
	e := engine.New()
	var page localPage
	defer page.stop()
	generate := func(ctx context.Context, directory, pattern string, o lsp.GoOptions) (*manifest.Package, error) {
		return generatePackage(ctx, directory, pattern, gotypes.Options{Conventions: o.Conventions, Texts: pathsBelow(directory, o.Texts)})
	}
	orderly := lsp.Serve(command.Context(), stream{command.InOrStdin(), command.OutOrStdout()}, lsp.Options{
		Version: version, Answer: server.Assist(e), Evaluate: minors.NewEvaluator(e, programs.Judges()).Evaluate,
		Generate: generate, IsBuiltIn: isBuiltIn,
		Cluster: flags.cluster.allCRDs, Page: page.address, Log: log.New(command.ErrOrStderr(), "", 0),
	})
	if !orderly && command.Context().Err() == nil {
		return statusFindings, nil // as the protocol demands
	}
	return statusAccepted, nil
}

// allCRDs returns the CRDs of the cluster by their paths in messages.
func (f *clusterFlags) allCRDs(ctx context.Context) (map[string]string, error) {
	crds, err := f.crds(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, crd := range crds {
		all[clusterPath("customresourcedefinitions", crd.Name)] = crd.YAML
	}
	return all, nil
}

// A stream is standard input and output.
type stream struct {
	io.Reader
	io.Writer
}

// Close implements io.Closer. The process ends soon.
func (s stream) Close() error {
	if in, ok := s.Reader.(io.Closer); ok {
		return in.Close()
	}
	return nil
}

// A localPage is the page on this machine, which a process of its own serves from its first use.
type localPage struct {
	access  sync.Mutex
	process *exec.Cmd
	url     string
}

// address returns the address of the page with a scenario.
func (p *localPage) address(base string, s playground.Scenario) (string, error) {
	fragment, err := share.Fragment(s)
	if err != nil {
		return "", err
	}
	if base == "" {
		if base, err = p.start(); err != nil {
			return "", err
		}
	}
	return strings.TrimSuffix(base, "/") + "/" + fragment, nil
}

func (p *localPage) start() (string, error) {
	p.access.Lock()
	defer p.access.Unlock()
	if p.process != nil {
		return p.url, nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	process := exec.Command(program, "open", "--browser=false") //nolint:gosec // this program
	out, err := process.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := process.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", cmp.Or(process.Wait(), errors.New("the server of the page did not start"))
	}
	p.process, p.url = process, strings.TrimSpace(line)
	return p.url, nil
}

func (p *localPage) stop() {
	p.access.Lock()
	defer p.access.Unlock()
	if p.process != nil {
		_ = p.process.Process.Signal(os.Interrupt)
		_ = p.process.Wait()
	}
}
