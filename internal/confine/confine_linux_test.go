package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// attemptsVariable makes the test binary confine itself and print the results of all
// attempts. Its value is true with the network.
const attemptsVariable = "CONFINE_TEST_NETWORK"

func TestMain(m *testing.M) {
	network := os.Getenv(attemptsVariable)
	if network == "" {
		os.Exit(m.Run())
	}
	all := attempts(os.Args[1], os.Args[2])
	missing, err := Process(Options{Memory: 1 << 30, Network: network == "true"})
	if err != nil || len(missing) > 0 {
		fmt.Fprintln(os.Stderr, "missing:", missing, err)
		os.Exit(1)
	}
	results := map[string]string{}
	for name, attempt := range all {
		results[name] = outcome(attempt())
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		os.Exit(1)
	}
}

// outcome returns "denied" for the errors of a missing right, and otherwise the error.
// The files of all attempts exist, so ENOENT also denies access.
func outcome(err error) string {
	var lookup *net.DNSError // does not wrap its cause
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &lookup):
		return "denied"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOENT):
		return "denied"
	}
	return err.Error()
}

// attempts returns actions of hostile code, and the actions of an evaluation.
func attempts(directory, listener string) map[string]func() error {
	parent := os.Getppid()
	open := func(name string, flag int) func() error {
		return func() error {
			file, err := os.OpenFile(name, flag, 0o600)
			if err == nil {
				err = file.Close()
			}
			return err
		}
	}
	socket := func(domain, kind int) func() error {
		return func() error {
			fd, err := unix.Socket(domain, kind, 0)
			if err == nil {
				err = unix.Close(fd)
			}
			return err
		}
	}
	call := func(number uintptr, arguments ...uintptr) func() error {
		var a [6]uintptr
		copy(a[:], arguments)
		return func() error {
			if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
				return errno
			}
			return nil
		}
	}
	return map[string]func() error{
		"read a file":                        open("/etc/passwd", os.O_RDONLY),
		"read a file of its own":             open(filepath.Join(directory, "present"), os.O_RDONLY),
		"read the resolver's file":           open("/etc/hosts", os.O_RDONLY),
		"read the environment of the parent": open(fmt.Sprintf("/proc/%d/environ", parent), os.O_RDONLY),
		"read the memory of the parent":      open(fmt.Sprintf("/proc/%d/mem", parent), os.O_RDONLY),
		"list a directory":                   func() error { _, err := os.ReadDir("/"); return err },
		"write a file":                       open(filepath.Join(directory, "present"), os.O_WRONLY),
		"write the resolver's file":          open("/etc/hosts", os.O_WRONLY|os.O_APPEND),
		"create a file":                      open(filepath.Join(directory, "new"), os.O_RDWR|os.O_CREATE),
		"create a nameless file":             func() error { _, err := unix.MemfdCreate("a", 0); return err },
		"delete a file":                      func() error { return os.Remove(filepath.Join(directory, "present")) },
		"rename a file":                      func() error { return os.Rename(filepath.Join(directory, "present"), filepath.Join(directory, "other")) },
		"change permissions":                 func() error { return os.Chmod(filepath.Join(directory, "present"), 0o777) },
		"create a directory":                 func() error { return os.Mkdir(filepath.Join(directory, "directory"), 0o700) },
		"truncate a file":                    func() error { return os.Truncate(filepath.Join(directory, "present"), 0) },

		"execute a program":             func() error { return unix.Exec("/proc/self/exe", []string{"a"}, nil) },
		"start a program":               func() error { return exec.Command("/proc/self/exe").Start() },
		"fork":                          call(unix.SYS_CLONE, uintptr(unix.SIGCHLD)),
		"fork with clone3":              call(unix.SYS_CLONE3, 0, 0),
		"trace the parent":              call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, uintptr(parent)),
		"kill the parent":               func() error { return unix.Kill(parent, 0) },
		"signal a thread of the parent": func() error { return unix.Tgkill(parent, parent, 0) },
		"let the output signal the parent": func() error {
			_, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_SETOWN, parent)
			return err
		},
		"read the memory of the parent in one call": call(unix.SYS_PROCESS_VM_READV, uintptr(parent)),
		"open the parent": func() error { _, err := unix.PidfdOpen(parent, 0); return err },

		"raise the limit of memory": func() error {
			return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY})
		},
		"become visible":     func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
		"survive the parent": func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
		"enter a namespace":  func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
		"mount":              func() error { return unix.Mount("none", directory, "tmpfs", 0, "") },
		"load a program":     call(unix.SYS_BPF),
		"use a ring":         call(unix.SYS_IO_URING_SETUP, 1, 0),
		"map code": func() error {
			_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
			return err
		},
		"open an internet socket": socket(unix.AF_INET, unix.SOCK_STREAM),
		"open a local socket":     socket(unix.AF_UNIX, unix.SOCK_STREAM),
		"open a netlink socket":   socket(unix.AF_NETLINK, unix.SOCK_RAW),
		"open a packet socket":    socket(unix.AF_PACKET, unix.SOCK_RAW),
		"connect": func() error {
			connection, err := net.Dial("tcp", listener)
			if err == nil {
				err = connection.Close()
			}
			return err
		},
		"listen": func() error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				err = l.Close()
			}
			return err
		},
		"look up a name": func() error { _, err := net.LookupHost("localhost"); return err },

		"allocate memory": func() error {
			block := make([]byte, 64<<20)
			block[len(block)/2] = 1
			return nil
		},
		"use threads": func() error {
			var threads sync.WaitGroup
			for range 20 {
				threads.Go(func() { _ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil) })
			}
			threads.Wait()
			return nil
		},
		"wait":                func() error { <-time.After(time.Millisecond); return nil },
		"write to the output": func() error { _, err := io.WriteString(os.Stderr, ""); return err },
	}
}

// allowed lists the successful attempts. Those of an evaluation are true.
var allowed = map[string]bool{
	"allocate memory": true, "use threads": true, "wait": true, "write to the output": true,
	"read the resolver's file": false, "open an internet socket": false, "connect": false, "look up a name": false,
}

func TestProcess(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, network := range []bool{false, true} {
		directory := t.TempDir()
		if err := os.WriteFile(filepath.Join(directory, "present"), []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(os.Args[0], directory, listener.Addr().String())
		command.Env = []string{attemptsVariable + "=" + strconv.FormatBool(network)}
		command.Stderr = os.Stderr
		output, err := command.Output()
		var got map[string]string
		if err := errors.Join(err, json.Unmarshal(output, &got)); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for name := range attempts("", "") {
			always, sometimes := allowed[name]
			want[name] = "denied"
			if always || sometimes && network {
				want[name] = "done"
			}
		}
		if !reflect.DeepEqual(got, want) {
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("with the network %v: %s: %s, want %s", network, name, got[name], want[name])
				}
			}
		}
	}
}

func TestHide(t *testing.T) {
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) })
	if err := Hide(); err != nil {
		t.Fatal(err)
	}
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 {
		t.Errorf("the process is visible: %d, %v", dumpable, err)
	}
}
