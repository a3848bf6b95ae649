//go:build linux

package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// storedFolder is the folder of the default store below the data directory.
const storedFolder = "crdlab/crdlab"

// largeScenario returns a scenario of about a megabyte.
func largeScenario(number int) []byte {
	crd, _ := quick(0)
	return scenario(crd, object("s: "+strings.Repeat(fmt.Sprintf("%08d", number), 125_000)))
}

// attackFullStore shares large scenarios from one client until the server refuses them.
func attackFullStore(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	first := c.mustShare(t, s.url, scenario(quick(0)))
	var stored, status int
	var body []byte
	var err error
	for number := 0; number < 200 && status != http.StatusInsufficientStorage; number++ {
		status, body, err = c.post(t.Context(), s.url+"/api/v1/share", largeScenario(number))
		if err != nil {
			t.Fatal(err)
		}
		if status == http.StatusCreated {
			stored++
		}
	}
	size := folderSize(filepath.Join(s.data, storedFolder))
	report(t, "one client that shares 200 scenarios of 1 MB at once", "status 507 with a reason", status == http.StatusInsufficientStorage,
		"%d stored, then status %d; the files have %d MiB: %.160s", stored, status, size>>20, body)
	status, _, err = c.get(t.Context(), s.url+"/s/"+first+".json")
	report(t, "its links afterwards", "open", err == nil && status == http.StatusOK, "status %d", status)
	other := newClient(neighbourAddress, time.Minute)
	_, err = other.share(t.Context(), s.url, scenario(quick(1)))
	report(t, "another client afterwards", "shares", err == nil, "%v", orElse(err, "shared"))
}

// orElse returns the error, or a word for success.
func orElse(err error, success string) any {
	if err == nil {
		return success
	}
	return err
}

