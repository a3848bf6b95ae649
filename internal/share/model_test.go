//go:build !js

package share_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// modelVariable is an environment variable with the address of a store. It turns the test
// binary into a process that executes the commands on its standard input.
const modelVariable = "CRDLAB_TEST_MODEL"

// serveModel executes commands: an operation and the number of a scenario per line. It
// prints the result of each in one line.
func serveModel(address string) error {
	ctx := context.Background()
	store, err := share.OpenInBackground(address, share.Options{Quota: 64 << 20})
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var operation string
		var number int
		if _, err := fmt.Sscan(lines.Text(), &operation, &number); err != nil {
			return err
		}
		fmt.Println(execute(ctx, store, operation, number))
	}
	return store.Close()
}

func execute(ctx context.Context, store share.Store, operation string, number int) string {
	id, value := modelScenario(number)
	var err error
	switch operation {
	case "put":
		err = store.Put(ctx, id, value, time.Now().Add(time.Hour))
	case "extend":
		err = store.Extend(ctx, id, time.Now().Add(2*time.Hour))
	case "delete":
		err = store.Delete(ctx, id)
	case "sweep":
		_, err = store.DeleteExpired(ctx, time.Now())
	case "get":
		var got []byte
		got, _, err = store.Get(ctx, id)
		switch {
		case errors.Is(err, share.ErrNotFound):
			return "missing"
		case err == nil && !bytes.Equal(got, value):
			return "another value"
		case err == nil:
			return "found"
		}
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return "done"
}

// modelScenario returns a scenario of one to 30,000 bytes.
func modelScenario(number int) (id string, value []byte) {
	return scenario(number, 1+number*number%6000)
}

// modelProcess is a process that executes commands.
type modelProcess struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Scanner
}

func startModel(t *testing.T, address string) *modelProcess {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), modelVariable+"="+address)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return &modelProcess{command, input, bufio.NewScanner(output)}
}

func (p *modelProcess) send(operation string, number int) {
	_, _ = fmt.Fprintln(p.input, operation, number)
}

func (p *modelProcess) do(t *testing.T, operation string, number int) string {
	t.Helper()
	p.send(operation, number)
	if !p.output.Scan() {
		t.Fatalf("%s %d: the process ended", operation, number)
	}
	return p.output.Text()
}

// kill ends the process with SIGKILL.
func (p *modelProcess) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// stop closes the store.
func (p *modelProcess) stop(t *testing.T) {
	t.Helper()
	_ = p.input.Close()
	if err := p.command.Wait(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// TestModel compares a store in a process that is killed repeatedly with a map.
// CRDLAB_MODEL_STEPS and CRDLAB_MODEL_SEED change the number of steps and the history.
func TestModel(t *testing.T) {
	t.Parallel()
	steps, seed := fromEnvironment(t, "CRDLAB_MODEL_STEPS", 10_000), fromEnvironment(t, "CRDLAB_MODEL_SEED", 1)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	path := filepath.Join(fastDirectory(t), "links")
	process := startModel(t, "file://"+path)
	defer func() { process.kill() }()
	stored := map[int]bool{}
	crashes := 0
	for step := range steps {
		operation := operations[random.IntN(len(operations))]
		number := random.IntN(400)
		switch {
		case random.IntN(150) == 0:
			// The result of an operation that the crash interrupts is unknown until it is read.
			process.send(operation, number)
			time.Sleep(time.Duration(random.IntN(1500)) * time.Microsecond)
			process.kill()
			process = startModel(t, "file://"+path)
			crashes++
			result := process.do(t, "get", number)
			known := stored[number]
			stored[number] = result == "found"
			if changes := known != stored[number]; result != "found" && result != "missing" || changes && operation != "put" && operation != "delete" {
				t.Fatalf("step %d: %s %d and a crash: %s", step, operation, number, result)
			}
		case random.IntN(500) == 0:
			process.stop(t)
			process = startModel(t, "file://"+path)
		default:
			result, want := process.do(t, operation, number), "done"
			switch {
			case operation == "put" || operation == "delete":
				stored[number] = operation == "put"
			case operation == "get" && stored[number]:
				want = "found"
			case operation == "get":
				want = "missing"
			}
			if result != want {
				t.Fatalf("step %d: %s %d: %s, want %s", step, operation, number, result, want)
			}
		}
	}
	for number, isStored := range stored {
		if result := process.do(t, "get", number); (result == "found") != isStored {
			t.Errorf("at the end, %d is %s", number, result)
		}
	}
	process.stop(t)
	process = startModel(t, "file://"+path)
	process.stop(t)
	if left, err := filepath.Glob(path + "/*/.*"); len(left) > 0 || err != nil {
		t.Errorf("the crashes left %v, %v", left, err)
	}
	t.Logf("%d steps, %d crashes, %d values", steps, crashes, len(stored))
}

var operations = slices.Concat(slices.Repeat([]string{"put"}, 4), slices.Repeat([]string{"get"}, 4), slices.Repeat([]string{"delete"}, 2), []string{"extend", "sweep"})

// fastDirectory returns a directory in memory if there is one. A killed process loses
// nothing that it has written to any file system.
func fastDirectory(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("/dev/shm", "crdlab-model-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	return directory
}

func fromEnvironment(t *testing.T, name string, standard int) int {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return standard
	}
	number, err := strconv.Atoi(value)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return number
}
