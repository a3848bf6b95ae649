package procpool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

const childVariable = "PROCPOOL_TEST_CHILD"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "unconfined":
		err = serve(os.Stdin, os.Stdout, []string{"Landlock", "seccomp"}, newTestRender)
	case "stubborn":
		err = serveStubbornly()
	default:
		err = Serve(os.Stdin, os.Stdout, false, newTestRender)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveStubbornly handles one request and then ignores the end of its input, like a child
// that hostile code controls.
func serveStubbornly() error {
	replies := newFrameWriter(os.Stdout)
	err := errors.Join(readyReply(nil).write(replies), replyWith([]byte("done"), nil).write(replies))
	time.Sleep(time.Hour)
	return err
}

// TestCloseEndsStubbornChild closes a pool whose child does not end.
func TestCloseEndsStubbornChild(t *testing.T) {
	pool := New(func() *exec.Cmd {
		command := testCommand()
		command.Env = append(command.Env, childVariable+"=stubborn")
		return command
	}, 1)
	if body, err := render(t, pool, ""); body != "done" || err != nil {
		t.Fatal(body, err)
	}
	pool.Close()
}

var kept [][]byte

// newTestRender returns testRender, but "call NAME" calls the parent.
func newTestRender(call Call) Render {
	return func(ctx context.Context, request playground.Request) ([]byte, error) {
		if name, ok := strings.CutPrefix(string(request.Body), "call "); ok {
			return call(ctx, name, []byte("argument"))
		}
		return testRender(ctx, request)
	}
}

// testRender is an engine whose behaviour depends on the body.
func testRender(_ context.Context, request playground.Request) ([]byte, error) {
	switch string(request.Body) {
	case "spin":
		for { //nolint:staticcheck // The pool has to end it.
		}
	case "eat":
		for {
			keep(64 << 20)
		}
	case "gulp":
		keep(16 << 30)
	case "keep":
		for range 12 {
			keep(64 << 20)
		}
	case "overflow":
		return overflow(), nil
	case "panic":
		panic("broken")
	case "crash":
		go panic("broken elsewhere")
		select {}
	case "large":
		return make([]byte, maxFrame+1), nil
	case "fail":
		return nil, errors.New("failed")
	case "invalid":
		return nil, &playground.InvalidScenarioError{Parameter: "now", Message: "not an instant"}
	case "stop":
		return nil, &playground.StoppedError{Reason: "it took too much"}
	case "unreadable":
		return nil, fmt.Errorf("read: %w", playground.ErrUnreadable)
	}
	return []byte(replyTo(request, os.Getpid())), nil
}

// replyTo returns the reply of a child to a request without a special behaviour.
func replyTo(request playground.Request, child int) string {
	return fmt.Sprintf("%d %s %v %d", request.Task, request.Body, request.Stopped, child)
}

// keep occupies memory.
func keep(bytes int) {
	block := make([]byte, bytes)
	for i := 0; i < len(block); i += os.Getpagesize() {
		block[i] = 1
	}
	kept = append(kept, block)
}

func overflow() []byte {
	return append(overflow(), 'x') //nolint:staticcheck // The recursion is meant to be endless.
}

// testCommand returns the command that runs the test binary as a child.
func testCommand() *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"=1")
	return command
}

func newTestPool(t *testing.T) *Pool {
	t.Helper()
	pool := New(testCommand, 2)
	t.Cleanup(pool.Close)
	return pool
}

// render requests a report and returns the body.
func render(t *testing.T, pool *Pool, body string) (string, error) {
	t.Helper()
	rendered, err := pool.Render(t.Context(), playground.Request{Task: playground.TaskReport, Body: []byte(body)})
	return string(rendered), err
}

// childOf returns the process id in a body.
func childOf(body string) int {
	child, _ := strconv.Atoi(body[strings.LastIndex(body, " ")+1:])
	return child
}

func TestRequestsAreUnchanged(t *testing.T) {
	pool := newTestPool(t)
	for _, request := range []playground.Request{
		{Task: playground.TaskReport},
		{Task: playground.TaskPage, Body: []byte("a <b> \x00\xff")},
		{Task: playground.TaskAssist, Body: bytes.Repeat([]byte("a"), 6<<20)},
		{Task: playground.TaskPanels, Body: []byte("{}"), Stopped: &playground.Stopped{Reason: "a <b>", Milliseconds: 1.5}},
	} {
		body, err := pool.Render(t.Context(), request)
		if err != nil || string(body) != replyTo(request, childOf(string(body))) {
			t.Errorf("task %d: %.100s, %v", request.Task, body, err)
		}
	}
}