func folderSize(name string) (size int64) {
	_ = filepath.WalkDir(name, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// diskSize is the size in bytes of the disk that attackFullDisk fills.
const diskSize = 64 << 20

// attackFullDisk shares until the disk is full.
func attackFullDisk(t *testing.T) {
	const promise, aim = "full disk", "status 507 with a reason, links open, evaluations succeed"
	disk := t.TempDir()
	if err := syscall.Mount("crdlab", disk, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)); err != nil {
		skip(t, promise, aim, "cannot mount a file system: "+err.Error())
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	s := launch(t, options{data: disk})
	c := newClient(neighbourAddress, time.Minute)
	first := c.mustShare(t, s.url, scenario(quick(0)))
	var status int
	var body []byte
	for number := range 2 * diskSize >> 20 {
		var err error
		// No client stores more than the limit per client.
		sender := newClient(fmt.Sprintf("127.0.1.%d", number/10+1), time.Minute)
		if status, body, err = sender.post(t.Context(), s.url+"/api/v1/share", largeScenario(number)); err != nil {
			t.Fatal(err)
		}
		if status != http.StatusCreated {
			break
		}
	}
	opened, _, _ := c.get(t.Context(), s.url+"/s/"+first+".json")
	evaluated, _, _ := c.post(t.Context(), s.url+"/api/v1/evaluate", scenario(quick(1)))
	report(t, promise, aim, status == http.StatusInsufficientStorage && opened == http.StatusOK && evaluated == http.StatusOK,
		"share: status %d, link: %d, evaluation: %d: %.160s", status, opened, evaluated, body)
}

// storedScenario is a link that the server acknowledged.
type storedScenario struct {
	id   string
	body []byte
}

// writeLinks returns the data directory of a stopped server with n links.
func writeLinks(t *testing.T, n int) (data string, links []storedScenario) {
	t.Helper()
	s := launch(t, options{arguments: []string{"--share-rate", "0"}})
	c := newClient(neighbourAddress, time.Minute)
	for i := range n {
		crd, of := quick(i)
		body := scenario(crd, of+"# "+strings.Repeat(fmt.Sprint(i, " "), 5000))
		links = append(links, storedScenario{c.mustShare(t, s.url, body), body})
	}
	s.stop(t)
	return s.data, links
}

// damages returns functions that damage a file: they truncate it or overwrite a page
// with zeros, at n places each.
func damages(n int) map[string]func(file []byte) []byte {
	all := map[string]func([]byte) []byte{}
	for i := range n {
		all[fmt.Sprintf("truncated at %d/%d", i+1, n+1)] = func(file []byte) []byte { return file[:len(file)*(i+1)/(n+1)] }
		all[fmt.Sprintf("zeroed page at %d/%d", i, n)] = func(file []byte) []byte {
			const page = 4 << 10
			damaged := slices.Clone(file)
			start := len(file) * i / n / page * page
			clear(damaged[start:min(start+page, len(file))])
			return damaged
		}
	}
	return all
}

// attackDamagedFile starts the server with damaged files of a link.
func attackDamagedFile(t *testing.T) {
	places := 50
	if testing.Short() {
		places = 3
	}
	data, links := writeLinks(t, 40)
	id := links[0].id
	path := filepath.Join(data, storedFolder, id[:2], id)
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var started, survived, readable, tried int
	for name, damage := range damages(places) {
		tried++
		if err := os.WriteFile(path, damage(original), 0o600); err != nil {
			t.Fatal(err)
		}
		d := tryDamaged(t, data, links[1:])
		if !d.survived || d.readable < len(links)-1 {
			t.Logf("%s: %d of the other %d links are readable; %s", name, d.readable, len(links)-1, d.failure)
		}
		started += count(d.started)
		survived += count(d.survived)
		readable += d.readable
	}
	report(t, "file of a link truncated at each of the places, or with a zeroed page there", "the server starts, evaluates and opens all other links",
		survived == tried && readable == tried*(len(links)-1), "of %d files, it started with %d and survived %d; %d of %d other links were readable",
		tried, started, survived, readable, tried*(len(links)-1))
}

func count(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// aftermath is the behaviour of a server with a damaged file.
type aftermath struct {
	started, survived bool
	readable          int
	failure           string
}

func tryDamaged(t *testing.T, data string, links []storedScenario) (d aftermath) {
	t.Helper()
	s := launch(t, options{data: data, mayFail: true})
	if s == nil {
		d.failure = "it does not start"
		return d
	}
	defer s.kill()
	d.started = true
	c := newClient(neighbourAddress, 10*time.Second)
	for _, link := range links {
		status, body, err := c.get(t.Context(), s.url+"/s/"+link.id+".json")
		if err == nil && status == http.StatusOK && sameJSON(body, link.body) {
			d.readable++
		}
	}
	status, _, err := c.post(t.Context(), s.url+"/api/v1/evaluate", scenario(quick(0)))
	d.survived = err == nil && status == http.StatusOK && s.isRunning()
	if !d.survived {
		d.failure = fmt.Sprintf("status %d, %v; log: %.300s", status, err, s.log)
	}
	return d
}

// sameJSON reports whether two documents have the same value.
func sameJSON(a, b []byte) bool {
	var first, second map[string]any
	return json.Unmarshal(a, &first) == nil && json.Unmarshal(b, &second) == nil && fmt.Sprint(first) == fmt.Sprint(second)
}

// attackKills kills the server again and again while clients share. Each
// acknowledged link must be readable after the last start.
func attackKills(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 3
	}
	data := t.TempDir()
	var acknowledged []storedScenario
	for i := range kills {
		acknowledged = append(acknowledged, shareUntilKilled(t, data, i)...)
	}
	s := launch(t, options{data: data})
	c := newClient(neighbourAddress, time.Minute)
	lost := 0
	for _, link := range acknowledged {
		if status, body, err := c.get(t.Context(), s.url+"/s/"+link.id+".json"); err != nil || status != http.StatusOK || !sameJSON(body, link.body) {
			lost++
		}
	}
	report(t, fmt.Sprintf("killed %d times while clients share", kills), "no acknowledged link is lost", lost == 0 && len(acknowledged) > 0, "%d of %d lost", lost, len(acknowledged))
}

// shareUntilKilled returns the links that the server acknowledged before it was killed.
func shareUntilKilled(t *testing.T, data string, round int) (acknowledged []storedScenario) {
	t.Helper()
	s := launch(t, options{data: data, arguments: []string{"--share-rate", "0"}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sharing sync.WaitGroup
	var mu sync.Mutex
	for client := range 4 {
		sharing.Go(func() {
			c := newClient(neighbourAddress, time.Minute)
			for number := 0; ctx.Err() == nil; number++ {
				crd, of := quick(number)
				body := scenario(crd, fmt.Sprintf("%s# %d %d", of, round, client))
				id, err := c.share(ctx, s.url, body)
				if err != nil {
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, storedScenario{id, body})
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Duration(100+37*round%200) * time.Millisecond)
	s.kill()
	cancel()
	sharing.Wait()
	return acknowledged
}
