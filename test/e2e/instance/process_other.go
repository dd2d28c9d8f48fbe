//go:build !linux

package instance

import "syscall"

func attached() *syscall.SysProcAttr { return nil }

func inMemory() error { return nil }
