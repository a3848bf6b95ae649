//go:build !linux

package procpool

import (
	"os"
	"os/exec"
)

func endWithParent(*exec.Cmd) {}

func isKilled(*os.ProcessState) bool { return false }

func hasExited(*os.Process) bool { return false }
