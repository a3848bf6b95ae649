package procpool

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// pipeSize is the largest pipe size in bytes without privileges. Most scenarios and
// reports fit, so writer and reader need not alternate.
const pipeSize = 1 << 20

// growPipe increases the size of a pipe if the system permits it.
func growPipe(end io.Closer) {
	pipe, ok := end.(*os.File)
	if !ok {
		return
	}
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}

// useOneThread makes a child handle each request on the thread that reads it, because
// waking another thread costs as much as a small evaluation. It returns the same pipe
// in non-blocking mode, so that a waiting reader does not occupy the thread.
func useOneThread(input *os.File) *os.File {
	fd := input.Fd()
	if err := unix.SetNonblock(int(fd), true); err != nil {
		return input
	}
	runtime.GOMAXPROCS(1)
	return os.NewFile(fd, input.Name())
}
