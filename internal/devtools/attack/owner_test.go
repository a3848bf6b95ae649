//go:build linux

package attack

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user id of a file's owner.
func ownerOf(info fs.FileInfo) uint32 {
	return info.Sys().(*syscall.Stat_t).Uid
}
