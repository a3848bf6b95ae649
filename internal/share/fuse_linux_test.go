package share_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// faults injects errors into the operations of a file system.
type faults struct {
	mu sync.Mutex
	// open is the result of opening a file. 0 means success.
	open syscall.Errno
	// write is the result of writes and syncs after the first writesLeft writes. The first
	// failed write is torn: it writes half of the data.
	write      syscall.Errno
	writesLeft int
}

func (f *faults) set(open, write syscall.Errno, writesLeft int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open, f.write, f.writesLeft = open, write, writesLeft
}

func (f *faults) opening() syscall.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// writing counts a write, and returns its result and whether it is torn.
func (f *faults) writing() (result syscall.Errno, isTorn bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.write == 0 {
		return 0, false
	}
	f.writesLeft--
	if f.writesLeft >= 0 {
		return 0, false
	}
	return f.write, f.writesLeft == -1
}

func (f *faults) syncing() syscall.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.write != 0 && f.writesLeft < 0 {
		return f.write
	}
	return 0
}

// faultyNode is a file or directory of another directory, with faults.
type faultyNode struct {
	*fs.LoopbackNode
	faults *faults
}

func (n *faultyNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &faultyNode{child.(*fs.LoopbackNode), n.faults}
}

func (n *faultyNode) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if result := n.faults.opening(); result != 0 {
		return nil, 0, result
	}
	file, fuseFlags, result := n.LoopbackNode.Open(ctx, flags)
	return n.wrap(file), fuseFlags, result
}

func (n *faultyNode) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	if result := n.faults.opening(); result != 0 {
		return nil, nil, 0, result
	}
	node, file, fuseFlags, result := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	return node, n.wrap(file), fuseFlags, result
}

func (n *faultyNode) wrap(file fs.FileHandle) fs.FileHandle {
	if file == nil {
		return nil
	}
	return &faultyFile{file.(*fs.LoopbackFile), n.faults}
}

type faultyFile struct {
	*fs.LoopbackFile
	faults *faults
}

func (f *faultyFile) Write(ctx context.Context, data []byte, offset int64) (uint32, syscall.Errno) {
	result, isTorn := f.faults.writing()
	if isTorn {
		_, _ = f.LoopbackFile.Write(ctx, data[:len(data)/2], offset)
	}
	if result != 0 {
		return 0, result
	}
	return f.LoopbackFile.Write(ctx, data, offset)
}

func (f *faultyFile) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	if result := f.faults.syncing(); result != 0 {
		return result
	}
	return f.LoopbackFile.Fsync(ctx, flags)
}

// PassthroughFd prevents the kernel from writing past the faults.
func (f *faultyFile) PassthroughFd() (int, bool) { return -1, false }

// mountFaulty mounts a file system whose files are in memory or in a temporary directory.
// The store must run in another process: a page fault of this process could block the
// goroutines that handle it.
func mountFaulty(t *testing.T) (mounted string, f *faults) {
	t.Helper()
	root, err := fs.NewLoopbackRoot(fastDirectory(t))
	if err != nil {
		t.Fatal(err)
	}
	f, mounted = &faults{}, t.TempDir()
	node := &faultyNode{root.(*fs.LoopbackNode), f}
	server, err := fs.Mount(mounted, node, &fs.Options{MountOptions: fuse.MountOptions{DirectMount: true, FsName: "faulty"}})
	if err != nil {
		t.Skipf("FUSE file systems cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return mounted, f
}

// TestFailedWrites lets all writes fail from the n-th on, for a range of n, and kills the process.
// The values that were stored before must remain, whether the disk is full or broken.
func TestFailedWrites(t *testing.T) {
	mounted, faults := mountFaulty(t)
	for n := range 40 {
		reason := []syscall.Errno{syscall.ENOSPC, syscall.EIO}[n%2]
		path := filepath.Join(mounted, fmt.Sprintf("links-%d", n))
		process := startModel(t, "file://"+path)
		stored := storeSome(t, process, 5)
		faults.set(0, reason, n)
		rejected := -1
		for number := 5; rejected < 0; number++ {
			switch result := process.do(t, "put", number); {
			case result == "done":
				stored = append(stored, number)
			case strings.HasPrefix(result, "error: ") && (reason != syscall.ENOSPC || strings.Contains(result, "the store is full")):
				rejected = number
			default:
				t.Fatalf("%v after %d writes: put %d: %s", reason, n, number, result)
			}
		}
		checkFound(t, process, stored, fmt.Sprintf("%v after %d writes", reason, n))
		if n%4 < 2 {
			process.kill()
		} else {
			_ = process.input.Close()
			_ = process.command.Wait()
		}
		faults.set(0, 0, 0)
		process = startModel(t, "file://"+path)
		checkFound(t, process, stored, fmt.Sprintf("%v after %d writes and a restart", reason, n))
		if result := process.do(t, "put", rejected); result != "done" {
			t.Errorf("%v after %d writes: put after the restart: %s", reason, n, result)
		}
		process.stop(t)
	}
}

// TestDiskRecovers lets writes fail for a while. The store must store values afterwards
// without a restart.
func TestDiskRecovers(t *testing.T) {
	mounted, faults := mountFaulty(t)
	process := startModel(t, "file://"+filepath.Join(mounted, "links"))
	defer process.kill()
	stored := storeSome(t, process, 5)
	for n := range 10 {
		faults.set(0, syscall.ENOSPC, n)
		for number := 100 * (n + 1); ; number++ {
			if result := process.do(t, "put", number); result != "done" {
				break
			}
			stored = append(stored, number)
		}
		faults.set(0, 0, 0)
		if result := process.do(t, "put", 100*n+99); result != "done" {
			t.Fatalf("put after %d writes and a full disk: %s", n, result)
		}
		stored = append(stored, 100*n+99)
		checkFound(t, process, stored, "after a full disk")
	}
	process.stop(t)
}

// TestWrongPermissions denies access to the file of a store for a while.
func TestWrongPermissions(t *testing.T) {
	mounted, faults := mountFaulty(t)
	path := filepath.Join(mounted, "links")
	process := startModel(t, "file://"+path)
	stored := storeSome(t, process, 5)
	process.stop(t)
	faults.set(syscall.EACCES, 0, 0)
	process = startModel(t, "file://"+path)
	defer process.kill()
	if result := process.do(t, "get", 0); !strings.Contains(result, "the store is unavailable") || !strings.Contains(result, "permission denied") {
		t.Errorf("without permission: %s", result)
	}
	faults.set(0, 0, 0)
	waitFor(t, func() error {
		if result := process.do(t, "get", 0); result != "found" {
			return fmt.Errorf("with permission: %s", result)
		}
		return nil
	})
	checkFound(t, process, stored, "with permission")
	process.stop(t)
	if entries, err := os.ReadDir(mounted); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}

// storeSome stores the scenarios with the first numbers.
func storeSome(t *testing.T, process *modelProcess, count int) []int {
	t.Helper()
	var numbers []int
	for number := range count {
		if result := process.do(t, "put", number); result != "done" {
			t.Fatalf("put %d: %s", number, result)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

func checkFound(t *testing.T, process *modelProcess, numbers []int, when string) {
	t.Helper()
	for _, number := range numbers {
		if result := process.do(t, "get", number); result != "found" {
			t.Errorf("%s: get %d: %s", when, number, result)
		}
	}
}
