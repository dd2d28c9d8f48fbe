package e2e_test

import "syscall"

// attached lets a process die with the test process, however that ends.
func attached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
