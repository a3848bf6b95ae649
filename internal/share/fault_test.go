//go:build !js

package share_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// writerAddress is an environment variable with the address of a store. It turns the
// test binary into a process that writes to this store.
const writerAddress = "CRDLAB_TEST_WRITER"

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(writerAddress) != "":
		err = write(context.Background(), os.Getenv(writerAddress))
	case os.Getenv(modelVariable) != "":
		err = serveModel(os.Getenv(modelVariable))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write stores values without end and prints the id of each stored value.
func write(ctx context.Context, address string) error {
	store, err := share.Open(ctx, address, share.Options{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		id, value := scenario(i, 3000)
		if err := store.Put(ctx, id, value, time.Time{}); err != nil {
			return err
		}
		fmt.Println(id)
	}
}

// scenario returns the stored form of the scenario with this number, and its id. Its
// size is approximately size words.
func scenario(number, size int) (id string, value []byte) {
	id, value, err := share.Encode(playground.Scenario{CRD: strings.Repeat(strconv.Itoa(number)+" ", size)})
	if err != nil {
		panic(err)
	}
	return id, value
}

// TestFileSurvivesKill checks that all acknowledged values survive when the writing
// process is killed.
func TestFileSurvivesKill(t *testing.T) {
	for range 5 {
		address := "file://" + filepath.Join(t.TempDir(), "links")
		stored := writeAndKill(t, address)
		store := open(t, address)
		for _, id := range stored {
			value, _, err := store.Get(t.Context(), id)
			if err != nil || !share.Matches(id, value) {
				t.Errorf("%s of %d: %d bytes, %v", id, len(stored), len(value), err)
			}
		}
	}
}

// writeAndKill starts a writing process, kills it, and returns the acknowledged ids.
func writeAndKill(t *testing.T, address string) []string {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), writerAddress+"="+address)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	const enough = 40
	var ids []string
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if ids = append(ids, lines.Text()); len(ids) == enough {
			if err := command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = command.Wait()
	if len(ids) < enough {
		t.Fatalf("the writer exited after %d values", len(ids))
	}
	return ids
}
