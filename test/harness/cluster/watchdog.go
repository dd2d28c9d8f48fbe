package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// prefix begins every cluster's directory; the owner's process id follows.
const prefix = "gatehouse-pg-"

//go:embed watchdog.sh
var watchdog string

// lifeline is our end of the watchdog's pipe.
type lifeline struct {
	pipe     *os.File
	watchdog *exec.Cmd
}

// watch starts the process that cleans up behind us. It acts when the pipe is
// closed, and the kernel closes that when we end, by whatever way. In a session
// of its own it is spared by what ends ours.
func watch(dir string) (*lifeline, error) {
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the watchdog's pipe: %w", err)
	}
	defer reading.Close()
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", watchdog, "watchdog", dir)
	cmd.Stdin = reading
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the watchdog: %w", err), writing.Close())
	}
	return &lifeline{pipe: writing, watchdog: cmd}, nil
}

// cut returns when the watchdog has done its work.
func (l *lifeline) cut() {
	_ = l.pipe.Close()
	_ = l.watchdog.Wait()
}

// sweep removes clusters whose owner and server are both dead: those whose
// watchdog was killed too.
func sweep(tmp string) {
	dirs, _ := filepath.Glob(filepath.Join(tmp, prefix+"*"))
	for _, dir := range dirs {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		if alive(owner) {
			continue
		}
		lock, _ := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
		server, _, _ := strings.Cut(string(lock), "\n")
		if !alive(server) {
			_ = os.RemoveAll(dir)
		}
	}
}

func alive(process string) bool {
	pid, err := strconv.Atoi(process)
	return err == nil && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
