//go:build linux

package attack

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// containerUser is the user of the container image.
const containerUser = "65532"

// attackChildren reads the reach of a hostile evaluation from /proc. As root it
// starts the server as the user of the container.
func attackChildren(t *testing.T) {
	o := options{}
	if _, err := exec.LookPath("setpriv"); err == nil && os.Getuid() == 0 {
		o = options{user: containerUser, data: sharedDirectory(t)}
	}
	s := launch(t, o)
	c := newClient(neighbourAddress, time.Minute)
	if status, body, err := c.post(t.Context(), s.url+"/api/v1/evaluate", scenario(quick(1))); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", status, err, body)
	}
	children := childrenOf(s.command.Process.Pid)
	if len(children) == 0 {
		t.Fatal("the server has no children")
	}
	child := children[0]
	environment := readProc(child, "environ")
	report(t, "environment of a child", "no secrets", !bytes.Contains(environment, []byte(operatorToken)), "%d variables, the operator's token among them: %t",
		bytes.Count(environment, []byte{0}), bytes.Contains(environment, []byte(operatorToken)))
	privileges, seccomp := statusOf(child, "NoNewPrivs"), statusOf(child, "Seccomp")
	report(t, "privileges of a child", "NoNewPrivs 1, Seccomp 2", privileges == "1" && seccomp == "2", "NoNewPrivs %s, Seccomp %s", privileges, seccomp)
	data := limitOf(child, "Max data size")
	report(t, "data limit of a child (RLIMIT_DATA)", "set", data != "unlimited", "%s", data)
	badness := strings.TrimSpace(string(readProc(child, "oom_score_adj")))
	report(t, "the kernel prefers to kill a child (oom_score_adj)", "1000", badness == "1000", "%s", badness)
	files := openFiles(child)
	unexpected := slices.DeleteFunc(slices.Clone(files), isHarmless)
	report(t, "open files of a child", "pipes, and files of Go's runtime", len(unexpected) == 0, "%d files, of these unexpected: %v", len(files), unexpected)
	info, err := os.Stat(fmt.Sprintf("/proc/%d/environ", s.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	const promise, aim = "memory and environment of the server, for other processes of its user", "not readable"
	if o.user == "" {
		skip(t, promise, aim, "needs root and setpriv")
	}
	owner := ownerOf(info)
	report(t, promise, aim, owner == 0, "its files in /proc belong to user %d", owner)
}

// sharedDirectory returns a directory that the container's user may write.
func sharedDirectory(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "crdlab-attack-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	if err := os.Chmod(directory, 0o777); err != nil {
		t.Fatal(err)
	}
	return directory
}

func readProc(pid int, name string) []byte {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	return content
}

// limitOf returns the soft limit of a process in /proc/PID/limits.
func limitOf(pid int, name string) string {
	for line := range strings.Lines(string(readProc(pid, "limits"))) {
		if values, ok := strings.CutPrefix(line, name); ok {
			return strings.Fields(values)[0]
		}
	}
	return ""
}

// openFiles returns the targets of a process's file descriptors.
func openFiles(pid int) []string {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	var targets []string
	for _, name := range names {
		if target, err := os.Readlink(name); err == nil {
			targets = append(targets, target)
		}
	}
	return targets
}

// isHarmless reports whether an evaluation cannot use an open file: a pipe to the server,
// or a file that Go's runtime needs.
func isHarmless(target string) bool {
	return strings.HasPrefix(target, "/sys/fs/cgroup/cpu") || strings.HasPrefix(target, "pipe:") || slices.Contains([]string{"anon_inode:[eventpoll]", "anon_inode:[eventfd]", "/dev/null"}, target)
}
