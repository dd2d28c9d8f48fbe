//go:build !linux

package e2e_test

import "syscall"

func attached() *syscall.SysProcAttr { return nil }

func inMemory() error { return nil }
