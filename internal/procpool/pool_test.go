package procpool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

const childVariable = "PROCPOOL_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	if err := Serve(os.Stdin, os.Stdout, Engine{Evaluate: testEvaluate, Help: testHelp}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var kept [][]byte

// testEvaluate is an engine whose behaviour depends on the CRD.
func testEvaluate(_ context.Context, scenario playground.Scenario) (playground.Report, error) {
	switch scenario.CRD {
	case "spin":
		for { //nolint:staticcheck // The pool has to end it.
		}
	case "eat":
		for {
			block := make([]byte, 64<<20)
			for i := 0; i < len(block); i += os.Getpagesize() {
				block[i] = 1
			}
			kept = append(kept, block)
		}
	case "overflow":
		return overflow(), nil
	case "panic":
		panic("broken")
	case "fail":
		return playground.Report{}, errors.New("failed")
	case "invalid":
		return playground.Report{}, &playground.InvalidScenarioError{Parameter: "now", Message: "not an instant"}
	}
	return reportOf(scenario), nil
}

// testHelp handles assist requests in the same way.
func testHelp(_ context.Context, question playground.AssistRequest) (playground.AssistResponse, error) {
	if question.Format.Text == "fail" {
		return playground.AssistResponse{}, errors.New("failed")
	}
	return playground.AssistResponse{Formatted: &playground.Formatted{Text: question.Format.Text + "\n"}}, nil
}

func overflow() playground.Report {
	report := overflow() //nolint:staticcheck // The recursion is meant to be endless.
	report.CRD.Name += "x"
	return report
}

// reportOf returns a report with values that an encoding could change, such as markup,
// large numbers and null.
func reportOf(scenario playground.Scenario) playground.Report {
	return playground.Report{
		CRD:     playground.CRD{Name: scenario.CRD, Output: "a <b> & \u2028"},
		Objects: []playground.Object{{Name: fmt.Sprint(os.Getpid()), Stored: []byte(`{"n":9007199254740993}`)}},
		Tables:  []playground.Table{{Rows: [][]any{{int64(9007199254740993), 1.5, "a", true, nil}}}},
	}
}

func newTestPool(t *testing.T) *Pool {
	t.Helper()
	pool := New(func() *exec.Cmd {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), childVariable+"=1")
		return command
	})
	t.Cleanup(pool.Close)
	return pool
}

func evaluate(t *testing.T, pool *Pool, text string) (playground.Report, error) {
	t.Helper()
	return pool.Evaluate(t.Context(), playground.Scenario{CRD: text})
}

func TestReportsAreUnchanged(t *testing.T) {
	pool := newTestPool(t)
	got, err := evaluate(t, pool, "thing")
	if err != nil {
		t.Fatal(err)
	}
	want := reportOf(playground.Scenario{CRD: "thing"})
	want.Objects[0].Name = got.Objects[0].Name
	gotText, gotErr := encode(got)
	wantText, wantErr := encode(want)
	raw, rawErr := pool.EvaluateJSON(t.Context(), []byte(`{"crd": "thing"}`))
	if err := errors.Join(gotErr, wantErr, rawErr); err != nil {
		t.Fatal(err)
	}
	if string(gotText) != string(wantText) || string(raw) != string(wantText) {
		t.Errorf("got  %s\nand  %s\nwant %s", gotText, raw, wantText)
	}
}

func TestChildIsReused(t *testing.T) {
	pool := newTestPool(t)
	var children []string
	for _, text := range []string{"one", "fail", "invalid", "panic", "two"} {
		if report, err := evaluate(t, pool, text); err == nil {
			children = append(children, report.Objects[0].Name)
		}
	}
	if len(children) != 2 || children[0] != children[1] {
		t.Errorf("children %v, want the same child twice", children)
	}
}

func TestFailures(t *testing.T) {
	pool := newTestPool(t)
	for text, want := range map[string]error{
		"fail":    errors.New("failed"),
		"invalid": &playground.InvalidScenarioError{Parameter: "now", Message: "not an instant"},
		"eat":     &playground.StoppedError{Reason: "it took more than 1024 MiB of memory"},
	} {
		if _, err := evaluate(t, pool, text); !reflect.DeepEqual(err, want) {
			t.Errorf("%s: %#v, want %#v", text, err, want)
		}
	}
	for text, want := range map[string]string{"panic": "the engine panicked: broken", "overflow": "the child process ended"} {
		if _, err := evaluate(t, pool, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s…", text, err, want)
		}
	}
	if _, err := evaluate(t, pool, "after all that"); err != nil {
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
			if _, err := evaluate(t, pool, "other"); err != nil {
				other <- err
				return
			}
		}
		other <- nil
	}()
	if _, err := pool.Evaluate(ctx, playground.Scenario{CRD: "spin"}); !errors.Is(err, context.DeadlineExceeded) {
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
	if err := (frame{requestEvaluation, []byte(`{"crd": "spin"}`)}).write(child.requests); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.end() }()
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
	pool := New(func() *exec.Cmd { return exec.Command("/nowhere/crdlab") })
	if _, err := evaluate(t, pool, "thing"); err == nil {
		t.Error("no error for a missing program")
	}
}

func TestHelp(t *testing.T) {
	pool := newTestPool(t)
	question := func(text string) playground.AssistRequest {
		return playground.AssistRequest{Format: &playground.FormatRequest{Text: text}}
	}
	help, err := pool.Help(t.Context(), question("a <b>"))
	if err != nil || help.Formatted == nil || help.Formatted.Text != "a <b>\n" {
		t.Errorf("help: %+v, %v", help, err)
	}
	if _, err := pool.Help(t.Context(), question("fail")); err == nil || err.Error() != "failed" {
		t.Errorf("a failure: %v", err)
	}
}
