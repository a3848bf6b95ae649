package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
)

// TestKilledServerLosesNoLink repeatedly kills a server during requests. All
// acknowledged links must survive in the store's file.
func TestKilledServerLosesNoLink(t *testing.T) {
	store := "file://" + filepath.ToSlash(filepath.Join(t.TempDir(), "links"))
	links := map[string]string{}
	for round := range 3 {
		url, kill := startProcess(t, store)
		const enough = 30
		var (
			mu     sync.Mutex
			made   atomic.Int64
			makers sync.WaitGroup
		)
		for maker := range 4 {
			makers.Go(func() {
				for i := 0; ; i++ {
					crd := fmt.Sprintf("round-%d-%d: %d", round, maker, i)
					id, err := shareOnce(url, crd)
					if err != nil {
						return
					}
					mu.Lock()
					links[id] = crd
					mu.Unlock()
					if made.Add(1) == enough {
						kill()
					}
				}
			})
		}
		makers.Wait()
		if made.Load() < enough {
			t.Fatalf("the server exited after %d links", made.Load())
		}
	}
	url, kill := startProcess(t, store)
	defer kill()
	for id, crd := range links {
		if got := sharedCRD(t, url, id); got != crd {
			t.Errorf("%s leads to %q, want %q", id, got, crd)
		}
	}
}

var servedAt = regexp.MustCompile(`"url":"(http:[^"]+)"`)

// startProcess runs the server in a separate process. kill sends it SIGKILL.
func startProcess(t *testing.T, store string) (url string, kill func()) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), serverVariable+"=1", "CRDLAB_ADDR=127.0.0.1:0", "CRDLAB_STORE="+store, "CRDLAB_SHARE_RATE=0")
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() { _ = command.Process.Kill() })
	t.Cleanup(func() {
		kill()
		_ = command.Wait()
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if found := servedAt.FindStringSubmatch(lines.Text()); found != nil {
			go func() {
				for lines.Scan() {
					continue
				}
			}()
			return found[1], kill
		}
	}
	t.Fatal("the server did not start")
	return "", nil
}

func shareOnce(url, crd string) (id string, err error) {
	body, err := json.Marshal(map[string]string{"crd": crd})
	if err != nil {
		return "", err
	}
	response, err := http.Post(url+"/api/v1/share", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer struct{ ID string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("status %d", response.StatusCode)
	}
	return answer.ID, nil
}
