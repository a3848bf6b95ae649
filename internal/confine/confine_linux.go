package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"

	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Process confines the calling process, which cannot undo it. Afterwards the process can
// use the files that it has open, its memory and its threads. It cannot open files, start
// or signal processes, gain privileges, or use the network unless the options permit it;
// such calls fail with EPERM or EACCES. missing names the mechanisms that the kernel
// lacks.
func Process(o Options) (missing []string, err error) {
	if err := limitResources(o.Memory); err != nil {
		return nil, err
	}
	if err := volunteer(); err != nil {
		missing = append(missing, "oom_score_adj")
	}
	// Later, the process could no longer read its time zone.
	_ = time.Local.String()
	if err := Hide(); err != nil {
		return nil, err
	}
	// no_new_privs is a property of a thread, from which the filters copy it to the others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("forbid new privileges: %w", err)
	}
	if _, err := landlocksys.LandlockGetABIVersion(); err != nil {
		missing = append(missing, "Landlock")
	} else if err := forbidFiles(o); err != nil {
		return nil, fmt.Errorf("forbid access to files: %w", err)
	}
	if !seccomp.Supported() {
		missing = append(missing, "seccomp")
	} else if err := filterCalls(o); err != nil {
		return nil, fmt.Errorf("filter system calls: %w", err)
	}
	return missing, nil
}

// Hide protects the memory and the environment of the calling process from other
// processes of the same user, also against debuggers and core files.
func Hide() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the process: %w", err)
	}
	return nil
}

// readableFiles lists the files that Go's resolver, its TLS library and its time zones
// need.
var readableFiles = []string{
	"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services", "/etc/protocols",
	"/etc/ssl", "/etc/pki", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
	"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo",
}

// forbidFiles forbids opening files, and connections to local processes. With the
// network, the readable files are exceptions.
func forbidFiles(o Options) error {
	config := landlock.V11.BestEffort()
	if !o.Network {
		return config.Restrict()
	}
	var rules []landlock.Rule
	for _, name := range readableFiles {
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return err
		case info.IsDir():
			rules = append(rules, landlock.RODirs(name))
		default:
			rules = append(rules, landlock.ROFiles(name))
		}
	}
	return errors.Join(config.RestrictPaths(rules...), config.RestrictScoped())
}

// runtimeCalls lists the system calls of the Go runtime, and those for open files.
var runtimeCalls = []string{
	// files
	"read", "write", "readv", "writev", "close", "fstat", "lseek",
	"epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd2", "pipe2",
	// memory
	"brk", "munmap", "madvise", "mincore",
	// time, threads and signals
	"clock_gettime", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "getrandom",
	"futex", "sched_yield", "sched_getaffinity", "gettid", "getpid", "restart_syscall",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "set_robust_list", "rseq",
	"exit", "exit_group",
}

// networkCalls lists the additional system calls of clients. They permit no servers.
var networkCalls = []string{
	"connect", "bind", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown",
	"sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "uname",
	// Landlock limits these to the readable files.
	"newfstatat", "statx", "getdents64", "pread64", "readlinkat",
}

// filterCalls permits the listed system calls. All others fail, most of them with EPERM.
func filterCalls(o Options) error {
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	names := runtimeCalls
	conditional := []seccomp.NameWithConditions{
		// Threads, but no processes.
		when("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD),
		// Signals to the own threads.
		when("tgkill", 0, seccomp.Equal, uint64(os.Getpid())),
		// Flags of files. Other operations could make the kernel signal other processes.
		when("fcntl", 1, seccomp.Equal, unix.F_GETFL), when("fcntl", 1, seccomp.Equal, unix.F_SETFL),
		when("fcntl", 1, seccomp.Equal, unix.F_GETFD), when("fcntl", 1, seccomp.Equal, unix.F_SETFD),
		when("fcntl", 1, seccomp.Equal, unix.F_DUPFD_CLOEXEC),
		// Memory, but no code.
		when("mmap", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
		when("mprotect", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
		// The runtime names its memory. Other operations could undo the protection.
		when("prctl", 0, seccomp.Equal, unix.PR_SET_VMA),
	}
	if o.Network {
		names = slices.Concat(names, networkCalls)
		conditional = append(conditional,
			when("socket", 0, seccomp.Equal, unix.AF_INET), when("socket", 0, seccomp.Equal, unix.AF_INET6),
			when("openat", 2, seccomp.BitsNotSet, unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC|unix.O_APPEND))
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, exists := info.SyscallNames[name]
		return !exists
	})
	groups := []seccomp.SyscallGroup{
		{Action: seccomp.ActionAllow, Names: names},
		{Action: seccomp.ActionAllow, NamesWithCondtions: conditional},
		// A filter cannot read the flags of clone3. After this error, C libraries use clone.
		failing("clone3", unix.ENOSYS),
	}
	if !o.Network {
		// Package time then uses the time zones in the program, and reports unknown ones.
		groups = append(groups, failing("openat", unix.ENOENT))
	}
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy:     seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: groups},
	})
}

// failing returns a rule that a call fails with an error.
func failing(call string, errno unix.Errno) seccomp.SyscallGroup {
	return seccomp.SyscallGroup{Action: seccomp.ActionErrno | seccomp.Action(errno), Names: []string{call}}
}

func when(call string, argument uint32, operation seccomp.Operation, value uint64) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{Name: call, Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: operation, Value: value}}}
}
