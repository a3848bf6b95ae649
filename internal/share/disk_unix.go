//go:build unix

package share

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes a lock that is released when the file is closed.
func lockFile(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// freeSpace returns the number of bytes and files that this user may still add to the disk
// of a file. Some file systems do not limit the number of files.
func freeSpace(file *os.File) (bytes, files int64, err error) {
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(file.Fd()), &disk); err != nil {
		return 0, 0, err
	}
	files = math.MaxInt64
	if disk.Files > 0 {
		files = int64(disk.Ffree)
	}
	return int64(disk.Bavail) * int64(disk.Bsize), files, nil
}

// syncDirectory makes the names in a directory durable.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
