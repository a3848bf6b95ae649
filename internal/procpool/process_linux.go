package procpool

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithParent requests that the kernel kill the process of a command when its parent
// ends.
func endWithParent(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// isKilled reports whether a signal that cannot be handled ended the process.
func isKilled(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// hasExited reports whether a process that nobody waited for has ended.
func hasExited(process *os.Process) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}
