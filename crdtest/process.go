package crdtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// program is the variable with the path of the program, and install the command that
// installs it.
const (
	program = "CRDLAB_BIN"
	install = "go install github.com/crdlab/crdlab/cmd/crdlab@latest"
)

// protocol is the version of the protocol with the program.
const protocol = 1

// The messages of the protocol. A request has one of the fields Test, Open and Judge.
type (
	hello struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
	}
	request struct {
		Releases    []string      `json:"releases,omitempty"`
		Approximate bool          `json:"approximate,omitempty"`
		Test        *testRequest  `json:"test,omitempty"`
		Open        *openRequest  `json:"open,omitempty"`
		Judge       *judgeRequest `json:"judge,omitempty"`
	}
	testRequest struct {
		Paths  []string `json:"paths"`
		Mutate bool     `json:"mutate"`
	}
	openRequest struct {
		Text string `json:"text,omitempty"`
		Path string `json:"path,omitempty"`
	}
	judgeRequest struct {
		CRDs      int    `json:"crds"`
		Object    string `json:"object"`
		Stored    string `json:"stored,omitempty"`
		Operation string `json:"operation,omitempty"`
	}
	response struct {
		Error       string   `json:"error"`
		Tests       []file   `json:"tests"`
		Approximate []string `json:"approximate"`
		// Mutations is nil unless all tests passed and the request mutates.
		Mutations *mutations `json:"mutations"`
		CRDs      int        `json:"crds"`
		Verdicts  []Verdict  `json:"verdicts"`
	}
	file struct {
		Path     string    `json:"path"`
		Failures []failure `json:"failures"`
	}
	mutations struct {
		Share   float64  `json:"share"`
		Summary string   `json:"summary"`
		Missed  []string `json:"missed"`
	}
	failure struct {
		Path    string `json:"path"`
		Line    int    `json:"line"`
		Message string `json:"message"`
	}
)

// A process is the running program. It ends with the test binary, which closes its standard
// input.
type process struct {
	access    sync.Mutex
	in        io.Closer
	requests  *json.Encoder
	responses *json.Decoder
	command   *exec.Cmd
	// stderr holds the messages of the program.
	stderr bytes.Buffer
	// err is the reason why the process cannot be used any more.
	err error
}

// shared is the process of the test binary.
var shared = sync.OnceValues(start)

// directory is the directory of the tests, in which the program runs.
var directory, _ = os.Getwd()

// relative returns a path relative to the directory of the program, for messages. A test may
// have changed its own directory.
func relative(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	fromDirectory, err := filepath.Rel(directory, absolute)
	if err != nil {
		return absolute
	}
	return fromDirectory
}

func start() (*process, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	p, h, err := launch(path, "crdtest")
	if err != nil {
		return nil, fmt.Errorf("%s does not support this package, update it: %s\n%w", path, install, err)
	}
	if h.Protocol != protocol {
		return nil, fmt.Errorf("%s %s has the protocol %d, and this package the protocol %d: update the older one", path, h.Version, h.Protocol, protocol)
	}
	return p, nil
}

// launch starts the program and returns its first message.
func launch(path string, arguments ...string) (*process, hello, error) {
	p, h := &process{command: exec.Command(path, arguments...)}, hello{}
	p.command.Dir = directory
	p.command.Stderr = &p.stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, h, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, h, err
	}
	if err := p.command.Start(); err != nil {
		return nil, h, fmt.Errorf("start crdlab: %w", err)
	}
	p.in, p.requests, p.responses = in, json.NewEncoder(in), json.NewDecoder(out)
	if err := p.responses.Decode(&h); err != nil {
		return nil, h, p.stopped(err)
	}
	return p, h, nil
}

// find returns the path of the program.
func find() (string, error) {
	if path := os.Getenv(program); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("the variable %s: %w", program, err)
		}
		return path, nil
	}
	path, err := exec.LookPath("crdlab")
	if err != nil {
		return "", fmt.Errorf("the program crdlab is not in PATH. Install it, or set %s to its path:\n    %s", program, install)
	}
	return path, nil
}

// ask sends a request to the process and returns the response. The test fails immediately if
// there is none.
func ask(t testing.TB, r request) response {
	t.Helper()
	p, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.ask(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func (p *process) ask(r request) (response, error) {
	p.access.Lock()
	defer p.access.Unlock()
	if p.err != nil {
		return response{}, p.err
	}
	var answer response
	if err := p.requests.Encode(r); err != nil {
		p.err = p.stopped(err)
	} else if err := p.responses.Decode(&answer); err != nil {
		p.err = p.stopped(err)
	}
	if p.err == nil && answer.Error != "" {
		return response{}, errors.New(answer.Error)
	}
	return answer, p.err
}

// stopped returns the reason why the process has stopped, with its messages.
func (p *process) stopped(err error) error {
	_ = p.command.Process.Kill() // It may have ended already.
	_ = p.command.Wait()
	return fmt.Errorf("crdlab has stopped: %w\n%s", err, strings.TrimSpace(p.stderr.String()))
}
