//go:build !js

package storetest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// Postgres is a temporary PostgreSQL server with an empty database.
type Postgres struct {
	// URL is the connection URL of the database.
	URL  string
	data string
	bin  string
	as   *syscall.Credential
}

// StartPostgres starts a server and stops it at the end of the test. It skips the test if
// PostgreSQL is not installed.
func StartPostgres(t testing.TB) *Postgres {
	t.Helper()
	bin := programs()
	if bin == "" {
		t.Skip("PostgreSQL's programs are not installed (Debian: postgresql)")
	}
	s := &Postgres{bin: bin}
	directory, err := os.MkdirTemp("", "crdlab-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	if err := s.dropRoot(directory); err != nil {
		t.Skipf("PostgreSQL refuses to run as root, and the user postgres is missing: %v", err)
	}
	s.data = filepath.Join(directory, "data")
	port := freePort(t)
	s.run(t, "initdb", "-D", s.data, "-U", "crdlab", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
	// Without syncs, only a crash of the machine loses data.
	settings := fmt.Sprintf("\nfsync = off\nport = %d\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n", port)
	if err := appendTo(filepath.Join(s.data, "postgresql.conf"), settings); err != nil {
		t.Fatal(err)
	}
	s.URL = fmt.Sprintf("postgres://crdlab@127.0.0.1:%d/postgres?sslmode=disable", port)
	s.Run(t)
	t.Cleanup(func() { _ = s.command("pg_ctl", "-D", s.data, "-m", "immediate", "-w", "stop").Run() })
	return s
}

// Run starts the server after Stop.
func (s *Postgres) Run(t testing.TB) {
	t.Helper()
	s.run(t, "pg_ctl", "-D", s.data, "-l", filepath.Join(s.data, "log"), "-w", "start")
}

// Stop stops the server and disconnects its clients.
func (s *Postgres) Stop(t testing.TB) {
	t.Helper()
	s.run(t, "pg_ctl", "-D", s.data, "-m", "fast", "-w", "stop")
}

// programs returns the directory of the PostgreSQL programs, or "".
func programs() string {
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found)
	}
	// Debian installs them outside PATH, in a directory per version.
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

// dropRoot selects the user postgres if the test runs as root, and gives this user
// the directory.
func (s *Postgres) dropRoot(directory string) error {
	if os.Getuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, errUID := strconv.ParseUint(account.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(errUID, errGID); err != nil {
		return err
	}
	s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(directory, int(uid), int(gid))
}

func (s *Postgres) run(t testing.TB, program string, arguments ...string) {
	t.Helper()
	if output, err := s.command(program, arguments...).CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.data, "log"))
		t.Fatalf("%s: %v\n%s\n%s", program, err, output, log)
	}
}

func (s *Postgres) command(program string, arguments ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(s.bin, program), arguments...)
	command.Dir = filepath.Dir(s.data)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	return command
}

func appendTo(name, text string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
