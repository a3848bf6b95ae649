package lsp

import (
	"bufio"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// A localPage is the page on this machine, which a process of its own serves from its first use.
type localPage struct {
	access  sync.Mutex
	process *exec.Cmd
	url     string
}

// address returns the address of a scenario in the page with an address; if that is empty, in this page.
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
