//go:build linux

package attack

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Addresses of the clients. The server distinguishes clients by address.
const (
	neighbourAddress = "127.0.0.2"
	hostileAddress   = "127.0.0.66"
	probeAddress     = "127.0.0.3"
)

// operatorToken is the secret that children must not see.
const operatorToken = "the-operators-secret"

// server is a running server with measurements of its memory and readiness.
type server struct {
	url, host string
	data      string // its data directory
	command   *exec.Cmd
	group     *group
	ended     chan struct{} // closed after the end of the process
	log       *logHead
	memory    *memory
	readiness *readiness
}

// options are the deviations from the default settings.
type options struct {
	arguments []string
	// data is the directory of the default store; by default, a new one.
	data string
	// mayFail permits that the server does not start; launch then returns nil.
	mayFail bool
	user    string // of setpriv, such as "65532"
}

// startTimeout exceeds the minute for which earlier versions waited for a database.
const startTimeout = 90 * time.Second

// launch starts the server on a free port and stops it at the end of the test.
func launch(t *testing.T, o options) *server {
	t.Helper()
	s := &server{data: o.data, group: newGroup(t), ended: make(chan struct{}), log: &logHead{}}
	if s.data == "" {
		s.data = t.TempDir()
	}
	program, arguments := s.commandLine(t, o)
	s.command = exec.Command(program, arguments...)
	s.command.Env = []string{"PATH=" + os.Getenv("PATH"), "XDG_DATA_HOME=" + s.data, "CRDLAB_OPERATOR_TOKEN=" + operatorToken}
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := s.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	served := make(chan string, 1)
	go s.readLog(stderr, served)
	t.Cleanup(func() { s.kill() })
	select {
	case s.url = <-served:
	case <-s.ended:
		if !o.mayFail {
			t.Fatalf("the server does not start:\n%s", s.log)
		}
		return nil
	case <-time.After(startTimeout):
		t.Fatalf("the server does not start within %s:\n%s", startTimeout, s.log)
	}
	s.host = strings.TrimPrefix(s.url, "http://")
	s.memory = watchMemory(s.command.Process.Pid)
	t.Cleanup(func() { everywhere.add(t.Name(), s) })
	return s
}

func (s *server) commandLine(t *testing.T, o options) (string, []string) {
	t.Helper()
	file, err := filepath.Abs(*serverFlag)
	if err != nil {
		t.Fatal(err)
	}
	program, arguments := file, append([]string{"--addr", "127.0.0.1:0"}, o.arguments...)
	if o.user != "" {
		arguments = append([]string{"--reuid", o.user, "--regid", o.user, "--clear-groups", program}, arguments...)
		program = "setpriv"
	}
	return s.group.enter(program, arguments)
}

var servedAt = regexp.MustCompile(`"msg":"serving crdlab","url":"([^"]+)"`)

func (s *server) readLog(stderr io.Reader, served chan<- string) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s.log.add(lines.Text())
		if found := servedAt.FindStringSubmatch(lines.Text()); found != nil {
			served <- found[1]
		}
	}
	_, _ = io.Copy(io.Discard, stderr)
	_ = s.command.Wait()
	close(s.ended)
}

// kill ends the server at once.
func (s *server) kill() {
	_ = s.command.Process.Kill()
	<-s.ended
	if s.memory != nil {
		s.memory.stop()
	}
}

// stop ends the server in order.
func (s *server) stop(t *testing.T) {
	t.Helper()
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(40 * time.Second):
		t.Errorf("the server does not stop")
		s.kill()
	}
}

func (s *server) isRunning() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// maxLines limits a logHead.
const maxLines = 100

// logHead holds the first lines of a log that are not about successful requests.
type logHead struct {
	mu    sync.Mutex
	lines []string
}

func (l *logHead) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.Contains(line, `"level":"INFO"`) && len(l.lines) < maxLines {
		l.lines = append(l.lines, line)
	}
}

func (l *logHead) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// readiness holds the responses to probes of /readyz.
type readiness struct {
	probes, failures int
	slowest          time.Duration
	failure          string
}

// probeTimeout is the timeout of the readiness probe in deploy/base.
const probeTimeout = 10 * time.Second

// watchReadiness probes /readyz once per interval until the context is done.
func watchReadiness(ctx context.Context, s *server) (done <-chan *readiness) {
	finished := make(chan *readiness, 1)
	go func() {
		r := &readiness{}
		client := newClient(probeAddress, probeTimeout)
		for interval := time.Tick(briefly(500*time.Millisecond, time.Second)); ; {
			r.probe(ctx, client, s.url)
			select {
			case <-ctx.Done():
				finished <- r
				return
			case <-interval:
			}
		}
	}()
	return finished
}

func (r *readiness) probe(ctx context.Context, client *client, url string) {
	start := time.Now()
	status, body, err := client.get(context.WithoutCancel(ctx), url+"/readyz")
	took := time.Since(start)
	r.probes++
	r.slowest = max(r.slowest, took)
	if err != nil || status != http.StatusOK {
		r.failures++
		r.failure = strings.TrimSpace(string(body))
		if err != nil {
			r.failure = err.Error()
		}
	}
}