// TestReuse evaluates between two requests for the process of the child.
func TestReuse(t *testing.T) {
	for text, isReused := range map[string]bool{"two": true, "fail": true, "invalid": true, "stop": true, "unreadable": true, "panic": false, "keep": false} {
		t.Run(text, func(t *testing.T) {
			pool := newTestPool(t)
			before, err := render(t, pool, "one")
			_, _ = render(t, pool, text)
			after, afterErr := render(t, pool, "three")
			if err := errors.Join(err, afterErr); err != nil {
				t.Fatal(err)
			}
			if got := childOf(before) == childOf(after); got != isReused {
				t.Errorf("the child is reused: %v, want %v", got, isReused)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	pool := newTestPool(t)
	for text, want := range map[string]error{
		"fail":       errors.New("failed"),
		"stop":       &playground.StoppedError{Reason: "it took too much"},
		"unreadable": playground.ErrUnreadable,
		"large":      &playground.StoppedError{Reason: "its result is larger than 32 MiB"},
		"invalid":    &playground.InvalidScenarioError{Parameter: "now", Message: "not an instant"},
		"gulp":       &playground.StoppedError{Reason: "it took more than 1024 MiB of memory"},
		"overflow":   &playground.StoppedError{Reason: "it took more than 256 MiB for nested calls"},
	} {
		if hasRaceDetector && (text == "gulp" || text == "overflow") {
			continue // the race detector needs more memory than the limit
		}
		if _, err := render(t, pool, text); !reflect.DeepEqual(err, want) {
			t.Errorf("%s: %#v, want %#v", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"panic": `^the engine panicked: broken\ngoroutine`,
		"crash": `^the child process ended \(exit status 2\): read a frame: EOF\npanic: broken elsewhere\n\ngoroutine`,
	} {
		if _, err := render(t, pool, text); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := render(t, pool, "after all that"); err != nil {
		t.Errorf("after failures: %v", err)
	}
}

func TestTimeoutKillsOnlyOneChild(t *testing.T) {
	pool := newTestPool(t)
	other := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := render(t, pool, "other"); err != nil {
				other <- err
				return
			}
		}
		other <- nil
	}()
	if _, err := pool.Render(ctx, playground.Request{Body: []byte("spin")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the endless evaluation returned %v", err)
	}
	if err := <-other; err != nil {
		t.Errorf("a concurrent evaluation failed: %v", err)
	}
	if len(pool.idle) != 1 {
		t.Errorf("%d idle children, want 1", len(pool.idle))
	}
}

func TestChildExitsWhenInputCloses(t *testing.T) {
	pool := newTestPool(t)
	child, err := startChild(pool.command())
	if err != nil {
		t.Fatal(err)
	}
	if err := (frame{data: []byte("spin")}).write(child.requests); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(child.input.Close(), child.command.Wait()) }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		_ = child.command.Process.Kill()
		t.Error("the child still runs after its input was closed")
	}
}

func TestMissingProgram(t *testing.T) {
	pool := New(func() *exec.Cmd { return exec.Command("/nowhere/crdlab") }, 2)
	if _, err := render(t, pool, "thing"); err == nil {
		t.Error("no error for a missing program")
	}
}

func TestClientsKeepTheirChild(t *testing.T) {
	pool := newTestPool(t)
	use := func(client string) *child {
		t.Helper()
		used, err := pool.take(client)
		if err != nil {
			t.Fatal(err)
		}
		pool.put(used)
		return used
	}
	first, second := use("a"), use("b")
	if first == second {
		t.Error("a pool with one of two children does not start the other one")
	}
	for range 3 {
		if use("b") != second || use("a") != first {
			t.Error("a client got the child of another one")
		}
	}
	if use("c") != second {
		t.Error("a new client got the child that was used last")
	}
}

func TestUnconfinedChildIsLogged(t *testing.T) {
	var log bytes.Buffer
	pool := New(func() *exec.Cmd {
		command := testCommand()
		command.Env = append(command.Env, childVariable+"=unconfined")
		return command
	}, 1)
	pool.LogTo(slog.New(slog.NewTextHandler(&log, nil)))
	defer pool.Close()
	for _, text := range []string{"one", "panic", "two"} {
		_, _ = render(t, pool, text)
	}
	if lines := log.String(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `missing="Landlock, seccomp"`) {
		t.Errorf("the log is %s", lines)
	}
}

func TestCalls(t *testing.T) {
	pool := newTestPool(t)
	if _, err := render(t, pool, "call body"); err == nil || err.Error() != "the pool answers no calls" {
		t.Errorf("without a function: %v", err)
	}
	pool.AnswerCalls(func(_ context.Context, name string, body []byte) ([]byte, error) {
		if name == "stop" {
			return nil, &playground.StoppedError{Reason: "it took too much"}
		}
		return []byte(name + " " + string(body)), nil
	})
	for range 2 {
		if body, err := render(t, pool, "call body"); body != "body argument" || err != nil {
			t.Errorf("got %q, %v", body, err)
		}
		if _, err := render(t, pool, "call stop"); !reflect.DeepEqual(err, &playground.StoppedError{Reason: "it took too much"}) {
			t.Errorf("got %v", err)
		}
	}
	if len(pool.idle) != 1 {
		t.Errorf("%d idle children, want 1", len(pool.idle))
	}
}
