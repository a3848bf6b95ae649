//go:build unix

package share

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock that bbolt takes while a file is open. It is released when
// the file is closed.
func lockFile(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// unlockFile releases the lock of a file. Closing the file does not release it while the
// file is mapped to memory.
func unlockFile(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_UN)
}

// freeSpace returns the number of bytes that this user may still write to the disk of a
// file.
func freeSpace(file *os.File) (int64, error) {
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(file.Fd()), &disk); err != nil {
		return 0, err
	}
	return int64(disk.Bavail) * int64(disk.Bsize), nil
}
