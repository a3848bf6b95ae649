package procpool

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// pipeSize is in bytes; more needs a privilege. A CRD with its objects, and their
// report, then mostly go through at once and not in turns.
const pipeSize = 1 << 20

// widen gives a pipe more room if the system lets it.
func widen(end io.Closer) {
	pipe, ok := end.(*os.File)
	if !ok {
		return
	}
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}

// onOneThread keeps all that a child does for one request on the thread that has
// read it: waking another takes as long as a small evaluation. Who waits for the
// pipe that it returns, which is the same, holds none.
func onOneThread(input *os.File) *os.File {
	fd := input.Fd()
	if err := unix.SetNonblock(int(fd), true); err != nil {
		return input
	}
	runtime.GOMAXPROCS(1)
	return os.NewFile(fd, input.Name())
}
