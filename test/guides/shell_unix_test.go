//go:build unix

package guides_test

import (
	"os/exec"
	"syscall"
)

// group puts the shell and what it starts into a process group of their own.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends the shell and what it started.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
